//! A server for load tests: an echo, a form with five fields, and eighteen tools that are listed.
//!
//! Run it with `PORT=3000 cargo run --release -p mcp-elicit --example bench`. Without `-p` it is built with
//! what the tests need, which no server that is measured should have.

use mcp_elicit::auth::DevUsers;
use mcp_elicit::prelude::*;

/// Return the given text unchanged
#[tool]
async fn echo(
    /** The text to return */
    text: String,
) -> String {
    text
}

#[derive(Elicit)]
#[elicit(key = "details", message = "Please give the details of the booking")]
struct Details {
    /// Who the booking is for
    #[elicit(min_length = 1, max_length = 80)]
    name: String,
    /// Where to send the confirmation
    #[elicit(title = "E-mail", format = "email")]
    email: String,
    /// Kind of the booking
    plan: Plan,
    /// Number of seats
    #[elicit(min = 1, max = 40)]
    seats: i64,
    /// Whether to order catering
    catering: bool,
}

#[derive(Choice)]
#[choice(rename_all = "kebab-case")]
enum Plan {
    Hour,
    HalfDay,
    Day,
}

/// Book a meeting room; asks for the details of the booking
#[tool]
async fn book(
    cx: &Cx,
    /** The name of the room */
    room: String,
) -> Result<String, CallError> {
    let d = cx.ask::<Details>().await?;
    let plan = match d.plan {
        Plan::Hour => "hour",
        Plan::HalfDay => "half-day",
        Plan::Day => "day",
    };
    Ok(format!(
        "Booked {room} for {} <{}>: plan {plan}, {} seats, catering {}",
        d.name, d.email, d.seats, d.catering
    ))
}

/// Tools that are listed and never called.
macro_rules! fillers {
    ($($name:ident $number:literal,)*) => {
        $(
            #[doc = concat!("Filler tool number ", $number, "; it is listed and never called")]
            #[tool]
            async fn $name(
                /** What to look for */ query: String,
                /** How many results to return */ limit: Option<i64>,
                /** Whether to explain the results */ verbose: Option<bool>,
            ) -> String {
                format!("{query} {limit:?} {verbose:?}")
            }
        )*
    };
}

fillers! {
    tool_03 "3", tool_04 "4", tool_05 "5", tool_06 "6", tool_07 "7", tool_08 "8", tool_09 "9",
    tool_10 "10", tool_11 "11", tool_12 "12", tool_13 "13", tool_14 "14", tool_15 "15",
    tool_16 "16", tool_17 "17", tool_18 "18", tool_19 "19", tool_20 "20",
}

#[tokio::main]
async fn main() -> mcp_elicit::Result<()> {
    let port = std::env::var("PORT").unwrap_or_else(|_| "3000".into());
    Server::new("bench", env!("CARGO_PKG_VERSION"))
        .tools(toolset![echo, book])
        .tools(toolset![
            tool_03, tool_04, tool_05, tool_06, tool_07, tool_08, tool_09, tool_10, tool_11,
            tool_12, tool_13, tool_14, tool_15, tool_16, tool_17, tool_18, tool_19, tool_20
        ])
        .auth(DevUsers)
        .serve(&format!("127.0.0.1:{port}"))
        .await
}
