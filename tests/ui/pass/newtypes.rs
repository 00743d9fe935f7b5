use std::collections::BTreeSet;

use mcp_elicit::prelude::*;

#[derive(Choice, PartialEq, Eq, PartialOrd, Ord)]
enum Extra {
    Breakfast,
    Parking,
}

#[derive(Elicit)]
#[elicit(transparent)]
struct Email(String);

#[derive(Elicit)]
#[elicit(transparent)]
struct Age(pub u8);

#[derive(Elicit)]
#[elicit(transparent)]
struct Deep(Age);

#[derive(Elicit)]
#[elicit(transparent)]
struct Extras(BTreeSet<Extra>);

#[derive(Elicit)]
#[elicit(transparent)]
struct One(Extra);

#[derive(Elicit)]
#[elicit(transparent)]
struct Day(jiff::civil::Date);

#[derive(Elicit)]
#[elicit(transparent)]
struct Note(Option<String>);

/// Who are you?
#[derive(Elicit)]
struct Guest {
    #[elicit(format = "email", min_length = 3)]
    email: Email,
    #[elicit(min = 18, default = 21)]
    age: Age,
    deep: Option<Deep>,
    #[elicit(min_items = 1, default = ["parking"])]
    extras: Extras,
    #[elicit(default = "breakfast")]
    one: One,
    day: Option<Day>,
    note: Note,
}

pub fn main() {
    let guest = Guest::decode(r#"{"email":"a@b.c","deep":7,"day":"2025-04-17"}"#).unwrap();
    assert_eq!((guest.email.0.as_str(), guest.age.0), ("a@b.c", 21));
    assert_eq!(guest.deep.map(|it| it.0.0), Some(7));
    assert!(guest.extras.0.contains(&Extra::Parking) && guest.one.0 == Extra::Breakfast);
    assert_eq!(guest.day.map(|it| it.0), Some(jiff::civil::date(2025, 4, 17)));
    assert_eq!(guest.note.0, None);
    let wrong = Guest::decode(r#"{"email":"a@b.c","age":17}"#).err();
    assert_eq!(wrong.map(|it| it.to_string()).as_deref(), Some("age: must be at least 18"));
}
