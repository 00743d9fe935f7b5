//! A module without a prelude.
#![no_implicit_prelude]

/// How to travel
#[derive(::elicit::Choice, ::core::fmt::Debug, ::core::cmp::PartialEq, ::core::cmp::Eq)]
#[choice(crate = ::elicit, rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Class {
    /// The first.
    FirstClass,
    /// The last.
    LastClass,
}

/// Where to?
#[derive(::elicit::Elicit, ::core::fmt::Debug)]
#[elicit(crate = ::elicit, rename_all = "camelCase")]
pub struct LongTrip {
    /// A town
    #[elicit(min_length = 1, max_length = 5, default = "Oslo")]
    pub going_to: ::std::string::String,
    /// How
    pub class: ::core::option::Option<Class>,
    /// When
    pub date: ::core::option::Option<::std::string::String>,
}

/// Your account.
#[derive(::elicit::Elicit, ::core::fmt::Debug)]
#[elicit(crate = ::elicit, url = "/ui/account")]
pub struct Account {
    /// From the dashboard
    #[secret]
    pub key: ::elicit::SecretString,
}

/// Book a seat.
///
/// # Errors
///
/// If nobody answers.
#[::elicit::tool(crate = ::elicit, asks(LongTrip))]
pub async fn book(
    cx: &::elicit::Cx,
    /// Which train
    train: ::std::string::String,
) -> ::core::result::Result<::std::string::String, ::elicit::CallError> {
    let trip = cx.ask::<LongTrip>().await?;
    ::core::result::Result::Ok(::std::format!("{train} {}", trip.going_to))
}

/// A value with tools.
#[derive(::core::fmt::Debug)]
pub struct Shop;

#[::elicit::tools(crate = ::elicit)]
impl Shop {
    /// Open the shop.
    #[tool]
    pub async fn open(&self) {}
}

/// All of them.
#[must_use]
pub fn tools() -> ::std::vec::Vec<::elicit::Tool> {
    let mut all = ::elicit::toolset![book];
    all.add(Shop);
    all.tools
}

#[cfg(test)]
mod tests {
    use ::elicit::Elicit;
    use ::elicit::serde_json::json;
    use ::std::prelude::rust_2024::*;
    use ::std::{assert_eq, vec::Vec};

    use super::{Class, LongTrip, tools};

    #[test]
    fn all_is_there() {
        let trip = LongTrip::decode(r#"{"class":"LAST_CLASS"}"#).expect("it fits");
        assert_eq!(
            (&*trip.going_to, trip.class),
            ("Oslo", Some(Class::LastClass))
        );
        assert_eq!(
            crate::expected::properties::<LongTrip>()["class"],
            json!({"type": "string", "title": "Class", "description": "How", "oneOf": [
                {"const": "FIRST_CLASS", "title": "The first"},
                {"const": "LAST_CLASS", "title": "The last"},
            ]})
        );
        let tools = tools();
        let names: Vec<_> = tools.iter().map(::elicit::Tool::name).collect();
        assert_eq!(names, ["book", "open"]);
    }
}
