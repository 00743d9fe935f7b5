//! After a change of keys: all that is stored goes over to the first secret of the ring, so that the
//! old one can be taken out.

use super::app::App;
use crate::declare::Keep;
use crate::runtime::{completion, effect_context};
use crate::seal::Turned;
use crate::store::{RowKey, SealedKind, StoreError};
use crate::web::row_context;

/// How many entries are read at once: between them others have their turn at the store.
const PAGE: usize = 100;

/// What a walk over all that is stored has found. From [`App::rewrap`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rewrapped {
    /// Went over to the first secret of the ring.
    pub changed: usize,
    /// Were under it already.
    pub current: usize,
    /// Cannot be opened: the secret is not in the ring, or it is a credential that another process
    /// keeps for itself (`keep = "process"`).
    pub unreadable: usize,
}

impl App {
    /// Brings all that is stored under an old secret of the [`Keyring`](crate::Keyring) under its
    /// first one: credentials, results of effects, completions. Once it reports nothing to change, and
    /// no process of the old ring runs any more, the old secret is needed by calls under way alone.
    ///
    /// [`serve`](Self::serve) and [`serve_on`](Self::serve_on) do this in the background when they
    /// begin and the ring has more than one secret. It may be done at any time and by several processes at
    /// once; what is in use meanwhile stays readable.
    ///
    /// ```no_run
    /// # async fn run(app: mcp_elicit::App) -> Result<(), Box<dyn std::error::Error>> {
    /// let found = app.rewrap().await?;
    /// println!("{} changed, {} unreadable", found.changed, found.unreadable);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of the store. What was changed by then stays so; begin again.
    pub async fn rewrap(&self) -> Result<Rewrapped, StoreError> {
        let mut found = Rewrapped::default();
        self.rewrap_rows(&mut found).await?;
        self.rewrap_sealed(SealedKind::Effect, effect_context, &mut found)
            .await?;
        self.rewrap_sealed(SealedKind::Completed, completion::context, &mut found)
            .await?;
        tracing::info!(
            changed = found.changed,
            current = found.current,
            unreadable = found.unreadable,
            "what is stored was brought under the first secret of the keyring"
        );
        Ok(found)
    }

    async fn rewrap_rows(&self, found: &mut Rewrapped) -> Result<(), StoreError> {
        let services = &self.0.services;
        let (store, keys) = (&services.store, &services.keys);
        let mut after: Option<RowKey> = None;
        loop {
            let now = services.ambient.now();
            let rows = store.rows_after(after.as_ref(), PAGE, now).await?;
            let Some((last, _)) = rows.last() else {
                return Ok(());
            };
            after = Some(last.clone());
            for (key, row) in rows {
                let random = &mut |bytes: &mut [u8]| services.ambient.fill(bytes);
                // What is kept for one process only is bound to it, which its row does not show.
                let turned = [Keep::UntilRemoved, Keep::Process].map(|keep| {
                    let context = row_context(&key, keep, &services.process);
                    keys.turn_row(&context, &row.sealed, random)
                });
                let anew = turned
                    .into_iter()
                    .find(|turned| *turned != Turned::Unreadable);
                if let Some(sealed) = found.count(anew.unwrap_or(Turned::Unreadable)) {
                    store.reseal_row(&key, row.version, sealed).await?;
                }
            }
        }
    }

    async fn rewrap_sealed(
        &self,
        kind: SealedKind,
        context: fn(&[u8]) -> Vec<u8>,
        found: &mut Rewrapped,
    ) -> Result<(), StoreError> {
        let services = &self.0.services;
        let mut after = Vec::new();
        loop {
            let some = services.store.sealed_after(kind, &after, PAGE).await?;
            let Some((last, _)) = some.last() else {
                return Ok(());
            };
            after.clone_from(last);
            for (id, old) in some {
                let nonce = services.ambient.random();
                let turned = services.keys.turn_blob(&context(&id), &old, nonce);
                if let Some(new) = found.count(turned) {
                    services.store.reseal(kind, &id, old, new).await?;
                }
            }
        }
    }
}

impl Rewrapped {
    /// Counts one entry; returns what is to be stored in its place.
    fn count(&mut self, turned: Turned) -> Option<Vec<u8>> {
        let (count, sealed) = match turned {
            Turned::Current => (&mut self.current, None),
            Turned::Anew(sealed) => (&mut self.changed, Some(sealed)),
            Turned::Unreadable => (&mut self.unreadable, None),
        };
        *count += 1;
        sealed
    }
}
