//! What a server offers: tools and prompts by name, resources by URI, each listed in the order it was
//! added.
//!
//! A registry never changes. One that offers more or less is made of it and takes its place (see
//! `live`); what stays is shared by both.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::HeaderMap;
use serde_json::value::RawValue;

use super::about::Shown;
use super::common::Common;
use super::completion::Completer;
use super::listing::Listing;
use super::prompt::{Prompt, PromptArgument};
use super::refusal::BadArguments;
use super::repeated::{self, Repeated};
use super::resource::{Caching, Resource, completer};
use super::tool::{Tool, Toolset};
use super::visible::Visible;
use crate::auth::Principal;
use crate::declare::Declaration;
use crate::runtime::run::{Feature, Target};
use crate::runtime::tell::Meter;
use crate::runtime::{Cx, HandlerFuture, Need, question_digest};
use crate::wire::error::RpcError;
use crate::wire::write_string;

/// One of them and what its runs need to know of it.
#[derive(Debug)]
pub(crate) struct Registered {
    item: Item,
    pub(crate) target: Arc<Target>,
    /// Its entry in a list.
    pub(crate) entry: String,
    /// Where it stands among all; it keeps its place, and nothing else ever has it.
    pub(crate) place: u64,
    /// The arguments that are repeated in headers.
    repeated: Box<[Repeated]>,
}

#[derive(Debug)]
enum Item {
    Tool(Tool),
    Prompt(Prompt),
    Resource(Resource),
}

impl Item {
    fn common(&self) -> &Common {
        match self {
            Self::Tool(it) => &it.common,
            Self::Prompt(it) => &it.common,
            Self::Resource(it) => &it.common,
        }
    }

    fn key(&self) -> (Feature, &str) {
        match self {
            Self::Tool(it) => (Feature::Tool, &it.name),
            Self::Prompt(it) => (Feature::Prompt, &it.name),
            Self::Resource(it) => (Feature::Resource, &it.uri),
        }
    }
}

impl Registered {
    fn new(item: Item, place: u64) -> Self {
        let (feature, name) = item.key();
        let common = item.common();
        let target = Target {
            feature,
            name: name.into(),
            title: common.title.as_deref().unwrap_or(name).into(),
            fingerprint: fingerprint(common.fingerprint, &common.asks),
            rev: common.rev,
            meter: Meter::new(feature, name),
        };
        let (entry, repeated) = match &item {
            // What is wrong in the schema is among the tool's faults.
            Item::Tool(it) => (
                it.listing(),
                repeated::of_schema(&it.input_schema.value).unwrap_or_default(),
            ),
            Item::Prompt(it) => (it.listing(), Box::default()),
            Item::Resource(it) => (it.listing(), Box::default()),
        };
        Self {
            target: Arc::new(target),
            entry,
            place,
            repeated,
            item,
        }
    }

    /// What it may ask.
    pub(crate) fn asks(&self) -> &[Need] {
        &self.item.common().asks
    }

    /// Whether a state is used no more than once.
    pub(crate) fn is_single_use(&self) -> bool {
        self.item.common().single_use
    }

    /// Who sees it.
    pub(crate) fn visible(&self) -> &Visible {
        &self.item.common().visible
    }

    /// For how long, and for whom, what is read may be kept.
    pub(crate) fn caching(&self) -> Caching {
        match &self.item {
            Item::Resource(it) => it.caching(),
            _ => Caching::default(),
        }
    }

    /// Whether a result that is no error must have structured content.
    pub(crate) fn is_structured(&self) -> bool {
        matches!(&self.item, Item::Tool(it) if it.output_schema.is_some())
    }

    /// Checks the headers that repeat arguments.
    pub(crate) fn check_headers(
        &self,
        headers: &HeaderMap,
        arguments: Option<&[u8]>,
    ) -> Result<(), RpcError> {
        if self.repeated.is_empty() {
            return Ok(());
        }
        let arguments = arguments.and_then(|it| std::str::from_utf8(it).ok());
        repeated::check(&self.repeated, headers, arguments)
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

type Named = HashMap<Arc<str>, Arc<Registered>>;

/// All that is offered at one time.
#[derive(Debug)]
pub(crate) struct Registry {
    /// By their places.
    all: Vec<Arc<Registered>>,
    tools: Named,
    prompts: Named,
    resources: Named,
    /// In the order in which they are tried.
    templates: Vec<Arc<Registered>>,
    pub(crate) lists: Lists,
    pub(crate) offers: Offers,
    /// The result of `server/discover` after `"resultType":`, without `_meta`.
    pub(crate) discover: String,
    shown: Arc<Shown>,
    /// The last place that was given out.
    last: u64,
}

/// What is listed.
#[derive(Debug)]
pub(crate) struct Lists {
    pub(crate) tools: Listing,
    pub(crate) prompts: Listing,
    pub(crate) resources: Listing,
    pub(crate) templates: Listing,
}

/// What there is, or has been: a client that knows that there were prompts may go on to list them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Offers {
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
    pub(crate) completions: bool,
}

/// A resource that was found by its URI.
pub(crate) struct Found<'a> {
    pub(crate) registered: &'a Registered,
    /// The values of the template's variables, as a JSON object of texts.
    pub(crate) arguments: Option<Bytes>,
}

