//! What keeps secrets out of forms, and takes them from a page without leaving copies.
//!
//! A secret has one type, [`SecretString`](secrecy::SecretString): no `Serialize`, a redacted `Debug`,
//! zeroed when dropped.

use std::borrow::Cow;

use secrecy::{SecretBox, SecretString};
use zeroize::{Zeroize, Zeroizing};

use super::answer::Checked;
use super::field::{FormField, FormValue, unfit};
use super::table::Kind;

/// What a `#[secret]` field of a page may be: `SecretString`, or an `Option` of it.
///
/// ```
/// use mcp_elicit::{Elicit, SecretString};
///
/// /// Your account at the provider.
/// #[derive(Elicit)]
/// #[elicit(url = "/ui/account")]
/// struct Account {
///     #[secret]
///     api_key: SecretString,
///     #[secret(multiline)]
///     certificate: Option<SecretString>,
/// }
/// # let names: Vec<_> = Account::declaration().table().fields.iter().map(|f| f.required).collect();
/// # assert_eq!(names, [true, false]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold a secret; write `SecretString` or `Option<SecretString>` [elicit::1]",
    label = "not a type for a secret",
    note = "a `SecretString` is never printed, never serialized and zeroed when it is dropped"
)]
pub trait SecretField: Sized {
    /// Whether the field must be filled in.
    const REQUIRED: bool;

    /// The value of a field that was checked.
    ///
    /// # Errors
    ///
    /// What the user must do instead.
    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>>;

    /// The way back, for a test that types it into a page. No other build has it: there a secret is
    /// [`Checked::Absent`], so that nothing that writes a value out can hold one.
    #[doc(hidden)]
    fn to_checked(&self) -> Checked<'static>;
}

/// A copy of a secret, in a build for tests alone.
fn copied(secret: Option<&SecretString>) -> Checked<'static> {
    match secret {
        #[cfg(feature = "testing")]
        Some(secret) => Checked::Secret(secret.clone()),
        _ => Checked::Absent,
    }
}

impl SecretField for SecretString {
    const REQUIRED: bool = true;

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        match value {
            Checked::Secret(secret) => Ok(secret),
            _ => Err("needs an answer".into()),
        }
    }

    fn to_checked(&self) -> Checked<'static> {
        copied(Some(self))
    }
}

impl SecretField for Option<SecretString> {
    const REQUIRED: bool = false;

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        match value {
            Checked::Secret(secret) => Ok(Some(secret)),
            _ => Ok(None),
        }
    }

    fn to_checked(&self) -> Checked<'static> {
        copied(self.as_ref())
    }
}

/// What a client may see. No type has it: it is there for its message.
#[diagnostic::on_unimplemented(
    message = "a `SecretString` is asked for on a page of this server, never in a form; give the struct `#[elicit(url = \"/ui/name\")]` and this field `#[secret]` [elicit::1]",
    label = "a secret, outside of a `#[secret]` field of a page",
    note = "the client and the model see what is typed into a form"
)]
pub trait VisibleToClient {}

/// Stands for a type inside of a form.
#[derive(Debug)]
pub struct InForm<T: ?Sized>(std::marker::PhantomData<T>);

// Generic, because a bound that nothing meets may only depend on a parameter. It refuses a secret
// with a message of its own instead of the one for any other type.
impl<S: ?Sized + Zeroize> FormField for SecretBox<S>
where
    InForm<S>: VisibleToClient,
{
    const KIND: Kind<'static> = Kind::Secret { multiline: false };

    fn from_checked(_: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        unfit()
    }

    fn to_checked(&self) -> Checked<'_> {
        Checked::Absent
    }
}

impl<S: ?Sized + Zeroize> FormValue for SecretBox<S> where InForm<S>: VisibleToClient {}

/// What a field of a page may be without `#[secret]`: the same as a field of a form.
///
/// A trait of its own for its message: two impls apply to a secret, neither holds, and so the
/// compiler stops here. To any other type the first alone applies, and [`FormField`] has the word.
#[diagnostic::on_unimplemented(
    message = "this field lacks `#[secret]`: its type is `{Self}` [elicit::1]",
    label = "a secret, without `#[secret]`",
    note = "write `#[secret]` above the field"
)]
pub trait PageField: Sized {
    /// See [`FormField::KIND`].
    const KIND: Kind<'static>;
    /// See [`FormField::REQUIRED`].
    const REQUIRED: bool;

