use mcp_elicit::prelude::*;

macro_rules! form {
    ($name:ident, $message:expr, $least:expr, $field:ident: $ty:ty) => {
        #[derive(Elicit)]
        #[elicit(message = $message)]
        struct $name {
            #[elicit(min = $least, title = "Title")]
            $field: $ty,
        }
    };
}

form!(Trip, "Where to?", 3, seats: u8);

pub fn main() {
    assert_eq!(Trip::declaration().message(), "Where to?");
    assert!(Trip::decode(r#"{"seats":2}"#).is_err());
    assert_eq!(Trip::decode(r#"{"seats":3}"#).unwrap().seats, 3);
}
