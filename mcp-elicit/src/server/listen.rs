//! `subscriptions/listen`: a request that stays open and tells of changes (basic/patterns/subscriptions).

use std::sync::Arc;

use super::app::Inner;
use super::dispatch::Request;
use crate::auth::Principal;
use crate::observe::{self, Limit};
use crate::runtime::outlet::Outlet;
use crate::runtime::places::Full;
use crate::runtime::topics::{Filter, Lists};
use crate::wire::error::RpcError;
use crate::wire::message::Id;
use crate::wire::object::{Text, object};
use crate::wire::write_string;

object! {
    /// What the client wants to hear of.
    struct Wanted<'a> {
        tools: bool = "toolsListChanged",
        prompts: bool = "promptsListChanged",
        resources: bool = "resourcesListChanged",
        uris: Vec<Text<'a>> = "resourceSubscriptions",
    }
}

/// Tells of changes until the client goes, its time is over or the server stops. Returns the reply
/// that ends it.
pub(super) async fn listen(
    app: &Arc<Inner>,
    id: Id<'_>,
    request: &Request<'_>,
    outlet: &Outlet,
) -> Result<Vec<u8>, RpcError> {
    let wanted = request.params.notifications.and_then(|it| it.some());
    let wanted =
        wanted.ok_or_else(|| RpcError::invalid_params("`params.notifications` is missing."))?;
    let wanted: Wanted<'_> = serde_json::from_str(wanted).map_err(|_| {
        RpcError::invalid_params(
            "`params.notifications` must be an object; toolsListChanged, promptsListChanged and \
             resourcesListChanged are booleans, resourceSubscriptions is an array of strings.",
        )
    })?;
    let limits = &app.services.limits;
    let uris = wanted.uris.as_deref().unwrap_or_default();
    if uris.len() > limits.subscribed {
        observe::limited(Limit::Subscribed);
        return Err(RpcError::invalid_params(format!(
            "`params.notifications.resourceSubscriptions` may have at most {} entries.",
            limits.subscribed
        )));
    }
    let who = &request.principal;
    let filter = honoured(app, &wanted, uris, who);
    let acknowledged = acknowledged(id, &filter);
    let listening = app.services.topics.listen(who, filter).map_err(|full| {
        observe::limited(match full {
            Full::All => Limit::Listeners,
            Full::OfOne => Limit::ListenersOfOne,
        });
        RpcError::told("Too many streams of changes are open; close one, or try again later.")
    })?;
    // All that comes later is shorter, so it finds room too.
    if !outlet.push(acknowledged) {
        observe::limited(Limit::Notices);
        return Err(RpcError::invalid_params(
            "`id` and `params.notifications.resourceSubscriptions` are too long to be repeated on a stream.",
        ));
    }
    let mut closing = app.services.closing.subscribe();
    let time = tokio::time::sleep(limits.listen);
    tokio::pin!(time);
    loop {
        // What changes while a slow client still has to take the last messages is told in one.
        let changed = async {
            outlet.drained().await;
            let mut changed = listening.changed().await;
            // It may have been taken away, or hidden, since the client asked for it.
            let registry = app.registry.load();
            let is_there = |uri: &str| registry.resource(uri, who).is_some();
            changed.resources.retain(|uri| is_there(uri));
            drop(registry);
            tell(id, &changed, outlet).await;
        };
        tokio::select! {
            () = changed => {}
            () = &mut time => break,
            _ = closing.wait_for(|closing| *closing) => break,
        }
    }
    Ok(ended(app, id))
}

/// What of it this server tells.
fn honoured(app: &Inner, wanted: &Wanted<'_>, uris: &[Text<'_>], principal: &Principal) -> Filter {
    let has = |wanted: Option<bool>| wanted.unwrap_or(false);
    let registry = app.registry.load();
    Filter {
        lists: Lists {
            tools: has(wanted.tools),
            prompts: has(wanted.prompts) && registry.offers.prompts,
            resources: has(wanted.resources) && registry.offers.resources,
        },
        resources: uris
            .iter()
            .filter(|uri| registry.resource(uri, principal).is_some())
            .map(|uri| Box::from(&**uri))
            .collect(),
    }
}

/// The beginning of a notification, up to the end of its `_meta`.
fn notification(method: &str, id: Id<'_>) -> Vec<u8> {
    let id = id.as_json();
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}"#
    )
    .into_bytes()
}

fn acknowledged(id: Id<'_>, filter: &Filter) -> Vec<u8> {
    let mut members = Vec::new();
    for (name, _) in lists(filter.lists) {
        members.push(format!(r#""{name}ListChanged":true"#));
    }
    if !filter.resources.is_empty() {
        let uris: Vec<&str> = filter.resources.iter().map(|uri| &**uri).collect();
        let uris = serde_json::Value::from(uris);
        members.push(format!(r#""resourceSubscriptions":{uris}"#));
    }
    let mut out = notification("subscriptions/acknowledged", id);
    out.extend_from_slice(format!(r#","notifications":{{{}}}}}}}"#, members.join(",")).as_bytes());
    out
}

/// Puts what has changed into the outlet. Where there is no room for all of it, it waits for the client.
async fn tell(id: Id<'_>, changed: &Filter, outlet: &Outlet) {
    let mut messages = Vec::new();
    for (_, method) in lists(changed.lists) {
        let mut out = notification(method, id);
        out.extend_from_slice(b"}}");
        messages.push(out);
    }
    for uri in &changed.resources {
        let mut out = notification("resources/updated", id);
        out.extend_from_slice(br#","uri":"#);
        write_string(uri, &mut out);
        out.extend_from_slice(b"}}");
        messages.push(out);
    }
    for message in messages {
        if !outlet.has_room(message.len()) {
            outlet.drained().await;
        }
        outlet.push(message);
    }
}

/// The lists that are set: their names, and the methods that tell of them.
fn lists(lists: Lists) -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = [
        (lists.tools, ("tools", "tools/list_changed")),
        (lists.prompts, ("prompts", "prompts/list_changed")),
        (lists.resources, ("resources", "resources/list_changed")),
    ];
    all.into_iter()
        .filter(|(is_set, _)| *is_set)
        .map(|(_, names)| names)
}

/// The reply, which says that the stream ends in good order ("Graceful Closure").
fn ended(app: &Inner, id: Id<'_>) -> Vec<u8> {
    let id = id.as_json();
    let meta = app.meta.strip_suffix('}').unwrap_or(&app.meta);
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete",{meta},"io.modelcontextprotocol/subscriptionId":{id}}}}}}}"#
    )
    .into_bytes()
}
