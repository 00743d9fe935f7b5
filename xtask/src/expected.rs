//! The list of scenarios that must pass, and how a report of the suite is judged by it.
//!
//! Uses nothing. Knows neither files nor processes, so that the rules can be tested alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::place::Tried;

/// Scenario name to the checks of it that may fail.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    scenarios: BTreeMap<String, BTreeSet<String>>,
}

/// How one check of a scenario came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Check {
    /// The suite's name for the check.
    pub(crate) id: String,
    /// What the suite says about it.
    pub(crate) verdict: Verdict,
    /// Why, when it failed.
    pub(crate) reason: String,
}

/// What the suite says about a check. A broken SHOULD counts as a failure here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The requirement is met.
    Passed,
    /// It is not, or only a recommendation is not.
    Failed,
    /// It does not apply, or is only information.
    Silent,
}

impl Expected {
    /// Reads the list: a scenario and its excepted checks on each line, `#` starts a comment.
    pub(crate) fn read(text: &str) -> Tried<Self> {
        let mut scenarios = BTreeMap::new();
        for line in text.lines() {
            let mut words = line.split('#').next().unwrap_or("").split_whitespace();
            let Some(name) = words.next() else { continue };
            let mut excepted = BTreeSet::new();
            for word in words {
                let check = word.strip_prefix('-').ok_or_else(|| {
                    format!("`{word}` after `{name}` is no excepted check: write `-{word}`")
                })?;
                excepted.insert(check.to_owned());
            }
            if scenarios.insert(name.to_owned(), excepted).is_some() {
                return Err(format!("`{name}` is listed twice"));
            }
        }
        Ok(Self { scenarios })
    }

    /// How many scenarios must pass.
    pub(crate) fn len(&self) -> usize {
        self.scenarios.len()
    }

    /// Whether this one must pass.
    pub(crate) fn has(&self, scenario: &str) -> bool {
        self.scenarios.contains_key(scenario)
    }

    /// Everything about `report` (scenario name to checks) that does not fit the list, one text each.
    pub(crate) fn judge(&self, report: &BTreeMap<String, Vec<Check>>) -> Vec<String> {
        let mut faults = Vec::new();
        for name in self
            .scenarios
            .keys()
            .filter(|name| !report.contains_key(*name))
        {
            faults.push(format!(
                "{name}: must pass, but the suite did not report it"
            ));
        }
        for (name, checks) in report {
            let failed = || {
                checks
                    .iter()
                    .filter(|check| check.verdict == Verdict::Failed)
            };
            let passed = |id: &str| {
                checks
                    .iter()
                    .any(|check| check.id == id && check.verdict == Verdict::Passed)
            };
            let Some(excepted) = self.scenarios.get(name) else {
                if failed().next().is_none()
                    && checks.iter().any(|check| check.verdict == Verdict::Passed)
                {
                    faults.push(format!("{name}: passes; add it to the list"));
                }
                continue;
            };
            for check in failed().filter(|check| !excepted.contains(&check.id)) {
                faults.push(format!("{name}: {} failed: {}", check.id, check.reason));
            }
            // A check may occur several times; it is met only if no occurrence failed.
            for id in excepted
                .iter()
                .filter(|id| passed(id) && !failed().any(|check| check.id == **id))
            {
                faults.push(format!(
                    "{name}: {id} passes; remove its exception from the list"
                ));
            }
            if !checks.iter().any(|check| check.verdict == Verdict::Passed) {
                faults.push(format!(
                    "{name}: must pass, but no check of it was carried out"
                ));
            }
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Check, Expected, Verdict};

    fn report(scenario: &str, checks: &[(&str, Verdict)]) -> BTreeMap<String, Vec<Check>> {
        let checks = checks.iter().map(|(id, verdict)| Check {
            id: (*id).to_owned(),
            verdict: *verdict,
            reason: "why".to_owned(),
        });
        BTreeMap::from([(scenario.to_owned(), checks.collect())])
    }

    #[test]
    fn what_fits_is_quiet() {
        let expected = Expected::read("# all\none -b # still open\n\n").unwrap();
        assert_eq!(expected.len(), 1);
        let checks = [
            ("a", Verdict::Passed),
            ("b", Verdict::Failed),
            ("b", Verdict::Passed),
            ("c", Verdict::Silent),
        ];
        assert!(expected.judge(&report("one", &checks)).is_empty());
    }

    #[test]
    fn an_unlisted_failure_is_quiet_and_so_is_one_that_says_nothing() {
        let expected = Expected::default();
        assert!(
            expected
                .judge(&report(
                    "one",
                    &[("a", Verdict::Passed), ("b", Verdict::Failed)]
                ))
                .is_empty()
        );
        assert!(
            expected
                .judge(&report("one", &[("a", Verdict::Silent)]))
                .is_empty()
        );
    }

    #[test]
    fn whatever_does_not_fit_is_named() {
        let expected = Expected::read("one -b").unwrap();
        let only = |checks: &[(&str, Verdict)]| expected.judge(&report("one", checks)).join("\n");
        assert!(
            only(&[
                ("a", Verdict::Failed),
                ("b", Verdict::Failed),
                ("c", Verdict::Passed)
            ])
            .contains("one: a failed: why")
        );
        assert!(
            only(&[("a", Verdict::Passed), ("b", Verdict::Passed)]).contains("b passes; remove")
        );
        assert!(only(&[("a", Verdict::Silent)]).contains("no check of it was carried out"));
        assert!(
            expected
                .judge(&BTreeMap::new())
                .join("\n")
                .contains("did not report it")
        );
        assert!(
            Expected::default()
                .judge(&report("two", &[("a", Verdict::Passed)]))
                .join("\n")
                .contains("add it to the list")
        );
    }

    #[test]
    fn a_bad_list_is_refused() {
        assert!(Expected::read("one two").is_err());
        assert!(Expected::read("one\none").is_err());
    }
}
