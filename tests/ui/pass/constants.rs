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
const HALF: f64 = 0.5;
const TENTH: f32 = 0.1;
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
    #[elicit(min = -HALF, max = limits::MOST, default = HALF * 3.0)]
    price: f64,
    #[elicit(min = TENTH, max = 1.0 / 3.0, default = TENTH)]
    rate: f32,
}

pub fn main() {
    let trip = Trip::decode(r#"{"name":"A","long":1,"extras":["parking"]}"#).unwrap();
    assert_eq!((trip.age, trip.on, trip.shift), (19, true, Some(2)));
    let schema = Trip::declaration().schema();
    assert!(schema.contains(r#""minimum":-120,"maximum":40,"default":2"#), "{schema}");
    assert!(schema.contains(r#""minItems":1,"maxItems":2"#), "{schema}");
    let price = r#""minimum":-0.5,"maximum":120,"default":1.5"#;
    assert!(schema.contains(price), "{schema}");
    let rate = r#""minimum":0.1,"maximum":0.3333333333333333,"default":0.1"#;
    assert!(schema.contains(rate), "{schema}");
    assert_eq!((trip.price, trip.rate), (1.5, TENTH));
}
