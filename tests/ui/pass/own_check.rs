use mcp_elicit::Invalid;
use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(check = is_lower_case)]
struct Trip {
    #[elicit(max_length = 20)]
    to: String,
}

fn is_lower_case(trip: &Trip) -> Result<(), Invalid> {
    if trip.to.chars().any(char::is_uppercase) {
        return Err(Invalid::field("to", "must be in lower case"));
    }
    Ok(())
}

pub fn main() {}
