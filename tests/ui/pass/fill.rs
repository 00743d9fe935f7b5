//! Forms that a model fills in as far as it can, in every spelling.

use mcp_elicit::IntoTools;
use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    to: String,
}

/// Book a trip.
#[tool]
async fn book(
    /// Where the user wants to go
    Fill(trip): Fill<Trip>,
    #[arg(rename = "return")] back: mcp_elicit::Fill<Trip>,
) -> String {
    format!("{} {}", trip.to, back.0.to)
}

struct Agency;

#[tools]
impl Agency {
    /// Cancel a trip.
    #[tool]
    async fn cancel(&self, trip: Fill<Trip>, cx: &Cx) -> Result<String, CallError> {
        cx.confirm("Really?").await?;
        Ok(trip.0.to)
    }
}

pub fn main() {
    assert_eq!(toolset![book].tools.len(), 1);
    assert_eq!(Agency.into_tools().tools.len(), 1);
}
