use mcp_elicit::prelude::*;

type Hidden = SecretString;

/// Where to?
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Trip {
    #[secret]
    key: Hidden,
    #[secret]
    other: Option<Hidden>,
}

pub fn main() {
    let trip = Trip::decode(r#"{"key":"k"}"#).unwrap();
    assert!(trip.other.is_none());
    assert!(format!("{:?}", trip.key).contains("REDACTED"));
}
