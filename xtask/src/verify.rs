//! `cargo xtask verify`: every judge from outside, one after the other.
//!
//! Uses the judges. A judge that cannot run on this machine is skipped, and the run says so; continuous integration
//! allows no skip.

use crate::place::Tried;
use crate::{browser, clients, conformance, seven};

/// What came of one judge.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// All is well, and what that means.
    Passed(String),
    /// What is wrong, one text for each fault.
    Failed(Vec<String>),
    /// It could not run here, and why.
    Skipped(String),
}

type Judge = (&'static str, fn() -> Outcome);

/// Every judge, in the order in which they run.
const JUDGES: [Judge; 4] = [
    ("seven", seven::run),
    ("browser", browser::run),
    ("conformance", conformance::run),
    ("clients", clients::run),
];

/// Runs the named judges, or all.
pub(crate) fn run(names: &[String], nothing_skipped: bool) -> Tried<()> {
    if let Some(unknown) = names
        .iter()
        .find(|name| !JUDGES.iter().any(|(judge, _)| judge == name))
    {
        let known: Vec<&str> = JUDGES.iter().map(|(judge, _)| *judge).collect();
        return Err(format!(
            "unknown judge `{unknown}`; known: {}",
            known.join(", ")
        ));
    }
    let chosen = JUDGES
        .iter()
        .filter(|(judge, _)| names.is_empty() || names.iter().any(|name| name == judge));
    let outcomes: Vec<Outcome> = chosen.map(|(judge, run)| told(judge, run())).collect();
    let count =
        |wanted: fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| wanted(outcome)).count();
    let passed = count(|outcome| matches!(outcome, Outcome::Passed(_)));
    let failed = count(|outcome| matches!(outcome, Outcome::Failed(_)));
    let skipped = count(|outcome| matches!(outcome, Outcome::Skipped(_)));
    println!("verify: {passed} passed, {failed} failed, {skipped} skipped");
    match (failed, skipped) {
        (0, 0) => Ok(()),
        (0, _) if !nothing_skipped => Ok(()),
        (0, _) => Err("a judge was skipped, and none may be".to_owned()),
        _ => Err("verification failed".to_owned()),
    }
}

fn told(judge: &str, outcome: Outcome) -> Outcome {
    match &outcome {
        Outcome::Passed(what) => println!("ok       {judge}: {what}"),
        Outcome::Skipped(why) => println!("SKIPPED  {judge}: {why}"),
        Outcome::Failed(faults) => {
            println!("FAILED   {judge}: {} fault(s)", faults.len());
            for fault in faults {
                println!("  - {fault}");
            }
        }
    }
    outcome
}
