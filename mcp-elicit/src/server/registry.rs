//! What a server offers: tools and prompts by name, resources by URI, each listed in the order it was
//! added.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use axum::body::Bytes;
use serde_json::value::RawValue;

use super::completion::Completer;
use super::listing::Listing;
use super::prompt::{Prompt, PromptArgument};
use super::refusal::BadArguments;
use super::resource::{Resource, completer};
use super::tool::{Tool, Toolset};
use crate::declare::Declaration;
use crate::runtime::run::{Feature, Target};
use crate::runtime::tell::Meter;
use crate::runtime::{Cx, HandlerFuture, Need, question_digest};
use crate::wire::write_string;

/// One of them and what its runs need to know of it.
#[derive(Debug)]
pub(crate) struct Registered {
    item: Item,
    pub(crate) target: Arc<Target>,
}

#[derive(Debug)]
enum Item {
    Tool(Tool),
    Prompt(Prompt),
    Resource(Resource),
}

impl Item {
    fn asks(&self) -> &[Need] {
        match self {
            Self::Tool(it) => &it.asks,
            Self::Prompt(it) => &it.asks,
            Self::Resource(it) => &it.asks,
        }
    }
}

impl Registered {
    fn new(item: Item) -> Self {
        let (feature, name, title, code, rev) = match &item {
            Item::Tool(it) => (Feature::Tool, &it.name, &it.title, it.fingerprint, it.rev),
            Item::Prompt(it) => (Feature::Prompt, &it.name, &it.title, it.fingerprint, it.rev),
            Item::Resource(it) => (
                Feature::Resource,
                &it.uri,
                &it.title,
                it.fingerprint,
                it.rev,
            ),
        };
        let asks = item.asks();
        let target = Target {
            feature,
            name: (**name).into(),
            title: title.as_deref().unwrap_or(name).into(),
            fingerprint: fingerprint(code, asks),
            rev,
            meter: Meter::new(feature, name),
        };
        Self {
            item,
            target: Arc::new(target),
        }
    }

    /// What it may ask.
    pub(crate) fn asks(&self) -> &[Need] {
        self.item.asks()
    }

    /// Whether a state is used no more than once.
    pub(crate) fn is_single_use(&self) -> bool {
        match &self.item {
            Item::Tool(it) => it.single_use,
            Item::Prompt(it) => it.single_use,
            Item::Resource(it) => it.single_use,
        }
    }

    /// Reads the arguments and starts the call.
    pub(crate) fn start(
        &self,
        cx: Cx,
        arguments: Option<&RawValue>,
    ) -> Result<HandlerFuture, BadArguments> {
        match &self.item {
            Item::Tool(it) => it.start(cx, arguments),
            Item::Prompt(it) => it.handler.start(cx, arguments),
            Item::Resource(it) => it.handler.start(cx, arguments),
        }
    }
}

/// All that is offered. Immutable after start.
#[derive(Debug)]
pub(crate) struct Registry {
    all: Vec<Registered>,
    tools: HashMap<Arc<str>, usize>,
    prompts: HashMap<Arc<str>, usize>,
    resources: HashMap<Arc<str>, usize>,
    /// In the order in which they are tried.
    templates: Vec<usize>,
    pub(crate) lists: Lists,
}

/// What is listed.
#[derive(Debug)]
pub(crate) struct Lists {
    pub(crate) tools: Listing,
    pub(crate) prompts: Listing,
    pub(crate) resources: Listing,
    pub(crate) templates: Listing,
}

/// A resource that was found by its URI.
pub(crate) struct Found<'a> {
    pub(crate) registered: &'a Registered,
    /// The values of the template's variables, as a JSON object of texts.
    pub(crate) arguments: Option<Bytes>,
}

impl Registry {
    /// Takes what is offered; complains of each name or URI that is there twice.
    pub(crate) fn new(offered: Toolset, page: usize, problems: &mut Vec<String>) -> Self {
        let Toolset {
            tools,
            prompts,
            resources,
        } = offered;
        let (templates, plain): (Vec<_>, Vec<_>) =
            resources.into_iter().partition(Resource::is_template);
        let lists = Lists {
            tools: Listing::new("tools", tools.iter().map(Tool::listing).collect(), page),
            prompts: Listing::new(
                "prompts",
                prompts.iter().map(Prompt::listing).collect(),
                page,
            ),
            resources: Listing::new(
                "resources",
                plain.iter().map(Resource::listing).collect(),
                page,
            ),
            templates: Listing::new(
                "resourceTemplates",
                templates.iter().map(Resource::listing).collect(),
                page,
            ),
        };
        let mut it = Self {
            all: Vec::new(),
            tools: HashMap::new(),
            prompts: HashMap::new(),
            resources: HashMap::new(),
            templates: Vec::new(),
            lists,
        };
        let items = tools.into_iter().map(Item::Tool);
        let items = items.chain(prompts.into_iter().map(Item::Prompt));
        let items = items.chain(plain.into_iter().chain(templates).map(Item::Resource));
        for item in items {
            it.add(Registered::new(item), problems);
        }
        it
    }

