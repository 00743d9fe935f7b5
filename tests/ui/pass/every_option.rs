use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Extra {
    Breakfast,
    Parking,
}

fn check(_: &Trip) -> Result<(), mcp_elicit::Invalid> {
    Ok(())
}

/// Where to?
#[derive(Elicit)]
#[elicit(message = "Where to?", key = "my-trip", guarded, rename_all = "camelCase", check = check)]
struct Trip {
    #[elicit(title = "To", description = "A town", min_length = 1, max_length = 40, default = "Oslo")]
    to: String,
    #[elicit(format = "email", rename = "mail")]
    email: String,
    #[elicit(min = -0.5, max = 1e3, default = -0.25)]
    rate: f64,
    #[elicit(min = 1, max = 9, default = 1)]
    seats: u8,
    #[elicit(min_items = 1, max_items = 2, default = ["parking"])]
    extras: Vec<Extra>,
    #[elicit(default = "parking")]
    extra: Extra,
    #[elicit(default = true)]
    window: bool,
    #[elicit(default = "2025-04-17")]
    day: jiff::civil::Date,
    #[elicit(not_secret = "printed on the ticket")]
    pin: u16,
}

pub fn main() {
    assert!(Trip::declaration().is_guarded());
    assert!(Trip::decode(r#"{"mail":"a@b.c","pin":3}"#).is_ok());
}
