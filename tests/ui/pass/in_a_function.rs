use mcp_elicit::prelude::*;



pub fn main() {
    #[derive(Choice)]
    enum Class {
        First,
    }

    /// Where to?
    #[derive(Elicit)]
    struct Trip {
        class: Class,
    }

    assert!(Trip::decode(r#"{"class":"first"}"#).is_ok());
}
