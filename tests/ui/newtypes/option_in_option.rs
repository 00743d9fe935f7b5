use mcp_elicit::prelude::*;

#[derive(Elicit)]
#[elicit(transparent)]
struct Note(Option<String>);

/// Who are you?
#[derive(Elicit)]
struct Guest {
    note: Option<Note>,
}

fn main() {}