impl Registry {
    /// Takes what is offered; complains of each name or URI that is there twice.
    pub(crate) fn new(offered: Toolset, shown: Shown, problems: &mut Vec<String>) -> Self {
        let all: Vec<_> = placed(offered, 0).map(Arc::new).collect();
        let last = all.last().map_or(0, |it| it.place);
        Self::of(all, last, Arc::new(shown), Offers::default(), problems)
    }

    /// With this as well. Where `replace` says so, what has the name or URI already is replaced and
    /// its place is kept. What finds no place goes to `left`: to drop it is for the caller, since whatever
    /// an author does then must not happen under a lock.
    pub(crate) fn with(
        &self,
        offered: Toolset,
        replace: bool,
        left: &mut Vec<Registered>,
        problems: &mut Vec<String>,
    ) -> Self {
        let (mut all, mut last) = (self.all.clone(), self.last);
        for mut registered in placed(offered, self.last) {
            last = registered.place;
            let is_same = |it: &&mut Arc<Registered>| it.item.key() == registered.item.key();
            let old = all
                .iter_mut()
                .filter(|it| it.place <= self.last)
                .find(is_same);
            match old {
                Some(old) if replace => {
                    registered.place = old.place;
                    *old = Arc::new(registered);
                }
                Some(old) => {
                    let (feature, name) = old.item.key();
                    problems.push(format!(
                        "the {} `{name}` is there already; to put this in its place, use `App::replace`",
                        feature.word()
                    ));
                    left.push(registered);
                }
                None => all.push(Arc::new(registered)),
            }
        }
        self.next(all, last, problems)
    }

    /// Without that one; `None` if it is not there.
    pub(crate) fn without(&self, feature: Feature, name: &str) -> Option<Self> {
        let at = self
            .all
            .iter()
            .position(|it| it.item.key() == (feature, name))?;
        let mut all = self.all.clone();
        all.remove(at);
        Some(self.next(all, self.last, &mut Vec::new()))
    }