    /// See [`FormField::from_checked`].
    ///
    /// # Errors
    ///
    /// What the user must do instead, without the value itself.
    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>>;

    /// See [`FormField::to_checked`].
    fn to_checked(&self) -> Checked<'_>;
}

/// A secret that may do without `#[secret]`. No type has it: see [`PageField`].
pub trait LacksNothing {}

/// Stands for a type inside of a page.
#[derive(Debug)]
pub struct OnPage<T: ?Sized>(std::marker::PhantomData<T>);

impl<T: FormField> PageField for T {
    const KIND: Kind<'static> = T::KIND;
    const REQUIRED: bool = T::REQUIRED;

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        T::from_checked(value)
    }

    fn to_checked(&self) -> Checked<'_> {
        T::to_checked(self)
    }
}

impl<S: ?Sized + Zeroize> PageField for SecretBox<S>
where
    OnPage<S>: LacksNothing,
{
    const KIND: Kind<'static> = Kind::Secret { multiline: false };
    const REQUIRED: bool = true;

    fn from_checked(_: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        unfit()
    }

    fn to_checked(&self) -> Checked<'_> {
        Checked::Absent
    }
}

impl<S: ?Sized + Zeroize> PageField for Option<SecretBox<S>>
where
    OnPage<S>: LacksNothing,
{
    const KIND: Kind<'static> = Kind::Secret { multiline: false };
    const REQUIRED: bool = false;

    fn from_checked(_: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        unfit()
    }

    fn to_checked(&self) -> Checked<'_> {
        Checked::Absent
    }
}

/// The text of a JSON string, in a buffer that is zeroed and never grown, since growing leaves a
/// copy behind. `None` if `json` is no string.
pub(crate) fn unescape(json: &str) -> Option<Zeroizing<String>> {
    let inside = json.strip_prefix('"')?.strip_suffix('"')?;
    // An escape is never shorter than what it stands for.
    let mut text = Zeroizing::new(String::with_capacity(inside.len()));
    let mut rest = inside;
    while let Some((plain, escape)) = rest.split_once('\\') {
        text.push_str(plain);
        let mut chars = escape.chars();
        let c = match chars.next()? {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let (c, after) = unicode(chars.as_str())?;
                chars = after.chars();
                c
            }
            same @ ('"' | '\\' | '/') => same,
            _ => return None,
        };
        text.push(c);
        rest = chars.as_str();
    }
    text.push_str(rest);
    Some(text)
}

/// The character after `\u`, which may take two escapes, and what stands behind it.
fn unicode(text: &str) -> Option<(char, &str)> {
    let (first, rest) = unit(text)?;
    match first {
        0xd800..=0xdbff => {
            let (second, rest) = unit(rest.strip_prefix("\\u")?)?;
            let c = char::decode_utf16([first, second]).next()?.ok()?;
            Some((c, rest))
        }
        unit => Some((char::from_u32(unit.into())?, rest)),
    }
}

fn unit(text: &str) -> Option<(u16, &str)> {
    let (digits, rest) = text.split_at_checked(4)?;
    let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
    let unit = u16::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
    Some((unit, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unescapes_as_a_json_parser_does() {
        for text in ["", "sk-1\"\\/\n\r\t\u{8}\u{c}\u{1}é", "🦀 日本"] {
            for json in [
                serde_json::to_string(text).unwrap(),
                format!(
                    "\"{}\"",
                    text.encode_utf16()
                        .map(|unit| format!("\\u{unit:04X}"))
                        .collect::<String>()
                ),
            ] {
                assert_eq!(unescape(&json).unwrap().as_str(), text, "{json}");
            }
        }
        for json in [
            "",
            "\"",
            "3",
            r#""\x""#,
            r#""\u12""#,
            r#""\ud800""#,
            r#""\ud800\u0041""#,
            r#""\u+123""#,
        ] {
            assert_eq!(unescape(json), None, "{json}");
        }
    }

    #[test]
    fn the_buffer_is_not_grown() {
        let text = unescape(r#""\u00e9\n\ud83e\udd80 and more""#).unwrap();
        assert!(text.len() < text.capacity());
    }
}
