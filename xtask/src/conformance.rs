//! The official conformance suite against the `everything` example.
//!
//! Uses `npm`, `server`, `recorder`, `schema`, `expected` and `json`. The suite's own exit code is not used: it fails for every scenario that is not
//! served yet, and passes a scenario whose recommendations are broken. What counts is the list in `verify/`.

mod required;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::expected::{Check, Expected, Verdict};
use crate::json::Json;
use crate::npm::{Missing, Packages};
use crate::place::{self, Tried};
use crate::recorder::Recorder;
use crate::schema::{self, Whose};
use crate::server::{self, Server};
use crate::verify::Outcome;
use required::Required;

/// The suite's package.
const SUITE: &str = "@modelcontextprotocol/conformance";
/// The revision whose frozen set of scenarios is run.
const REVISION: &str = "2026-07-28";

/// Runs the suite and judges its report.
pub(crate) fn run() -> Outcome {
    let packages = match Packages::install() {
        Ok(packages) => packages,
        Err(Missing::Here(reason)) => return Outcome::Skipped(reason),
        Err(Missing::Broken(reason)) => return Outcome::Failed(vec![reason]),
    };
    judged(&packages).unwrap_or_else(|fault| Outcome::Failed(vec![fault]))
}

fn judged(packages: &Packages) -> Tried<Outcome> {
    let list = place::root()
        .join("xtask")
        .join("verify")
        .join(format!("conformance-{REVISION}.txt"));
    let expected = Expected::read(&place::text(&list)?)?;
    let required = packages.text(&format!("{SUITE}/requirements/{REVISION}.yaml"))?;
    let required = Required::read(&required)?;
    let program = server::build("everything")?;
    let work = place::emptied(place::work()?.join("conformance"))?;
    let data = place::directory(work.join("data"))?;
    let results = place::directory(work.join("results"))?;

    let mut server = Server::start(&program, &data, &[])?;
    let recorder = Recorder::start(server.address())?;
    let url = format!("http://{}/mcp", recorder.address());
    let mut suite = packages.run(&format!("{SUITE}/dist/index.js"));
    suite
        .args([
            "server",
            "--url",
            &url,
            "--requirements",
            REVISION,
            "--output-dir",
        ])
        .arg(&results);
    let log = work.join("suite.log");
    // Fails as long as a scenario of the set is not served; the report tells what it found.
    let ended = place::quietly(&mut suite, &log);
    if !server.alive() {
        return Err(format!(
            "the server ended during the suite:\n{}",
            server.said()
        ));
    }
    let report = report(&results)?;
    if report.is_empty() {
        return Err(format!(
            "the suite reported nothing\n{}",
            ended.err().unwrap_or_default()
        ));
    }
    let mut faults = expected.judge(&report);
    // What is not of an extension has to pass, whether it counts or not.
    let own = required.scored.iter().chain(&required.unscored);
    let missing = own.filter(|name| !expected.has(name));
    faults.extend(missing.map(|name| format!("{name}: is of {REVISION} and not in the list")));
    // What the suite sends is wrong at times, on purpose.
    let (messages, wrong) = schema::check(packages, &recorder.exchanges()?, Whose::Server)?;
    faults.extend(wrong);
    Ok(if faults.is_empty() {
        Outcome::Passed(format!(
            "the {} scored scenarios of {REVISION} pass and {} of the {} others, {messages} messages as the schema says",
            required.scored.len(),
            expected.len() - required.scored.len(),
            required.unscored.len() + required.extensions.len(),
        ))
    } else {
        Outcome::Failed(faults)
    })
}

/// Reads what the suite left: a folder `server-SCENARIO-TIME` with a `checks.json` for each scenario.
fn report(results: &Path) -> Tried<BTreeMap<String, Vec<Check>>> {
    let mut report = BTreeMap::new();
    let unread = |error| format!("cannot read {}: {error}", results.display());
    for entry in fs::read_dir(results).map_err(unread)? {
        let entry = entry.map_err(unread)?;
        let folder = entry.file_name();
        let Some(scenario) = folder.to_str().and_then(scenario) else {
            continue;
        };
        let file = entry.path().join("checks.json");
        // Without the file the scenario broke off; it then counts as not reported.
        if file.is_file() {
            report.insert(scenario.to_owned(), checks(&place::text(&file)?)?);
        }
    }
    Ok(report)
}

/// The scenario's name: the time after it has the form `2026-01-31T10-20-30-456Z`.
fn scenario(folder: &str) -> Option<&str> {
    let named = folder.strip_prefix("server-")?;
    let name = named.get(..named.len().checked_sub("-2026-01-31T10-20-30-456Z".len())?)?;
    named.get(name.len()..)?.starts_with("-2").then_some(name)
}

fn checks(text: &str) -> Tried<Vec<Check>> {
    let told = |check: &Json, name: &str| {
        check
            .get(name)
            .and_then(Json::text)
            .unwrap_or_default()
            .to_owned()
    };
    let check = |check: &Json| Check {
        id: told(check, "id"),
        verdict: match told(check, "status").as_str() {
            "SUCCESS" => Verdict::Passed,
            "FAILURE" | "WARNING" => Verdict::Failed,
            _ => Verdict::Silent,
        },
        reason: told(check, "errorMessage"),
    };
    Ok(Json::read(text)?.list().iter().map(check).collect())
}

#[cfg(test)]
mod tests {
    use super::{checks, scenario};
    use crate::expected::Verdict;

    #[test]
    fn a_folder_names_its_scenario() {
        assert_eq!(
            scenario("server-tools-list-2026-12-01T09-46-47-637Z"),
            Some("tools-list")
        );
        assert_eq!(scenario("server-x"), None);
        assert_eq!(scenario("client-tools-list-2026-12-01T09-46-47-637Z"), None);
    }

    #[test]
    fn a_warning_is_a_failure() {
        let text = r#"[{"id":"a","status":"WARNING","errorMessage":"m"},{"id":"b","status":"SKIPPED"},{"id":"c","status":"SUCCESS"}]"#;
        let verdicts: Vec<Verdict> = checks(text)
            .unwrap()
            .iter()
            .map(|check| check.verdict)
            .collect();
        assert_eq!(
            verdicts,
            [Verdict::Failed, Verdict::Silent, Verdict::Passed]
        );
    }
}
