//! To what a row of the vault is bound. The pages write rows and the runtime reads them; both take
//! the context from here. It uses the row's key and nothing else.

use crate::declare::Keep;
use crate::store::RowKey;

/// Tells this layout from later ones.
const LABEL: &[u8] = b"mcp-elicit/credential/1";

/// The context under which a row is sealed: its key, so that rows cannot be swapped. A row that is
/// kept for one process only is bound to `process` too, 16 random bytes of that process, so that
/// no other takes it for its own; to others it is as good as absent.
pub(crate) fn row_context(key: &RowKey, keep: Keep, process: &[u8; 16]) -> Vec<u8> {
    let process: &[u8] = match keep {
        Keep::Process => process,
        Keep::For(_) | Keep::UntilRemoved => &[],
    };
    let parts = [
        key.owner.tenant.as_bytes(),
        key.owner.issuer.as_bytes(),
        key.owner.subject.as_bytes(),
        key.credential.as_bytes(),
        key.name.as_bytes(),
        process,
    ];
    let mut context = LABEL.to_vec();
    for part in parts {
        context.extend_from_slice(&(part.len() as u64).to_be_bytes());
        context.extend_from_slice(part);
    }
    context
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::store::Owner;

    fn key(tenant: &str, issuer: &str) -> RowKey {
        RowKey {
            owner: Owner {
                tenant: tenant.into(),
                issuer: issuer.into(),
                subject: "ada".into(),
            },
            credential: "billing_key".into(),
            name: String::new(),
        }
    }

    #[test]
    fn keys_that_read_alike_differ() {
        let context = |key| row_context(&key, Keep::UntilRemoved, &[0; 16]);
        assert_ne!(context(key("a", "bc")), context(key("ab", "c")));
        assert_eq!(context(key("a", "b")), context(key("a", "b")));
    }

    #[test]
    fn only_a_row_of_one_process_is_bound_to_it() {
        let of = |keep, process| row_context(&key("", "dev"), keep, &[process; 16]);
        assert_ne!(of(Keep::Process, 1), of(Keep::Process, 2));
        assert_ne!(of(Keep::Process, 0), of(Keep::UntilRemoved, 0));
        let hour = Keep::For(Duration::from_secs(3600));
        assert_eq!(of(hour, 1), of(Keep::UntilRemoved, 2));
    }
}
