use mcp_elicit::prelude::*;

/// Where to? The timetable is on our web site.
#[derive(Elicit)]
struct Trip {
    /// The town, as its sign says
    to: String,
}

pub fn main() {}
