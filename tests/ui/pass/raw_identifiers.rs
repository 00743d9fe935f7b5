use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct r#struct {
    r#type: String,
    r#match: Option<u8>,
}

pub fn main() {
    let it = r#struct::declaration();
    assert_eq!(it.key(), "struct");
    assert_eq!(it.table().fields[0].name, "type");
    assert!(r#struct::decode(r#"{"type":"a"}"#).is_ok());
}
