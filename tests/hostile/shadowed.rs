//! Every name of the prelude means something else.
#![allow(
    dead_code,
    non_camel_case_types,
    unused_macros,
    missing_debug_implementations,
    missing_docs,
    clippy::pedantic,
    clippy::nursery,
    reason = "they are in the way, and nothing more"
)]

macro_rules! names {
    ($($name:ident)*) => { $(pub struct $name;)* };
}

names! {
    Option Some None Result Ok Err String Vec Box Into From Default Clone Copy Send Sync Sized Fn
    Iterator IntoIterator Drop AsRef ToOwned ToString Debug
    bool str u8 u16 u32 u64 usize i128 i64 f64 char
    Elicit Choice FormField Kind Field Checked Invalid Declaration Answers Literal Tool Cx
}

macro_rules! concat {
    ($($any:tt)*) => {
        compile_error!("not this one")
    };
}
macro_rules! vec {
    ($($any:tt)*) => {
        compile_error!("not this one")
    };
}
macro_rules! panic {
    ($($any:tt)*) => {
        compile_error!("not this one")
    };
}

/// Not these either.
pub mod core {}
pub mod std {}
pub mod alloc {}
pub mod elicit {}
pub mod mcp_elicit {}

/// Has every method that generated code calls, for every type, and is found before the right one.
trait Hijack: ::core::marker::Sized {
    fn take(self) {}
    fn finish(self) {}
    fn literal(self) {}
    fn written(self) {}
    fn with_min(self) {}
    fn with_max(self) {}
    fn with_default(self) {}
    fn with_format(self) {}
    fn add(self) {}
    fn add_or(self) {}
    fn refuse(self) {}
    fn push(self) {}
    fn input_schema(self) {}
    fn fingerprint(self) {}
}

impl<T> Hijack for T {}

type Text = ::std::string::String;
type Maybe<T> = ::core::option::Option<T>;
type Several<T> = ::std::vec::Vec<T>;

const MOST: ::core::primitive::u16 = 9;

#[derive(::elicit::Choice)]
#[choice(crate = ::elicit)]
pub enum Class {
    #[choice(title = "First class")]
    First,
    Second,
}

/// Where to?
#[derive(::elicit::Elicit)]
#[elicit(crate = ::elicit, check = check)]
pub struct Trip {
    #[elicit(format = "email", max_length = 30)]
    pub to: Text,
    #[elicit(min = 1, max = MOST, default = 2)]
    pub seats: ::core::primitive::u16,
    #[elicit(min = 0.5)]
    pub rate: Maybe<::core::primitive::f64>,
    pub class: Maybe<Class>,
    #[elicit(min_items = 1, default = ["second"])]
    pub others: Several<Class>,
}

fn check(trip: &Trip) -> ::core::result::Result<(), ::elicit::Invalid> {
    match trip.seats {
        7 => ::core::result::Result::Err(::elicit::Invalid::field("seats", "must not be 7")),
        _ => ::core::result::Result::Ok(()),
    }
}

/// Your account.
#[derive(::elicit::Elicit)]
#[elicit(crate = ::elicit, url = "/ui/account", keep = "8h", fallback = "address")]
pub struct Account {
    #[secret]
    pub key: ::elicit::SecretString,
    #[secret(multiline)]
    pub certificate: Maybe<::elicit::SecretString>,
}

/// Book a seat.
#[::elicit::tool(crate = ::elicit, title = "Book", asks(Trip, Account), rev = 2, single_use)]
pub async fn book(
    cx: &::elicit::Cx,
    /// Which train
    train: Text,
    #[arg(default = 3)] seats: ::core::primitive::u8,
    #[arg(default)] class: Maybe<Text>,
) -> ::core::result::Result<Text, ::elicit::CallError> {
    let trip = cx.ask::<Trip>().await?;
    ::core::result::Result::Ok(::std::format!(
        "{train}{seats}{}{}",
        trip.to,
        class.is_some()
    ))
}

/// A value with tools.
pub struct Shop;

#[::elicit::tools(crate = ::elicit)]
impl Shop {
    /// Open the shop.
    #[tool(idempotent)]
    pub async fn open(
        &self,
        /** When */
        hour: ::core::primitive::u8,
    ) -> Text {
        ::std::format!("{hour}")
    }
}

#[cfg(test)]
mod tests {
    use elicit::{Elicit, IntoTools, serde_json::json};

    use super::{Account, Shop, Trip, book};
    use crate::expected::{properties, schema};

    #[test]
    fn the_form_is_right() {
        let trip = Trip::decode(r#"{"to":"ada@example.com","seats":3.0,"class":"first"}"#);
        let trip = trip.expect("it fits");
        assert_eq!((trip.seats, trip.others.len()), (3, 1));
        let wrong = Trip::decode(r#"{"to":"ada@example.com","seats":7}"#);
        assert_eq!(wrong.err().expect("7").to_string(), "seats: must not be 7");
        assert_eq!(
            properties::<Trip>()["seats"],
            json!({"type":"integer","title":"Seats","minimum":1,"maximum":9,"default":2})
        );
        assert_eq!(schema::<Trip>()["required"], json!(["to"]));
        assert_eq!(Account::declaration().table().fields.len(), 2);
    }

    #[test]
    fn the_tools_are_right() {
        let tools = elicit::toolset![book];
        let listing = tools.tools[0].listing();
        assert!(
            listing.contains(r#""description":"Which train""#),
            "{listing}"
        );
        assert!(listing.contains(r#""required":["train"]"#), "{listing}");
        assert_eq!(Shop.into_tools().tools[0].name(), "open");
    }
}
