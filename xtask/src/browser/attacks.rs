//! What others do with somebody's page. (What a browser would not let them send is tried by `seven`, which needs none.)
//!
//! Uses `stage`.

use super::stage::{Asked, KEY, Stage};
use crate::place::Tried;
use crate::seven::need;

const TOOL: &str = "connect_billing";
const SECRET: &str = "input[name=api_key]";
const SAVE: &str = "button[value=save]";

fn still_open(stage: &Stage, asked: &Asked) -> Tried<()> {
    need(!stage.billing.is_done(asked)?, || {
        "the page was finished by somebody else".to_owned()
    })
}

/// Alice starts, Eve clicks. Eve sees nothing of it; "not you" leads back to the page for its owner.
pub(super) fn wrong_person(stage: &mut Stage) -> Tried<()> {
    let asked = stage.billing.ask("alina", TOOL)?;
    stage.open_as("eve", &asked.link)?;
    stage.heading("This page cannot be shown")?;
    need(!stage.window.has(SECRET)?, || {
        "Eve is shown the form".to_owned()
    })?;
    let shown = stage.window.text("main")?;
    need(
        !shown.contains("alina") && !shown.contains("API key"),
        || format!("Eve learns something: {shown}"),
    )?;
    stage.inspect("wrong-person")?;
    still_open(stage, &asked)?;
    stage.window.send("form[action$=sign-out] button")?;
    stage.sign_in("alina")?;
    stage.heading("Billing key")?;
    stage.window.fill(SECRET, KEY)?;
    stage.window.send(SAVE)?;
    stage.heading("Saved")?;
    need(stage.billing.is_done(&asked)?, || {
        "the owner cannot finish the page".to_owned()
    })
}

pub(super) fn wrong_token(stage: &mut Stage) -> Tried<()> {
    let asked = stage.billing.ask("berta", TOOL)?;
    stage.open_as("berta", &asked.link)?;
    stage
        .window
        .script("document.querySelector('#answers input[name=\":token\"]').value = 'AAAA'")?;
    stage.window.fill(SECRET, KEY)?;
    stage.window.send(SAVE)?;
    stage.heading("This form could not be checked")?;
    stage.no_secret()?;
    stage.inspect("wrong-token")?;
    still_open(stage, &asked)
}

/// Another ticket, another page's name, a cut ticket: each looks as if there were nothing.
pub(super) fn edited_link(stage: &mut Stage) -> Tried<()> {
    let asked = stage.billing.ask("clara", TOOL)?;
    let mallory = stage.billing.ask("mallory", TOOL)?;
    stage.open_as("mallory", &mallory.link)?;
    stage.heading("Billing key")?;
    let (before, ticket) = asked
        .link
        .rsplit_once('/')
        .ok_or("a link without a ticket")?;
    let other_page = asked.link.replace("set_api_key", "set_other_key");
    let cut = asked.link.get(..asked.link.len() - 1).unwrap_or_default();
    let mut texts = Vec::new();
    for link in [
        asked.link.as_str(),
        &other_page,
        cut,
        &format!("{before}/AAAAAAAAAAAAAAAAAAAAAA"),
        &format!("{before}/{ticket}A"),
    ] {
        stage.window.visit(link)?;
        stage.heading("This page cannot be shown")?;
        texts.push(stage.window.text("main")?);
    }
    texts.dedup();
    need(texts.len() == 1, || {
        format!("links that are not hers look different: {texts:?}")
    })?;
    still_open(stage, &asked)
}

/// A page of another site sends the form for a person who is signed in here.
pub(super) fn other_site(stage: &mut Stage) -> Tried<()> {
    let asked = stage.billing.ask("doris", TOOL)?;
    stage.open_as("doris", &asked.link)?;
    let token = stage
        .window
        .told("return document.querySelector('#answers input[name=\":token\"]').value")?;
    // Even with a token that was somehow learnt.
    stage.window.visit(&format!(
        "data:text/html,<form method=post action='{}'><input name=':token' value='{token}'><input name=api_key value=sk_of_mallory><button>Win a prize</button></form>",
        asked.link
    ))?;
    stage.window.send("button")?;
    stage.heading("This form could not be checked")?;
    still_open(stage, &asked)
}

pub(super) fn framed(stage: &mut Stage) -> Tried<()> {
    let asked = stage.billing.ask("elisa", TOOL)?;
    stage.open_as("elisa", &asked.link)?;
    stage.heading("Billing key")?;
    stage.window.visit(&format!(
        "data:text/html,<title>A prize</title><iframe src='{}'></iframe>",
        asked.link
    ))?;
    let shown = stage.window.framed("iframe")?;
    need(shown.starts_with("chrome-error:"), || {
        format!("the browser frames {shown}")
    })?;
    still_open(stage, &asked)
}
