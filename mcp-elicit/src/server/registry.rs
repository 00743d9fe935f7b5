//! The tools of a server: found by name, listed in the order they were added.

use std::collections::HashMap;
use std::sync::Arc;

use super::tool::Tool;
use crate::runtime::question_digest;
use crate::runtime::run::Target;

/// One tool and what its runs need to know of it.
#[derive(Debug)]
pub(crate) struct Registered {
    pub(crate) tool: Tool,
    pub(crate) target: Arc<Target>,
}

/// All tools. Immutable after start.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    tools: HashMap<Arc<str>, Registered>,
    listing: String,
}

impl Registry {
    /// Takes the tools; complains of each name that is there twice.
    pub(crate) fn new(tools: Vec<Tool>, problems: &mut Vec<String>) -> Self {
        let listing: Vec<_> = tools.iter().map(Tool::listing).collect();
        let mut it = Self {
            tools: HashMap::with_capacity(tools.len()),
            listing: listing.join(","),
        };
        for tool in tools {
            let name: Arc<str> = tool.name().into();
            let target = Arc::new(Target {
                name: Arc::clone(&name),
                title: tool.title.as_deref().unwrap_or(tool.name()).into(),
                fingerprint: fingerprint(&tool),
                rev: tool.rev,
            });
            if it.tools.contains_key(&name) {
                problems.push(format!(
                    "two tools are called `{name}`; give one another name with `#[tool(name = \"..\")]`"
                ));
            }
            it.tools.insert(name, Registered { tool, target });
        }
        it
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Registered> {
        self.tools.get(name)
    }

    pub(crate) fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.tools.values().map(|r| &r.tool)
    }

    /// The entries of `tools/list`, as JSON without the brackets around them.
    pub(crate) fn listing(&self) -> &str {
        &self.listing
    }
}

/// A number that changes with the code of the handler and with what it says it asks.
fn fingerprint(tool: &Tool) -> u64 {
    let asks: Vec<_> = tool.asks.iter().map(|it| question_digest(it)).collect();
    let own = tool.fingerprint.to_be_bytes();
    let parts: Vec<&[u8]> = std::iter::once(&own[..])
        .chain(asks.iter().map(|it| &it[..]))
        .collect();
    let [a, b, c, d, e, f, g, h, ..] = crate::seal::digest_of("handler", &parts);
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Elicit;
    use crate::runtime::Cx;

    /// Ready?
    #[derive(Elicit)]
    #[elicit(crate = crate)]
    struct Ready {
        yes: bool,
    }

    /// Sure?
    #[derive(Elicit)]
    #[elicit(crate = crate, key = "ready")]
    struct Sure {
        yes: bool,
    }

    fn tool(code: u64) -> Tool {
        let handler = |_: Cx, _: Option<&serde_json::value::RawValue>| {
            Ok(Box::pin(async { Ok(crate::Reply::text("")) }) as crate::HandlerFuture)
        };
        Tool::new("it", "It.", handler).fingerprint(code)
    }

    #[test]
    fn the_fingerprint_is_of_the_code_and_of_what_is_asked() {
        let _ = (Ready { yes: true }.yes, Sure { yes: true }.yes);
        let all = [
            tool(1),
            tool(2),
            tool(1).asks([Ready::declaration()]),
            tool(1).asks([Sure::declaration()]),
            tool(1).asks([Ready::declaration(), Sure::declaration()]),
        ];
        let mut found: Vec<_> = all.iter().map(fingerprint).collect();
        assert_eq!(fingerprint(&tool(1)), found[0]);
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), all.len());
    }
}