    /// Who sees what is here and was not, or not like this, before, or the other way round.
    pub(crate) fn changed<'a>(
        &'a self,
        before: &'a Self,
        feature: Feature,
    ) -> impl Iterator<Item = &'a Visible> {
        let known = |all: &[Arc<Registered>]| all.iter().map(Arc::as_ptr).collect();
        let (here, there): (HashSet<_>, HashSet<_>) = (known(&self.all), known(&before.all));
        let new = self
            .all
            .iter()
            .filter(move |it| !there.contains(&Arc::as_ptr(it)));
        let old = before
            .all
            .iter()
            .filter(move |it| !here.contains(&Arc::as_ptr(it)));
        let changed = new
            .chain(old)
            .filter(move |it| it.target.feature == feature);
        changed.map(|it| it.visible())
    }

    fn next(&self, all: Vec<Arc<Registered>>, last: u64, problems: &mut Vec<String>) -> Self {
        Self::of(all, last, Arc::clone(&self.shown), self.offers, problems)
    }

    fn of(
        all: Vec<Arc<Registered>>,
        last: u64,
        shown: Arc<Shown>,
        before: Offers,
        problems: &mut Vec<String>,
    ) -> Self {
        let (mut tools, mut prompts, mut resources) = (Named::new(), Named::new(), Named::new());
        let (mut plain, mut templates) = (Vec::new(), Vec::new());
        let (mut listed_tools, mut listed_prompts) = (Vec::new(), Vec::new());
        let mut completions = before.completions;
        for it in &all {
            let has =
                |arguments: &[PromptArgument]| arguments.iter().any(|it| it.completer.is_some());
            let (map, list, what) = match &it.item {
                Item::Tool(_) => (&mut tools, &mut listed_tools, "two tools are called"),
                Item::Prompt(prompt) => {
                    completions |= has(&prompt.arguments);
                    (&mut prompts, &mut listed_prompts, "two prompts are called")
                }
                Item::Resource(resource) => {
                    completions |= has(&resource.variables);
                    match resource.is_template() {
                        true => (
                            &mut resources,
                            &mut templates,
                            "two resources have the template",
                        ),
                        false => (&mut resources, &mut plain, "two resources have the URI"),
                    }
                }
            };
            let name = &it.target.name;
            list.push(Arc::clone(it));
            if map.insert(Arc::clone(name), Arc::clone(it)).is_some() {
                let how = match it.target.feature {
                    Feature::Tool => "; give one another name with `#[tool(name = \"..\")]`",
                    Feature::Prompt => "; give one another name with `#[prompt(name = \"..\")]`",
                    Feature::Resource => "",
                };
                problems.push(format!("{what} `{name}`{how}"));
            }
        }
        let offers = Offers {
            prompts: before.prompts || !prompts.is_empty(),
            resources: before.resources || !resources.is_empty(),
            completions,
        };
        let list = |member, entries| Listing::new(member, entries, shown.page, shown.list_ttl);
        Self {
            lists: Lists {
                tools: list("tools", listed_tools),
                prompts: list("prompts", listed_prompts),
                resources: list("resources", plain),
                templates: list("resourceTemplates", templates.clone()),
            },
            discover: shown.discover(offers),
            all,
            tools,
            prompts,
            resources,
            templates,
            offers,
            shown,
            last,
        }
    }

    /// The tool of this name, if `principal` sees it.
    pub(crate) fn tool(&self, name: &str, principal: &Principal) -> Option<&Registered> {
        seen(self.tools.get(name), principal)
    }

    /// The headers with which a client repeats these arguments of the tool of this name.
    #[cfg(feature = "testing")]
    pub(crate) fn headers(
        &self,
        tool: &str,
        arguments: &serde_json::Value,
    ) -> Vec<(axum::http::HeaderName, String)> {
        self.tools
            .get(tool)
            .map_or_else(Vec::new, |it| repeated::headers(&it.repeated, arguments))
    }

    /// The prompt of this name, if `principal` sees it.
    pub(crate) fn prompt(&self, name: &str, principal: &Principal) -> Option<&Registered> {
        seen(self.prompts.get(name), principal)
    }

    /// What `principal` reads at `uri`: a resource of just this URI, else of the first template that fits.
    pub(crate) fn resource(&self, uri: &str, principal: &Principal) -> Option<Found<'_>> {
        let plain = seen(self.resources.get(uri), principal);
        if let Some(registered) = plain.filter(|it| !it.is_template()) {
            return Some(Found {
                registered,
                arguments: None,
            });
        }
        self.templates.iter().find_map(|registered| {
            let Item::Resource(resource) = &registered.item else {
                return None;
            };
            let values = resource.template.as_ref().ok()?.matches(uri)?;
            Some(Found {
                registered: seen(Some(registered), principal)?,
                arguments: Some(object(&values)),
            })
        })
    }

    /// What suggests values for an argument of a prompt.
    pub(crate) fn of_prompt(
        &self,
        name: &str,
        argument: &str,
        principal: &Principal,
    ) -> Option<Option<&Completer>> {
        match &self.prompt(name, principal)?.item {
            Item::Prompt(prompt) => Some(completer(&prompt.arguments, argument)),
            _ => None,
        }
    }

    /// What suggests values for a variable of a template, which is named as it is listed.
    pub(crate) fn of_template(
        &self,
        uri: &str,
        variable: &str,
        principal: &Principal,
    ) -> Option<Option<&Completer>> {
        match &seen(self.resources.get(uri), principal)?.item {
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
}

/// What was found, if `principal` sees it.
fn seen<'a>(found: Option<&'a Arc<Registered>>, principal: &Principal) -> Option<&'a Registered> {
    found
        .map(|it| &**it)
        .filter(|it| it.visible().to(principal))
}

/// Gives each a place after `last`. A list begins after 0.
fn placed(offered: Toolset, last: u64) -> impl Iterator<Item = Registered> {
    let Toolset {
        tools,
        prompts,
        resources,
    } = offered;
    let items = tools.into_iter().map(Item::Tool);
    let items = items.chain(prompts.into_iter().map(Item::Prompt));
    let items = items.chain(resources.into_iter().map(Item::Resource));
    items
        .zip(last + 1..)
        .map(|(item, place)| Registered::new(item, place))
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
