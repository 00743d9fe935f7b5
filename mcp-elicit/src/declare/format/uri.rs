//! URIs as RFC 3986 writes them (section 3): scheme, authority, path, query, fragment.

/// Whether `text` is a URI, and not only a reference to one. One that ends with its scheme leads
/// nowhere, and is none.
pub(super) const fn is_uri(text: &[u8]) -> bool {
    let (scheme, Some(rest)) = cut(text, b':') else {
        return false;
    };
    let (rest, fragment) = cut(rest, b'#');
    let (hier, query) = cut(rest, b'?');
    is_scheme(scheme)
        && is_hier(hier)
        && is_rest(query)
        && is_rest(fragment)
        && !(hier.is_empty() && query.is_none() && fragment.is_none())
}

/// What stands before the first such byte, and after it if there is one.
const fn cut(text: &[u8], at: u8) -> (&[u8], Option<&[u8]>) {
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        if *byte == at {
            return (text.split_at(text.len() - rest.len()).0, Some(after));
        }
        rest = after;
    }
    (text, None)
}

const fn is_scheme(text: &[u8]) -> bool {
    let [first, rest @ ..] = text else {
        return false;
    };
    let mut rest = rest;
    while let [byte, after @ ..] = rest {
        if !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')) {
            return false;
        }
        rest = after;
    }
    first.is_ascii_alphabetic()
}

/// The authority, if two slashes begin one, and the path.
const fn is_hier(text: &[u8]) -> bool {
    let [b'/', b'/', rest @ ..] = text else {
        return consists_of(text, b":@/");
    };
    let (authority, path) = cut(rest, b'/');
    is_authority(authority) && consists_of_all(path, b":@/")
}

/// A query or fragment.
const fn is_rest(text: Option<&[u8]>) -> bool {
    consists_of_all(text, b":@/?")
}

const fn is_authority(text: &[u8]) -> bool {
    let (first, second) = cut(text, b'@');
    let (user, host) = match second {
        Some(host) => (first, host),
        None => (b"".as_slice(), first),
    };
    let (is_host, port) = match host {
        [b'[', literal @ ..] => match cut(literal, b']') {
            (literal, Some([])) => (is_literal(literal), None),
            (literal, Some([b':', port @ ..])) => (is_literal(literal), Some(port)),
            _ => (false, None),
        },
        name => {
            let (name, port) = cut(name, b':');
            (consists_of(name, b""), port)
        }
    };
    consists_of(user, b":") && is_host && is_port(port)
}

const fn is_port(text: Option<&[u8]>) -> bool {
    let Some(mut rest) = text else {
        return true;
    };
    while let [byte, after @ ..] = rest {
        if !byte.is_ascii_digit() {
            return false;
        }
        rest = after;
    }
    true
}

/// What stands in brackets in the place of a host.
const fn is_literal(text: &[u8]) -> bool {
    match text {
        [b'v' | b'V', rest @ ..] => {
            let (version, Some(address)) = cut(rest, b'.') else {
                return false;
            };
            is_hex(version)
                && !address.is_empty()
                && consists_of(address, b":")
                && !has(address, b'%')
        }
        _ => is_ipv6(text),
    }
}

/// Eight groups of 16 bits, of which `::` stands for some; the last two may be an IPv4 address.
const fn is_ipv6(text: &[u8]) -> bool {
    let (mut rest, mut groups, mut is_short) = (text, 0, false);
    if let [b':', b':', after @ ..] = rest {
        (rest, is_short) = (after, true);
        if rest.is_empty() {
            return true;
        }
    }
    loop {
        let (group, after) = cut(rest, b':');
        match after {
            None if is_ipv4(group) => {
                groups += 2;
                break;
            }
            _ if group.len() > 4 || !is_hex(group) => return false,
            None => {
                groups += 1;
                break;
            }
            Some([b':', after @ ..]) => {
                if is_short {
                    return false;
                }
                groups += 1;
                (rest, is_short) = (after, true);
                if rest.is_empty() {
                    break;
                }
            }
            Some(after) => {
                groups += 1;
                rest = after;
            }
        }
    }
    if is_short { groups <= 7 } else { groups == 8 }
}

