use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Extra {
    Breakfast,
    Parking,
}

const LEAST: u8 = 18;
const ON: bool = true;
const TO: &str = "Oslo";
const FEW: usize = 1;
const WIDE: u128 = 40;
mod limits {
    pub const MOST: i64 = 120;
}
struct Limits;
impl Limits {
    const MANY: i32 = 2;
}

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(min = LEAST, max = limits::MOST, default = LEAST + 1)]
    age: u8,
    #[elicit(max_length = 2 * 8)]
    name: String,
    #[elicit(default = ON)]
    on: bool,
    #[elicit(min_length = FEW, max_length = WIDE, default = TO)]
    to: String,
    #[elicit(max = u32::MAX)]
    long: u64,
    #[elicit(min = -limits::MOST, max = WIDE, default = Limits::MANY)]
    shift: Option<i16>,
    #[elicit(min_items = FEW, max_items = Limits::MANY)]
    extras: Vec<Extra>,
}

pub fn main() {
    let trip = Trip::decode(r#"{"name":"A","long":1,"extras":["parking"]}"#).unwrap();
    assert_eq!((trip.age, trip.on, trip.shift), (19, true, Some(2)));
    let schema = Trip::declaration().schema();
    assert!(schema.contains(r#""minimum":-120,"maximum":40,"default":2"#), "{schema}");
    assert!(schema.contains(r#""minItems":1,"maxItems":2"#), "{schema}");
}
