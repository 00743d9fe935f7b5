use mcp_elicit::prelude::*;

const LEAST: u8 = 18;
const ON: bool = true;
const TO: &str = "Oslo";
mod limits {
    pub const MOST: i64 = 120;
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
    #[elicit(default = TO)]
    to: String,
    #[elicit(max = u32::MAX)]
    long: u64,
}

pub fn main() {
    let trip = Trip::decode(r#"{"name":"A","long":1}"#).unwrap();
    assert_eq!((trip.age, trip.on), (19, true));
}
