//! Secrets stay out of forms: `#[secret]` is for pages, and a name that reads like a credential is
//! refused for what is typed into a form. A name only ever adds an error; whether the field is a
//! text or number at all, its type tells the compiler.

use quote::ToTokens;
use syn::ext::IdentExt;

use crate::ast::{Field, Form};
use crate::attr::field::FieldOptions;
use crate::case::words;
use crate::errors::Errors;
use crate::words::Rule;

pub(crate) fn check(form: &Form<'_>, field: &Field<'_>, errors: &mut Errors) {
    if let Some(reason) = &field.options.not_secret
        && reason.value.value().trim().is_empty()
    {
        errors.at(
            &reason.value,
            Rule::NAMES,
            "say why this is no secret: `not_secret = \"the public half of the pair\"`",
        );
    }
    let Some(secret) = &field.options.secret else {
        return;
    };
    if !form.is_page() {
        errors.at(
            proc_macro2::Ident::new("secret", secret.span),
            Rule::SECRETS,
            "a secret is never asked in a form, where the client and the model see it; ask on a \
             page: `#[elicit(url = \"/ui/name\")]` on the struct",
        );
    }
    let FieldOptions {
        title: _,
        description: _,
        rename: _,
        default,
        min,
        max,
        min_length,
        max_length,
        min_items,
        max_items,
        format,
        not_secret,
        secret: _,
    } = &field.options;
    let keys = [
        default, min, max, min_length, max_length, min_items, max_items,
    ]
    .into_iter()
    .flatten()
    .map(|it| &it.key)
    .chain([format, not_secret].into_iter().flatten().map(|it| &it.key));
    for key in keys {
        errors.at(
            key.to_token_stream(),
            Rule::OPTIONS,
            format_args!(
                "`{key}` is not for secrets; a secret has `title`, `description` and `rename`"
            ),
        );
    }
}

/// Whether the compiler must refuse this field if it is a text or a number.
pub(crate) fn reads_like_credential(form: &Form<'_>, field: &Field<'_>) -> bool {
    if form.is_page() || field.options.not_secret.is_some() || field.options.secret.is_some() {
        return false;
    }
    is_credential(&field.ident.unraw().to_string())
        || (field.options.rename.is_some() && is_credential(&field.name.value))
        || (field.options.title.is_some() && is_credential(&field.title.value))
}

/// Words that are a credential by themselves, as the last of a name.
const ALONE: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "passkey",
    "pw",
    "secret",
    "secrets",
    "token",
    "tokens",
    "apikey",
    "apikeys",
    "apitoken",
    "authtoken",
    "accesstoken",
    "privatekey",
    "secretkey",
    "credential",
    "credentials",
    "cred",
    "creds",
    "pin",
    "cvv",
    "cvc",
    "cvv2",
    "cvc2",
    "csc",
    "otp",
    "totp",
    "hotp",
    "jwt",
    "bearer",
    "mnemonic",
    "ssn",
    "cardnumber",
    "pincode",
    "seedphrase",
];

/// Pairs of last words.
const PAIRS: &[(&str, &str)] = &[
    ("api", "key"),
    ("api", "keys"),
    ("access", "key"),
    ("access", "code"),
    ("account", "key"),
    ("auth", "key"),
    ("auth", "code"),
    ("authentication", "code"),
    ("authorization", "code"),
    ("backup", "code"),
    ("backup", "codes"),
    ("card", "number"),
    ("client", "key"),
    ("credit", "card"),
    ("debit", "card"),
    ("encryption", "key"),
    ("decryption", "key"),
    ("master", "key"),
    ("mfa", "code"),
    ("pass", "phrase"),
    ("pass", "code"),
    ("pass", "word"),
    ("pin", "code"),
    ("pin", "number"),
    ("private", "key"),
    ("recovery", "code"),
    ("recovery", "codes"),
    ("recovery", "phrase"),
    ("secret", "key"),
    ("security", "code"),
    ("seed", "phrase"),
    ("session", "cookie"),
    ("session", "key"),
    ("signing", "key"),
    ("sms", "code"),
    ("ssh", "key"),
    ("verification", "code"),
];

/// Last words that say nothing: they are left out before the name is judged.
const FILLERS: &[&str] = &[
    "again",
    "confirm",
    "confirmation",
    "repeat",
    "repeated",
    "retype",
    "value",
    "text",
    "string",
    "str",
    "field",
    "input",
    "here",
    "1",
    "2",
    "new",
    "old",
    "current",
];

/// Whether a name reads like a credential, by its last words.
pub(crate) fn is_credential(name: &str) -> bool {
    let words = words(name);
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    while let Some(last) = words.last() {
        let digits = last.trim_end_matches(|c: char| c.is_ascii_digit());
        if words.len() > 1 && (FILLERS.contains(last) || digits.is_empty()) {
            words.pop();
        } else {
            break;
        }
    }
    let bare = |word: &&str| -> String {
        word.trim_end_matches(|c: char| c.is_ascii_digit())
            .to_owned()
    };
    match words.as_slice() {
        [.., before, last] => {
            let last_bare = bare(last);
            ALONE.contains(last)
                || ALONE.contains(&last_bare.as_str())
                || PAIRS.contains(&(*before, last_bare.as_str()))
        }
        [only] => ALONE.contains(only) || ALONE.contains(&bare(only).as_str()),
        [] => false,
    }
}
