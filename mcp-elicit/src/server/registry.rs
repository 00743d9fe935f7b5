//! The tools of a server: found by name, listed in the order they were added.

use std::collections::HashMap;
use std::sync::Arc;

use super::tool::Tool;
use crate::runtime::run::Target;
use crate::runtime::tell::ToolMeter;

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
                fingerprint: tool.fingerprint,
                rev: tool.rev,
                meter: ToolMeter::new(&name),
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
