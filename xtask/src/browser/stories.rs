//! What the people that a page was made for do with it.
//!
//! Uses `stage`.

use std::thread::sleep;
use std::time::Duration;

use super::stage::{BRIEF, KEY, Stage};
use super::window::{ALL, TAB};
use crate::json::Json;
use crate::place::Tried;
use crate::seven::need;

const TOOL: &str = "connect_billing";
const SECRET: &str = "input[name=api_key]";
const SAVE: &str = "button[value=save]";
const DECLINE: &str = "main button[form=decline]";

pub(super) fn saved(stage: &mut Stage) -> Tried<()> {
    let asked = stage.billing.ask("alice", TOOL)?;
    stage.window.visit(&asked.link)?;
    stage.inspect("sign-in")?;
    stage.window.clear("#name")?;
    stage.window.fill("#name", " ")?;
    stage.window.send("main button")?;
    stage.inspect("sign-in-mistake")?;
    stage.sign_in("alice")?;
    stage.heading("Billing key")?;
    stage.inspect("ask")?;
    let kind = stage
        .window
        .told("return document.querySelector('input[name=api_key]').type")?;
    need(kind == "password", || {
        format!("the secret is typed into a field of type {kind}")
    })?;
    need(!stage.billing.is_done(&asked)?, || {
        "done before the page was".to_owned()
    })?;
    stage.window.fill(SECRET, KEY)?;
    stage.window.fill("input[name=label]", "Main account")?;
    stage.window.send(SAVE)?;
    stage.heading("Saved")?;
    stage.no_secret()?;
    stage.inspect("saved")?;
    need(stage.billing.is_done(&asked)?, || {
        "the retry does not find what was saved".to_owned()
    })
}

/// Neither the history nor a reload brings back what was typed, or sends it again.
pub(super) fn back_again(stage: &mut Stage) -> Tried<()> {
    let asked = stage.billing.ask("bettina", TOOL)?;
    stage.open_as("bettina", &asked.link)?;
    stage.window.fill(SECRET, KEY)?;
    stage.window.send(SAVE)?;
    stage.heading("Saved")?;
    stage.window.reload()?;
    stage.heading("Saved")?;
    stage.window.back()?;
    stage.no_secret()?;
    stage.window.visit(&asked.link)?;
    stage.heading("Saved")
}

/// What the second tab sends is not taken, and the person is told so.
pub(super) fn two_tabs(stage: &mut Stage) -> Tried<()> {
    let asked = stage.billing.ask("carla", TOOL)?;
    stage.open_as("carla", &asked.link)?;
    let first = stage.window.tab()?;
    stage.window.visit(&asked.link)?;
    stage.window.fill(SECRET, KEY)?;
    stage.window.send(SAVE)?;
    stage.heading("Saved")?;
    stage.window.close_tab(&first)?;
    stage.window.fill(SECRET, "sk_live_another")?;
    stage.window.send(SAVE)?;
    stage.heading("This is already done")?;
    stage.inspect("already-done")
}

pub(super) fn declined(stage: &mut Stage) -> Tried<()> {
    let asked = stage.billing.ask("dora", TOOL)?;
    stage.open_as("dora", &asked.link)?;
    stage.window.send(DECLINE)?;
    stage.heading("Declined")?;
    stage.inspect("declined")?;
    need(stage.billing.is_done(&asked)?, || {
        "the tool is not told that the user declined".to_owned()
    })?;
    // Nothing was saved: the next call asks anew.
    let again = stage.billing.ask("dora", TOOL)?;
    need(again.link != asked.link, || {
        "a page that was declined is given again".to_owned()
    })
}