const fn is_ipv4(text: &[u8]) -> bool {
    let (mut rest, mut numbers) = (text, 0);
    loop {
        let (number, after) = cut(rest, b'.');
        let fits = matches!(
            number,
            [b'0'..=b'9']
                | [b'1'..=b'9', b'0'..=b'9']
                | [b'1', b'0'..=b'9', b'0'..=b'9']
                | [b'2', b'0'..=b'4', b'0'..=b'9']
                | [b'2', b'5', b'0'..=b'5']
        );
        if !fits {
            return false;
        }
        numbers += 1;
        match after {
            Some(after) => rest = after,
            None => return numbers == 4,
        }
    }
}

const fn is_hex(text: &[u8]) -> bool {
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        if !byte.is_ascii_hexdigit() {
            return false;
        }
        rest = after;
    }
    !text.is_empty()
}

const fn has(text: &[u8], byte: u8) -> bool {
    cut(text, byte).1.is_some()
}

const fn consists_of_all(text: Option<&[u8]>, more: &[u8]) -> bool {
    match text {
        Some(text) => consists_of(text, more),
        None => true,
    }
}

/// Whether each byte is unreserved, a sub-delimiter, one of `more`, or stands as `%41`.
const fn consists_of(text: &[u8], more: &[u8]) -> bool {
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        let fits = match (byte, after) {
            (b'%', [a, b, ..]) => a.is_ascii_hexdigit() && b.is_ascii_hexdigit(),
            (b'-' | b'.' | b'_' | b'~', _) => true,
            (b'!' | b'$' | b'&'..=b',' | b';' | b'=', _) => true,
            (other, _) => other.is_ascii_alphanumeric() || has(more, *other),
        };
        if !fits {
            return false;
        }
        rest = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::is_uri;

    #[test]
    fn as_the_grammar_says() {
        for text in [
            "https://example.com",
            "https://example.com/a?b=c#d",
            "HTTP://user:pw@example.com:8080/a/b;c=1?d/e?f#/?",
            "mailto:a@b.c",
            "urn:isbn:1",
            "a:?",
            "a:#",
            "a:/",
            "a:b:c@d/e",
            "file:///etc/hosts",
            "http://",
            "http://:/",
            "http://a:",
            "http://a:123456789",
            "http://a.aa:10/%0a",
            "http://a%20b/",
            "http://[::1]/%20",
            "http://[::]",
            "http://[1:2:3:4:5:6:7:8]:80",
            "http://[1::8]",
            "http://[::1.2.3.4]",
            "http://[1:2:3:4:5:6:1.2.3.4]",
            "http://[1:2:3:4:5:6:7::]",
            "http://u@[v1.a:b]:1",
        ] {
            assert!(is_uri(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            ":",
            "a",
            "a:",
            "example.com",
            "/a",
            "//a.b",
            "1a:b",
            "a b:c",
            "a_b:c",
            "http://a b",
            "http://a%2",
            "http://a%zz",
            "http://ä",
            "http://a.aa:10%0a",
            "http://a:b",
            "http://a:1:2",
            "http://a@b@c",
            "http://[::1",
            "http://::1",
            "http://[::1]a",
            "http://[::1]:a",
            "http://[]",
            "http://[:]",
            "http://[:1::2]",
            "http://[1:2:3:4:5:6:7]",
            "http://[1:2:3:4:5:6:7:8:9]",
            "http://[1:2:3:4:5:6:7:8::]",
            "http://[1::2::3]",
            "http://[1:::2]",
            "http://[12345::]",
            "http://[g::]",
            "http://[1.2.3.4::]",
            "http://[::1.2.3]",
            "http://[::1.2.3.256]",
            "http://[::01.2.3.4]",
            "http://[fe80::1%25en0]",
            "http://[v.a]",
            "http://[v1.]",
            "http://[v1.%41]",
            "http://a/[b]",
            "http://a/#b#c",
            "a:\"",
            "a:<",
            "a:\\",
            "a:^",
            "a:`",
            "a:{}",
            "a:|",
            "a:\n",
        ] {
            assert!(!is_uri(text.as_bytes()), "{text}");
        }
    }
}
