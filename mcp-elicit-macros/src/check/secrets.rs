//! Secrets stay out of forms: `#[secret]` is for pages. A name that reads like a credential is refused
//! in a form, and on a page for what is no `#[secret]`: it would be shown, and kept as plain text. A
//! name only ever adds an error; whether the field is a text or number at all, its type tells the
//! compiler.

use quote::ToTokens;
use syn::Type;
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
        let here = if is_secret_string(field.ty) {
            ""
        } else {
            ", `SecretString` here"
        };
        errors.at(
            proc_macro2::Ident::new("secret", secret.span),
            Rule::SECRETS,
            format_args!(
                "a secret is never asked in a form, where the client and the model see it; ask on a \
                 page: `#[elicit(url = \"/ui/name\")]` on the struct{here}"
            ),
        );
    }
    let FieldOptions {
        title: _,
        description: _,
        rename: _,
        serde_rename: _,
        default,
        min,
        max,
        min_length,
        max_length,
        min_items,
        max_items,
        format,
        enum_names,
        not_secret,
        secret: _,
        select: _,
    } = &field.options;
    let keys = [
        default, min, max, min_length, max_length, min_items, max_items,
    ]
    .into_iter()
    .flatten()
    .map(|it| &it.key)
    .chain([format, not_secret].into_iter().flatten().map(|it| &it.key))
    .chain(enum_names.iter().map(|it| &it.key));
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

/// Whether a type is called what holds a secret, alone or in an `Option`. It only shortens a message.
fn is_secret_string(ty: &Type) -> bool {
    ty.to_token_stream().to_string().contains("SecretString")
}

/// Whether the compiler must refuse this field if it is a text or a number.
pub(crate) fn reads_like_credential(field: &Field<'_>) -> bool {
    let options = &field.options;
    if options.not_secret.is_some() || options.secret.is_some() || options.select.is_some() {
        return false;
    }
    is_credential(&field.ident.unraw().to_string())
        || (options.renamed().is_some() && is_credential(&field.name.value))
        || (options.title.is_some() && is_credential(&field.title.value))
}

/// Words that are a credential by themselves, as the last of a name.
const ALONE: &[&str] = &[
    "pwd",
    "passcode",
    "passkey",
    "pw",
    "secret",
    "secrets",
    "token",
    "tokens",
    "credential",
    "credentials",
    "cred",
    "creds",
    "pin",
    "cvv",
    "cvc",
    "csc",
    "otp",
    "totp",
    "hotp",
    "jwt",
    "bearer",
    "mnemonic",
    "ssn",
    "pincode",
    "seedphrase",
];

/// Endings of a last word, for words that are not kept apart.
const ENDINGS: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "apikey",
    "apikeys",
    "apitoken",
    "authtoken",
    "accesstoken",
    "privatekey",
    "secretkey",
    "accesskey",
    "cardnumber",
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

/// First words that make a name a question about a credential.
const QUESTIONS: &[&str] = &["has", "had", "is", "needs", "requires", "wants"];

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
    if matches!(words.as_slice(), [first, _, ..] if QUESTIONS.contains(first)) {
        return false;
    }
    let Some(last) = words.pop() else {
        return false;
    };
    let last = last.trim_end_matches(|c: char| c.is_ascii_digit());
    ALONE.contains(&last)
        || ENDINGS.iter().any(|ending| last.ends_with(ending))
        || words
            .pop()
            .is_some_and(|before| PAIRS.contains(&(before, last)))
}

#[cfg(test)]
mod tests {
    use super::is_credential;

    const CREDENTIALS: &[&str] = &[
        "password",
        "Password",
        "PASSWORD",
        "passwords",
        "passwd",
        "pwd",
        "pw",
        "mypassword",
        "dbpasswd2",
        "stripeapikey",
        "pass_word",
        "user_password",
        "userPassword",
        "db-password",
        "password2",
        "password_2",
        "new_password",
        "password_new",
        "password_again",
        "password_confirmation",
        "confirm_password",
        "repeat_password_here",
        "passphrase",
        "pass_phrase",
        "key_passphrase",
        "passcode",
        "secret",
        "secrets",
        "client_secret",
        "clientSecret",
        "webhook_secret",
        "secret_value",
        "secret_key",
        "aws_secret_access_key",
        "access_key",
        "api_key",
        "apiKey",
        "APIKey",
        "API_KEY",
        "apikey",
        "api_keys",
        "stripe_api_key",
        "api_key_2",
        "token",
        "tokens",
        "access_token",
        "accessToken",
        "refresh_token",
        "bearer_token",
        "auth_token",
        "id_token",
        "github_token_str",
        "api_token",
        "csrf_token",
        "private_key",
        "privateKey",
        "ssh_key",
        "signing_key",
        "encryption_key",
        "master_key",
        "session_key",
        "session_cookie",
        "credential",
        "credentials",
        "db_creds",
        "pin",
        "PIN",
        "card_pin",
        "pin_code",
        "pinCode",
        "pin_number",
        "cvv",
        "cvc",
        "cvv2",
        "card_cvv",
        "security_code",
        "card_number",
        "cardNumber",
        "credit_card_number",
        "credit_card",
        "debit_card",
        "otp",
        "totp",
        "sms_code",
        "verification_code",
        "mfa_code",
        "backup_code",
        "recovery_codes",
        "recovery_phrase",
        "seed_phrase",
        "mnemonic",
        "jwt",
        "ssn",
    ];

    const INNOCENT: &[&str] = &[
        "tokenizer",
        "tokenize",
        "token_count",
        "token_limit",
        "token_type",
        "max_tokens_per_day",
        "secretary",
        "secretary_name",
        "secret_santa",
        "keyboard",
        "key",
        "keys",
        "key_name",
        "keyword",
        "public_key",
        "primary_key",
        "sort_key",
        "key_id",
        "api_key_id",
        "api_key_name",
        "passport_country",
        "passport",
        "passenger",
        "passing_grade",
        "bypass",
        "pass",
        "compass",
        "has_password",
        "password_hint",
        "password_length",
        "password_policy",
        "pin_color",
        "pinned",
        "spin",
        "shipping",
        "pineapple",
        "opinion",
        "card_holder",
        "cardinality",
        "card",
        "business_card",
        "number",
        "account_number",
        "order_number",
        "code",
        "zip_code",
        "country_code",
        "discount_code",
        "otpauth_issuer",
        "desktop",
        "credits",
        "credit",
        "incredible",
        "author",
        "authority",
        "bearer_name",
        "session",
        "session_name",
        "cookie",
        "phrase",
        "seed",
        "name",
        "email",
        "text",
        "value",
        "",
        "_",
        "2",
        "new",
    ];

    #[test]
    fn names_that_read_like_credentials() {
        for name in CREDENTIALS {
            assert!(is_credential(name), "{name}");
        }
    }

    #[test]
    fn names_that_only_look_so() {
        for name in INNOCENT {
            assert!(!is_credential(name), "{name}");
        }
    }
}
