//! As much of HTML as a test needs to read the pages of this server.

/// The form with this id.
pub(super) fn form<'a>(html: &'a str, id: &str) -> Option<&'a str> {
    let (_, rest) = html.split_once(&format!("id=\"{id}\""))?;
    rest.split("</form>").next()
}

/// Where the first form that begins with `before` is sent to.
pub(super) fn action(html: &str) -> Option<String> {
    html.split("<form")
        .skip(1)
        .find_map(|rest| attribute(rest.split('>').next()?, "action"))
}

/// The hidden fields of a form.
pub(super) fn hidden(html: &str) -> Vec<(String, String)> {
    html.split("<input")
        .skip(1)
        .filter_map(|rest| rest.split('>').next())
        .filter(|tag| tag.contains("type=\"hidden\""))
        .filter_map(|tag| Some((attribute(tag, "name")?, attribute(tag, "value")?)))
        .collect()
}

/// What a person reads on a page, each run of blanks as one.
pub(super) fn text(html: &str) -> String {
    let body = html.split_once("<body").map_or(html, |(_, body)| body);
    let mut words = String::new();
    for (i, part) in body.split('<').enumerate() {
        // Before the first tag there are the attributes of the body.
        let shown = part.split_once('>').map_or("", |(_, shown)| shown);
        if i > 0 || !html.contains("<body") {
            words.push(' ');
        }
        words.push_str(&unescape(shown));
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next().map(unescape)
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let Some((name, behind)) = after.split_once(';').filter(|(name, _)| name.len() < 9) else {
            out.push('&');
            rest = after;
            continue;
        };
        match entity(name) {
            Some(c) => out.push(c),
            None => out.extend(["&", name, ";"]),
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        other => {
            let digits = other.strip_prefix('#')?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(code)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_read() {
        let html = r#"<body class="a"><h1>A &#38; B</h1><form id="answers" action="&#x2f;ui">
            <input type="hidden" name=":token" value="a&amp;b"><input name="x" value="y"></form>
            <form id="decline"><input type="hidden" name="z" value=""></form></body>"#;
        assert_eq!(text(html), "A & B");
        let answers = form(html, "answers").unwrap();
        assert_eq!(hidden(answers), [(":token".to_owned(), "a&b".to_owned())]);
        assert_eq!(action(html).as_deref(), Some("/ui"));
        assert_eq!(form(html, "other"), None);
        assert_eq!(
            unescape("a & b &c; &unknownentity; &lt;"),
            "a & b &c; &unknownentity; <"
        );
    }
}
