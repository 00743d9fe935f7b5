//! The pages in a real Chromium: what a person sees, types and clicks, and what an attacker tries.
//!
//! Uses `server` for the examples under test, `seven::mcp` for the client's side, and `window` for the browser.
//! Pictures of every page in every state are kept in the target directory for people to look at.

mod attacks;
mod debian;
mod driver;
mod inspect;
mod stage;
mod stories;
mod window;

use crate::npm::{Missing, Packages};
use crate::place::{self, Tried};
use crate::verify::Outcome;
use stage::Stage;

type Story = (&'static str, fn(&mut Stage) -> Tried<()>);

/// Each story has users of its own, so that none finds what another stored.
const STORIES: [Story; 18] = [
    ("sign in, fill in, save, go on", stories::saved),
    ("the back button, and the link again", stories::back_again),
    ("two tabs", stories::two_tabs),
    ("declined on the page", stories::declined),
    ("mistakes are shown beside the fields", stories::mistakes),
    ("show and hide a secret", stories::shown_and_hidden),
    ("replace and remove what is stored", stories::removed),
    ("a page without a link", stories::without_a_link),
    ("the link has expired", stories::expired),
    ("signed out in between", stories::signed_out),
    ("no script", stories::without_script),
    ("no mouse", stories::by_keyboard),
    ("no such page", stories::nowhere),
    ("the wrong person", attacks::wrong_person),
    ("a form with the wrong token", attacks::wrong_token),
    ("a link that was edited", attacks::edited_link),
    ("a form of another site", attacks::other_site),
    ("the page in a frame", attacks::framed),
];

/// Tells all stories; one that fails does not stop the next.
pub(crate) fn run() -> Outcome {
    let programs = match debian::programs() {
        Ok(programs) => programs,
        Err(why) => return Outcome::Skipped(why),
    };
    let packages = match Packages::install() {
        Ok(packages) => packages,
        Err(Missing::Here(why)) => return Outcome::Skipped(why),
        Err(Missing::Broken(why)) => return Outcome::Failed(vec![why]),
    };
    let mut stage = match Stage::new(&programs, &packages) {
        Ok(stage) => stage,
        Err(fault) => return Outcome::Failed(vec![fault]),
    };
    let mut faults = Vec::new();
    for (name, story) in STORIES {
        if let Err(fault) = stage.fresh().and_then(|()| story(&mut stage)) {
            // What the person would see now.
            let path = stage.inspector.pictures.join("failed.png");
            let seen = match stage.window.picture(&path) {
                Ok(()) => format!("see {}", path.display()),
                Err(fault) => fault,
            };
            faults.push(format!("{name}: {fault}; {seen}"));
            if !stage.is_alive() {
                faults.push("a server ended".to_owned());
                break;
            }
        }
    }
    if faults.is_empty() {
        Outcome::Passed(format!(
            "all {} stories, with pictures in {}",
            STORIES.len(),
            stage
                .inspector
                .pictures
                .strip_prefix(place::root())
                .unwrap_or(&stage.inspector.pictures)
                .display()
        ))
    } else {
        Outcome::Failed(faults)
    }
}