/// Each mistake is beside its field, what was typed is kept except for secrets, and the first mistake has the focus.
pub(super) fn mistakes(stage: &mut Stage) -> Tried<()> {
    let asked = stage.pages.ask("fay", "connect_warehouse")?;
    stage.open_as("fay", &asked.link)?;
    stage.inspect("every-field")?;
    let window = &stage.window;
    window.fill("input[name=owner]", "fay@example.com")?;
    window.fill("input[name=password]", KEY)?;
    window.click("input[name=region][value=eu]")?;
    window.click("input[name=jobs][value=backup]")?;
    window.fill("textarea[name=certificate]", KEY)?;
    window.send(SAVE)?;
    stage.inspect("mistakes")?;
    stage.no_secret()?;
    let value = |css: &str| {
        stage
            .window
            .told(&format!("return document.querySelector('{css}').value"))
    };
    let owner = value("input[name=owner]")?;
    need(owner == "fay@example.com", || {
        format!("the typed address came back as `{owner}`")
    })?;
    need(value("input[name=region]:checked")? == "eu", || {
        "the choice did not come back".to_owned()
    })?;
    let focus = stage.window.told("return document.activeElement.name")?;
    need(focus == "password", || {
        format!("the focus is at `{focus}`, not at the first mistake")
    })?;
    let said = stage.window.told(
        "const e = document.activeElement; return e.getAttribute('aria-invalid') + ' ' + e.getAttribute('aria-describedby').split(' ').map(i => document.getElementById(i).textContent).join(' ')",
    )?;
    need(said.starts_with("true Error:"), || {
        format!("the field's mistake is not said: {said}")
    })?;
    let title = stage.window.told("return document.title")?;
    need(title.starts_with("Error: "), || {
        format!("the title does not say that something is wrong: {title}")
    })?;
    need(!stage.pages.is_done(&asked)?, || {
        "mistakes were saved".to_owned()
    })?;
    stage
        .window
        .fill("input[name=password]", "wh_secret_value")?;
    stage
        .window
        .fill("textarea[name=certificate]", "-----BEGIN X-----")?;
    stage.window.send(SAVE)?;
    stage.heading("Saved")?;
    need(stage.pages.is_done(&asked)?, || {
        "the mended form was not taken".to_owned()
    })
}

/// With script there is a button that shows the secret; it is hidden again when the form is sent.
pub(super) fn shown_and_hidden(stage: &mut Stage) -> Tried<()> {
    let asked = stage.billing.ask("gerda", TOOL)?;
    stage.open_as("gerda", &asked.link)?;
    stage.window.fill(SECRET, KEY)?;
    let kind = || {
        stage
            .window
            .told("return document.querySelector('input[name=api_key]').type")
    };
    stage.window.click("button.reveal")?;
    need(kind()? == "text", || "the secret is not shown".to_owned())?;
    let named = stage
        .window
        .told("return document.querySelector('button.reveal').ariaLabel")?;
    need(named == "Hide Api key", || {
        format!("the button is called `{named}`")
    })?;
    stage.inspect("secret-shown")?;
    stage.window.click("button.reveal")?;
    need(kind()? == "password", || {
        "the secret is not hidden again".to_owned()
    })?;
    stage.window.send(SAVE)?;
    stage.heading("Saved")
}

/// `/ui` shows what is kept, replaces it and removes it; a removed one is asked for again.
pub(super) fn removed(stage: &mut Stage) -> Tried<()> {
    let list = stage.billing.url("/ui");
    stage.open_as("hanna", &list)?;
    stage.heading("Stored credentials")?;
    stage.inspect("stored-none")?;
    let asked = stage.billing.ask("hanna", TOOL)?;
    stage.window.visit(&asked.link)?;
    stage.window.fill(SECRET, KEY)?;
    stage.window.send(SAVE)?;
    need(stage.billing.is_done(&asked)?, || "not saved".to_owned())?;
    stage.window.visit(&list)?;
    stage.inspect("stored-one")?;
    stage.no_secret()?;
    stage.window.send("form[action$=set_api_key] button")?;
    stage.heading("Billing key")?;
    stage.inspect("replace")?;
    stage.window.fill(SECRET, "sk_live_the_next_one")?;
    stage.window.send(SAVE)?;
    stage.heading("Saved")?;
    stage.window.visit(&list)?;
    stage.window.send("form[action$=remove] button")?;
    stage.heading("Stored credentials")?;
    let left = stage
        .window
        .script("return document.querySelectorAll('form[action$=remove]').length")?;
    need(left == Json::Number(0.0), || "it is still there".to_owned())?;
    stage.billing.ask("hanna", TOOL).map(drop)
}