    fn add(&mut self, registered: Registered, problems: &mut Vec<String>) {
        let (place, name) = (self.all.len(), Arc::clone(&registered.target.name));
        let (map, what) = match &registered.item {
            Item::Tool(_) => (&mut self.tools, "two tools are called"),
            Item::Prompt(_) => (&mut self.prompts, "two prompts are called"),
            Item::Resource(it) if it.is_template() => {
                self.templates.push(place);
                (&mut self.resources, "two resources have the template")
            }
            Item::Resource(_) => (&mut self.resources, "two resources have the URI"),
        };
        if map.insert(Arc::clone(&name), place).is_some() {
            let how = match registered.target.feature {
                Feature::Tool => "; give one another name with `#[tool(name = \"..\")]`",
                Feature::Prompt => "; give one another name with `#[prompt(name = \"..\")]`",
                Feature::Resource => "",
            };
            problems.push(format!("{what} `{name}`{how}"));
        }
        self.all.push(registered);
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&Registered> {
        self.all.get(*self.tools.get(name)?)
    }

    pub(crate) fn prompt(&self, name: &str) -> Option<&Registered> {
        self.all.get(*self.prompts.get(name)?)
    }

    /// What is read at `uri`: a resource of just this URI, else of the first template that fits.
    pub(crate) fn resource(&self, uri: &str) -> Option<Found<'_>> {
        let plain = self.resources.get(uri).and_then(|at| self.all.get(*at));
        if let Some(registered) = plain.filter(|it| !it.is_template()) {
            return Some(Found {
                registered,
                arguments: None,
            });
        }
        self.templates.iter().find_map(|at| {
            let registered = self.all.get(*at)?;
            let Item::Resource(resource) = &registered.item else {
                return None;
            };
            let values = resource.template.as_ref().ok()?.matches(uri)?;
            Some(Found {
                registered,
                arguments: Some(object(&values)),
            })
        })
    }

    /// What suggests values for an argument of a prompt.
    pub(crate) fn of_prompt(&self, name: &str, argument: &str) -> Option<Option<&Completer>> {
        match &self.prompt(name)?.item {
            Item::Prompt(prompt) => Some(completer(&prompt.arguments, argument)),
            _ => None,
        }
    }

    /// What suggests values for a variable of a template, which is named as it is listed.
    pub(crate) fn of_template(&self, uri: &str, variable: &str) -> Option<Option<&Completer>> {
        let at = self.resources.get(uri)?;
        match &self.all.get(*at)?.item {
            Item::Resource(resource) => Some(completer(&resource.variables, variable)),
            _ => None,
        }
    }

    /// All questions that users may be asked.
    pub(crate) fn asks(&self) -> impl Iterator<Item = &'static Declaration> {
        self.all
            .iter()
            .flat_map(|it| it.asks())
            .filter_map(Need::declaration)
    }

    pub(crate) fn has_prompts(&self) -> bool {
        !self.prompts.is_empty()
    }

    pub(crate) fn has_resources(&self) -> bool {
        !self.resources.is_empty()
    }

    /// Whether anything has suggestions.
    pub(crate) fn has_completions(&self) -> bool {
        let has = |arguments: &[PromptArgument]| arguments.iter().any(|it| it.completer.is_some());
        self.all.iter().any(|it| match &it.item {
            Item::Tool(_) => false,
            Item::Prompt(prompt) => has(&prompt.arguments),
            Item::Resource(resource) => has(&resource.variables),
        })
    }
}

impl Registered {
    fn is_template(&self) -> bool {
        matches!(&self.item, Item::Resource(it) if it.is_template())
    }
}

/// The values of variables as a JSON object, which is how a handler reads its arguments.
fn object(values: &[(&str, Cow<'_, str>)]) -> Bytes {
    let mut out = vec![b'{'];
    for (i, (name, value)) in values.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write_string(name, &mut out);
        out.push(b':');
        write_string(value, &mut out);
    }
    out.push(b'}');
    out.into()
}
/// A number that changes with the code of the handler and with what it says it asks.
fn fingerprint(code: u64, asks: &[Need]) -> u64 {
    let asks = asks.iter().filter_map(Need::declaration);
    let asks: Vec<_> = asks.map(question_digest).collect();
    let own = code.to_be_bytes();
    let parts: Vec<&[u8]> = std::iter::once(&own[..])
        .chain(asks.iter().map(|it| &it[..]))
        .collect();
    let [a, b, c, d, e, f, g, h, ..] = crate::seal::digest_of("handler", &parts);
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Elicit, InAsks};

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

    #[test]
    fn the_fingerprint_is_of_the_code_and_of_what_is_asked() {
        let _ = (Ready { yes: true }.yes, Sure { yes: true }.yes);
        let (ready, sure) = (Ready::need(), Sure::need());
        let mut found = vec![
            fingerprint(1, &[]),
            fingerprint(2, &[]),
            fingerprint(1, &[ready]),
            fingerprint(1, &[sure]),
            fingerprint(1, &[ready, sure]),
        ];
        assert_eq!(fingerprint(1, &[]), found[0]);
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), 5);
    }
}
