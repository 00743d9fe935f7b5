use mcp_elicit::prelude::*;

type Maybe<T> = Option<T>;
type List<T> = Vec<T>;

#[derive(Choice)]
enum Extra {
    Breakfast,
    Parking,
}

/// Where to?
#[derive(Elicit)]
struct Trip {
    name: Maybe<String>,
    ages: Maybe<u8>,
    extras: List<Extra>,
}

pub fn main() {
    let trip = Trip::decode(r#"{"extras":["parking"]}"#).unwrap();
    assert!(trip.name.is_none() && trip.ages.is_none());
    assert!(matches!(trip.extras[..], [Extra::Parking]));
}
