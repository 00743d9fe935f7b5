//! The suite's own list of what conformance to the revision requires, so that ours cannot overlook a scenario.
//!
//! Uses nothing. Reads the few forms of YAML that the list has, and no others.

use crate::place::Tried;

/// The scenarios for servers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Required {
    /// Those that count.
    pub(super) scored: Vec<String>,
    /// Those that are run and do not count, though they are of the revision itself.
    pub(super) unscored: Vec<String>,
    /// Those of extensions.
    pub(super) extensions: Vec<String>,
}

impl Required {
    /// Reads the file of one revision.
    pub(super) fn read(text: &str) -> Tried<Self> {
        let mut required = Self::default();
        let mut section = "";
        let mut scenario = "";
        let mut is_server = false;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if let Some(name) = line.strip_suffix(':').filter(|name| !name.starts_with(' ')) {
                section = name;
                continue;
            }
            let line = line.trim_start();
            match section {
                "server" => required
                    .scored
                    .extend(line.strip_prefix("- ").map(str::to_owned)),
                "not_scored" => {
                    if let Some(name) = line.strip_prefix("- scenario: ") {
                        (scenario, is_server) = (name, false);
                    } else if line == "leg: server" {
                        is_server = true;
                    } else if let Some(reason) = line.strip_prefix("reason: ")
                        && is_server
                    {
                        let list = match reason {
                            "extension" => &mut required.extensions,
                            _ => &mut required.unscored,
                        };
                        list.push(scenario.to_owned());
                    }
                }
                _ => {}
            }
        }
        if required.scored.is_empty() {
            return Err("the suite's list of requirements has another form now".to_owned());
        }
        Ok(required)
    }
}

#[cfg(test)]
mod tests {
    use super::Required;

    #[test]
    fn the_lists_are_told_apart() {
        let text = "# all\nserver:\n  - a\n  - b\n\nclient:\n  - c\n\nnot_scored:\n  - scenario: d\n    leg: client\n    \
                    reason: pending\n  - scenario: e\n    leg: server\n    reason: extension\n    note: >-\n      what\n  \
                    - scenario: f\n    leg: server\n    reason: pending\n";
        let names = |all: &[&str]| all.iter().map(|&name| name.to_owned()).collect();
        let wanted = Required {
            scored: names(&["a", "b"]),
            unscored: names(&["f"]),
            extensions: names(&["e"]),
        };
        assert_eq!(Required::read(text), Ok(wanted));
        assert!(Required::read("tests:\n  - a\n").is_err());
    }
}