/// For clients that cannot open links: the plain address asks to sign in and then for the credential.
pub(super) fn without_a_link(stage: &mut Stage) -> Tried<()> {
    stage.open_as("iris", &stage.billing.url("/ui/set_api_key"))?;
    stage.heading("Billing key")?;
    stage.inspect("start")?;
    stage.window.send("#start button")?;
    stage.window.fill(SECRET, KEY)?;
    stage.window.send(SAVE)?;
    stage.heading("Saved")
}

pub(super) fn expired(stage: &mut Stage) -> Tried<()> {
    let asked = stage.brief.ask("jana", TOOL)?;
    stage.open_as("jana", &asked.link)?;
    stage.heading("Billing key")?;
    stage.window.fill(SECRET, KEY)?;
    sleep(Duration::from_secs(BRIEF + 1));
    stage.window.send(SAVE)?;
    stage.heading("This page cannot be shown")?;
    stage.no_secret()?;
    stage.inspect("expired")?;
    stage.window.visit(&asked.link)?;
    stage.heading("This page cannot be shown")
}

/// Who is not signed in any more when they save is told so, and comes back to an empty form.
pub(super) fn signed_out(stage: &mut Stage) -> Tried<()> {
    let asked = stage.billing.ask("mona", TOOL)?;
    stage.open_as("mona", &asked.link)?;
    stage.window.fill(SECRET, KEY)?;
    stage.window.forget()?;
    stage.window.send(SAVE)?;
    stage.heading("You are signed out")?;
    stage.no_secret()?;
    stage.inspect("signed-out")?;
    stage.window.send("main a")?;
    stage.sign_in("mona")?;
    stage.heading("Billing key")?;
    stage.no_secret()?;
    need(!stage.billing.is_done(&asked)?, || {
        "it was saved for nobody".to_owned()
    })
}

pub(super) fn without_script(stage: &mut Stage) -> Tried<()> {
    stage.window.scripts(false)?;
    let asked = stage.billing.ask("karin", TOOL)?;
    stage.open_as("karin", &asked.link)?;
    need(!stage.window.has("button.reveal")?, || {
        "a button that needs a script is there without one".to_owned()
    })?;
    stage.window.fill(SECRET, KEY)?;
    stage.window.send(SAVE)?;
    stage.heading("Saved")?;
    need(stage.billing.is_done(&asked)?, || "not saved".to_owned())
}

/// Tab, type and Enter are enough, and the focus can be seen.
pub(super) fn by_keyboard(stage: &mut Stage) -> Tried<()> {
    let asked = stage.billing.ask("lena", TOOL)?;
    stage.window.visit(&asked.link)?;
    // The cursor is in the name's field, with a usual name in it.
    stage.window.keys(&format!("{ALL}lena"))?;
    stage.window.enter()?;
    stage.heading("Billing key")?;
    go_to(stage, "e.name === 'api_key'")?;
    stage.window.keys(KEY)?;
    go_to(stage, "e.name === 'label'")?;
    stage.window.keys("Main")?;
    go_to(stage, "e.value === 'save'")?;
    let outline = stage
        .window
        .told("return getComputedStyle(document.activeElement).outlineStyle")?;
    need(outline != "none", || "the focus cannot be seen".to_owned())?;
    stage.inspect("focus")?;
    stage.window.enter()?;
    stage.heading("Saved")?;
    need(stage.billing.is_done(&asked)?, || "not saved".to_owned())
}

/// Presses Tab until the element with the focus is the wanted one.
fn go_to(stage: &Stage, wanted: &str) -> Tried<()> {
    for _ in 0..20 {
        stage.window.keys(TAB)?;
        let script = format!("const e = document.activeElement; return {wanted}");
        if stage.window.script(&script)? == Json::Bool(true) {
            return Ok(());
        }
    }
    Err(format!("Tab never comes to where {wanted}"))
}

pub(super) fn nowhere(stage: &mut Stage) -> Tried<()> {
    stage.window.visit(&stage.billing.url("/ui/a/b/c"))?;
    stage.heading("Not found")?;
    stage.inspect("not-found")
}
