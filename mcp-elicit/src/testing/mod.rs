//! Tests of a server of your own, in one process: no sockets, no sleeping, no files.
//!
//! A [`TestApp`] is a server with a store in memory and a clock that stands still. A call is
//! written as a script, an answer for each question by its type, and awaited for what came of it:
//!
//! ```
//! use mcp_elicit::prelude::*;
//! use mcp_elicit::testing::TestApp;
//! use serde_json::json;
//!
//! /// Where do you want to sit?
//! #[derive(Elicit)]
//! struct Seat {
//!     #[elicit(min = 1, max = 30)]
//!     row: u8,
//!     window: bool,
//! }
//!
//! /// Reserves a seat.
//! #[tool(asks(Seat))]
//! async fn reserve(cx: &Cx, train: String) -> Result<String, CallError> {
//!     let seat = cx.ask::<Seat>().await?;
//!     cx.confirm(format!("Reserve row {}?", seat.row)).await?;
//!     Ok(format!("Row {} on {train}", seat.row))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let app = TestApp::new(Server::new("trains", "1.0.0").tools(toolset![reserve])).await;
//! let run = app
//!     .user("ada")
//!     .tool("reserve")
//!     .args(json!({ "train": "ICE 5" }))
//!     .accept(Seat { row: 7, window: true })
//!     .confirm(true)
//!     .await;
//! assert_eq!(run.text(), "Row 7 on ICE 5");
//! assert_eq!(run.rounds(), 3);
//! # }
//! ```
//!
//! What a test shows is what a client gets: each round is a JSON-RPC request through the checks,
//! the dispatch and the seal of the server itself, and each page is the page that people see.
//!
//! A test fails where a question comes that the script has no line for, where a line was not needed,
//! and where a handler does not do the same when it runs again: each round of a run is done twice for
//! that, see [`TestCall::once_per_round`]. The message says what was asked and answered so far.
//!
//! The whole is in the guide, `docs/guide/testing.md`.

// A client and a browser over the routers of an `App`, in the task of the test. It sees into a
// round by `runtime::probe`. Nothing of it is in a build without the feature.

mod answer;
mod app;
mod browser;
mod call;
mod client;
mod clock;
mod compare;
mod fail;
mod fixture;
mod html;
mod line;
mod notice;
mod parked;
mod play;
mod run;
mod script;

pub use answer::{AnswerTo, ClientAnswer, Offer, Offers, Picked};
pub use app::{TestApp, TestUser};
pub use browser::{Browser, Page};
pub use call::{TestCall, Until};
pub use clock::TestClock;
pub use fixture::{BadFixture, Fixture, Replay};
pub use parked::Parked;
pub use run::{Asked, Refused, Run};
