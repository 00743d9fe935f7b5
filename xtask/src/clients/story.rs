//! The table of stories, and whether what a driver wrote is what it says.
//!
//! Uses `json`. Knows neither clients nor processes.

use crate::json::Json;
use crate::place::Tried;
use crate::seven::need;

/// One line of the table.
#[derive(Debug)]
pub(super) struct Story {
    name: String,
    json: Json,
}

impl Story {
    /// Reads the table.
    pub(super) fn read(text: &str) -> Tried<Vec<Self>> {
        let table = Json::read(text)?;
        let story = |json: &Json| {
            let name = json.get("story").and_then(Json::text);
            Ok(Self {
                name: name.ok_or("a story without a name")?.to_owned(),
                json: json.clone(),
            })
        };
        table.list().iter().map(story).collect()
    }

    /// What is wanted of `client`, unless the story is not for it.
    fn wanted(&self, client: &str) -> Option<&Json> {
        if self.json.at(&["not", client]).is_some() {
            return None;
        }
        Some(self.json.at(&["instead", client]).unwrap_or(&self.json))
    }

    /// The error that the server answers `client`, if it does.
    pub(super) fn code_sent(&self, client: &str) -> Option<i64> {
        let wanted = self.wanted(client)?;
        let code = wanted.get("code")?.integer();
        code.filter(|_| wanted.get("local").is_none())
    }

    /// What the handler prints, if it does.
    pub(super) fn prints(&self, client: &str) -> Option<&str> {
        self.wanted(client)?.get("prints")?.text()
    }

    /// How many requests `client` sends for it: a round that is too many, or a retry too early, shows here.
    pub(super) fn calls(&self, client: &str) -> i64 {
        let calls = self.wanted(client).and_then(|wanted| wanted.get("calls"));
        calls.and_then(Json::integer).unwrap_or_default()
    }

    /// Looks for the story in all that the driver wrote.
    pub(super) fn judge(&self, client: &str, lines: &[Json]) -> Tried<()> {
        let is_this = |line: &&Json| line.get("story").and_then(Json::text) == Some(&self.name);
        let found: Vec<&Json> = lines.iter().filter(is_this).collect();
        let fault = match (self.wanted(client), found.as_slice()) {
            (None, []) => return Ok(()),
            (None, _) => Err("told, and is not for this client".to_owned()),
            (Some(wanted), [line]) => {
                fits(wanted, line).map_err(|fault| format!("{fault}: {line:?}"))
            }
            (Some(_), found) => Err(format!("told {} times", found.len())),
        };
        fault.map_err(|fault| format!("{}: {fault}", self.name))
    }
}

fn fits(wanted: &Json, line: &Json) -> Tried<()> {
    let code = wanted.get("code");
    match line.get("code") {
        // The client says that there was an error, but not which.
        Some(Json::Null) => need(code.is_some(), || "an error".to_owned())?,
        told => need(told == code, || format!("error {told:?}, not {code:?}"))?,
    }
    if code.is_none() {
        let is_error = wanted.get("isError").unwrap_or(&Json::Bool(false));
        need(line.get("isError") == Some(is_error), || {
            format!("`isError` is not {is_error:?}")
        })?;
    }
    let text = wanted.get("text").and_then(Json::text).unwrap_or_default();
    let told = line.get("text").and_then(Json::text).unwrap_or_default();
    need(!text.is_empty() && told.contains(text), || {
        format!("the text has no \"{text}\"")
    })?;
    asked(wanted, line)
}

/// The questions, in whatever order: those of one round are asked as the client likes.
fn asked(wanted: &Json, line: &Json) -> Tried<()> {
    let texts = |json: &Json| {
        let asked = json.get("asked").map(Json::list).unwrap_or_default();
        let texts = asked.iter().filter_map(Json::text).map(str::to_owned);
        texts.collect::<Vec<String>>()
    };
    let mut told = texts(line);
    // The longest first, since one may be the start of another.
    told.sort_by_key(String::len);
    for part in texts(wanted).iter().rev() {
        let at = told
            .iter()
            .rposition(|message| message.contains(part.as_str()));
        let at = at.ok_or_else(|| format!("no question with \"{part}\""))?;
        told.remove(at);
    }
    need(told.is_empty(), || format!("asked too much: {told:?}"))
}

#[cfg(test)]
mod tests {
    use super::Story;
    use crate::json::Json;

    const TABLE: &str = r#"[
        {"story":"a","asked":["Who?","x: must"],"calls":3,"text":"done"},
        {"story":"b","asked":[],"code":-1,"text":"needs","not":{"two":"why"}},
        {"story":"c","asked":["Who?"],"text":"ok","instead":{"two":{"asked":["Who?"],"code":-2,"text":"no","local":true}}}
    ]"#;

    fn judged(client: &str, lines: &str) -> String {
        let lines = Json::read(lines).unwrap();
        let stories = Story::read(TABLE).unwrap();
        let faults = stories
            .iter()
            .map(|story| story.judge(client, lines.list()));
        faults
            .filter_map(Result::err)
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn what_fits_is_quiet() {
        let lines = r#"[{"story":"a","asked":["Who? x: must be","Who?"],"isError":false,"text":"all done"},
            {"story":"b","asked":[],"code":null,"text":"it needs that"},
            {"story":"c","asked":["Who?"],"isError":false,"text":"ok"}]"#;
        assert_eq!(judged("one", lines), "");
        let lines = r#"[{"story":"a","asked":["Who?","Who? x: must be"],"isError":false,"text":"done"},
            {"story":"c","asked":["Who?"],"code":-2,"text":"no"}]"#;
        assert_eq!(judged("two", lines), "");
        let stories = Story::read(TABLE).unwrap();
        let codes = |client| {
            stories
                .iter()
                .filter_map(|it| it.code_sent(client))
                .collect::<Vec<_>>()
        };
        assert_eq!((codes("one"), codes("two")), (vec![-1], vec![]));
        let calls: Vec<i64> = stories.iter().map(|it| it.calls("two")).collect();
        assert_eq!(calls, [3, 0, 0]);
    }

    #[test]
    fn whatever_does_not_fit_is_named() {
        let lines = r#"[{"story":"a","asked":["Who?"],"isError":false,"text":"done"},
            {"story":"b","asked":[],"code":-3,"text":"needs"},
            {"story":"c","asked":["Who?","Who?"],"isError":false,"text":"ok"}]"#;
        let faults = judged("one", lines);
        for part in ["a: no question with", "b: error", "c: asked too much"] {
            assert!(faults.contains(part), "{faults}");
        }
        let lines = r#"[{"story":"a","asked":["Who?","x: must"],"isError":true,"text":"done"},
            {"story":"b","asked":[],"isError":false,"text":"needs"},
            {"story":"c","asked":["Who?"],"isError":false,"text":"no"}]"#;
        let faults = judged("two", lines);
        for part in ["a: `isError`", "b: told, and is not", "c: error"] {
            assert!(faults.contains(part), "{faults}");
        }
        assert!(judged("one", "[]").contains("c: told 0 times"));
    }
}
