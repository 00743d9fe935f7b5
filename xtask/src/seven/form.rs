//! What a browser needs to know of a page: its forms and their controls.
//!
//! Uses nothing. Reads tags and attributes as the pages of the library write them, not HTML at large.

/// A form as found in a page.
#[derive(Debug, Default, Clone)]
pub(crate) struct Form {
    pub(crate) action: String,
    pub(crate) method: String,
    pub(crate) controls: Vec<Control>,
}

/// An input, a text area or a button with a name.
#[derive(Debug, Default, Clone)]
pub(crate) struct Control {
    pub(crate) name: String,
    /// `hidden`, `text`, `password`, `submit`, `textarea`, ..
    pub(crate) kind: String,
    pub(crate) value: String,
}

impl Form {
    /// Whether a person could fill in a control of this name.
    pub(crate) fn asks(&self, name: &str) -> bool {
        self.controls
            .iter()
            .any(|control| control.name == name && !control.is_hidden() && !control.is_button())
    }
}

impl Control {
    pub(crate) fn is_hidden(&self) -> bool {
        self.kind == "hidden"
    }

    pub(crate) fn is_button(&self) -> bool {
        self.kind == "submit" || self.kind == "button"
    }
}

/// All forms of a page, in order.
pub(crate) fn forms(page: &str) -> Vec<Form> {
    let mut forms: Vec<Form> = Vec::new();
    for (name, attributes) in tags(page) {
        let value = |wanted: &str| {
            attributes
                .iter()
                .find(|(name, _)| name == wanted)
                .map(|(_, value)| value.clone())
        };
        let kind = match name.as_str() {
            "form" => {
                let (action, method) = (
                    value("action").unwrap_or_default(),
                    value("method").unwrap_or_default(),
                );
                forms.push(Form {
                    action,
                    method: method.to_ascii_lowercase(),
                    controls: Vec::new(),
                });
                continue;
            }
            "input" => value("type").unwrap_or_else(|| "text".to_owned()),
            "button" => value("type").unwrap_or_else(|| "submit".to_owned()),
            "textarea" => "textarea".to_owned(),
            _ => continue,
        };
        if let (Some(form), Some(name)) = (forms.last_mut(), value("name")) {
            form.controls.push(Control {
                name,
                kind,
                value: value("value").unwrap_or_default(),
            });
        }
    }
    forms
}

type Tag = (String, Vec<(String, String)>);

fn tags(page: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once('<') {
        rest = after;
        let (name, after) = after.split_at(
            after
                .find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(after.len()),
        );
        if !name.is_empty() {
            let (attributes, end) = attributes(after);
            tags.push((name.to_ascii_lowercase(), attributes));
            rest = end;
        }
    }
    tags
}

/// The attributes up to `>`, and what follows.
fn attributes(mut rest: &str) -> (Vec<(String, String)>, &str) {
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if let Some(end) = rest.strip_prefix('>') {
            return (found, end);
        }
        let (name, after) = rest.split_at(
            rest.find(|c: char| c.is_ascii_whitespace() || "=>/".contains(c))
                .unwrap_or(rest.len()),
        );
        if name.is_empty() {
            return (found, after.get(1..).unwrap_or(""));
        }
        rest = after;
        let mut value = "";
        if let Some(after) = rest.strip_prefix('=') {
            let quote = if after.starts_with('\'') { '\'' } else { '"' };
            let (given, after) = match after.strip_prefix(quote) {
                Some(after) => after.split_once(quote).unwrap_or((after, "")),
                None => after.split_at(
                    after
                        .find(|c: char| c.is_ascii_whitespace() || c == '>')
                        .unwrap_or(after.len()),
                ),
            };
            (value, rest) = (given, after);
        }
        found.push((name.to_ascii_lowercase(), unescaped(value)));
    }
}

/// The references that an escaper of HTML writes.
fn unescaped(text: &str) -> String {
    let pairs = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#34;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&#60;", "<"),
        ("&#62;", ">"),
    ];
    let text = pairs
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    text.replace("&#38;", "&").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::forms;

    #[test]
    fn forms_of_a_page() {
        let page = r#"<p>1 < 2</p><a href="/ui">x</a><form method=post action="">
            <input type="hidden" name="token" value="a&#34;b"/><input name=who required>
            <textarea name="more"></textarea><button name="action" value="decline">No</button></form><form></form>"#;
        let found = forms(page);
        assert_eq!(
            (
                found.len(),
                found[0].method.as_str(),
                found[0].controls.len()
            ),
            (2, "post", 4)
        );
        assert_eq!(found[0].controls[0].value, "a\"b");
        assert!(
            found[0].asks("who")
                && found[0].asks("more")
                && !found[0].asks("token")
                && !found[0].asks("action")
        );
    }
}
