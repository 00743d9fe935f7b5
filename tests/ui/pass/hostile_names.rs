#![no_implicit_prelude]
#![allow(dead_code, non_camel_case_types)]

// Names of the prelude and of primitive types mean something else here.
struct Option;
struct Result;
struct String;
struct Vec;
struct Some;
struct None;
struct Ok;
struct Err;
struct str;
struct u8;
struct usize;
struct Sized;
struct Send;
mod core {}
mod std {}
mod mcp_elicit {}

type Text = ::std::string::String;
type Maybe<T> = ::core::option::Option<T>;

#[derive(::mcp_elicit::Choice, ::core::cmp::PartialEq)]
enum Class {
    #[choice(title = "First class")]
    First,
    Second,
}

/// Where to?
#[derive(::mcp_elicit::Elicit)]
#[elicit(check = check)]
struct Trip {
    to: Text,
    #[elicit(min = 1, max = 9, default = 2)]
    seats: ::core::primitive::u16,
    class: Maybe<Class>,
}

fn check(_: &Trip) -> ::core::result::Result<(), ::mcp_elicit::Invalid> {
    ::core::result::Result::Ok(())
}

/// Your account.
#[derive(::mcp_elicit::Elicit)]
#[elicit(url = "/ui/account", keep = "8h")]
struct Account {
    #[secret]
    key: ::mcp_elicit::SecretString,
}

pub fn main() {
    let trip = <Trip as ::mcp_elicit::Elicit>::decode(r#"{"to":"Oslo","class":"first"}"#);
    ::std::assert!(::std::matches!(trip, ::core::result::Result::Ok(it) if it.seats == 2));
}
