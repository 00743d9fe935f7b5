extern crate mcp_elicit as elicitation;

mod inner {
    use super::elicitation::{self, Choice, Elicit};

    #[derive(Choice)]
    #[choice(crate = elicitation)]
    pub enum Class {
        First,
    }

    /// Where to?
    #[derive(Elicit)]
    #[elicit(crate = elicitation)]
    pub struct Trip {
        pub class: Class,
        #[elicit(max_length = 3)]
        pub to: String,
    }
}

use elicitation::Elicit;

pub fn main() {
    assert!(inner::Trip::decode(r#"{"class":"first","to":"Rom"}"#).is_ok());
}
