//! A server for long load tests: a bit of everything that takes time or memory.
//!
//! `cargo xtask soak` drives it. Run it by hand with `cargo run --example soak`.

mod common;

use std::time::Duration;

use mcp_elicit::ExposeSecret;
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

/// How many seats?
#[derive(Elicit)]
struct Seats {
    #[elicit(min = 1, max = 9)]
    seats: u8,
}

/// Which day?
#[derive(Elicit)]
struct Day {
    day: String,
}

/// Asks one question.
#[tool]
async fn one(cx: &Cx) -> Result<String, CallError> {
    let answer = cx.ask::<Seats>().await?;
    Ok(format!("{} seats", answer.seats))
}

/// Asks two questions, one after the other, with a read in between.
#[tool]
async fn two(cx: &Cx) -> Result<String, CallError> {
    let first = cx.ask::<Seats>().await?;
    let read = cx.step("read", async |_| Ok("x".repeat(6000))).await?;
    let second = cx.ask::<Day>().await?;
    Ok(format!(
        "{} seats, {}, {}",
        first.seats,
        second.day,
        read.len()
    ))
}

/// Asks two questions at once.
#[tool]
async fn both(cx: &Cx) -> Result<String, CallError> {
    let (seats, day) = try_join!(cx.ask::<Seats>(), cx.ask::<Day>())?;
    Ok(format!("{} seats, {}", seats.seats, day.day))
}

/// Your account at the test provider.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    #[secret]
    api_key: SecretString,
}

/// Uses one of the user's accounts.
#[tool(asks(Account))]
async fn connect(
    cx: &Cx,
    /** Which one */
    name: String,
) -> Result<String, CallError> {
    let account = cx.ask::<Account>().named(&name).await?;
    Ok(format!(
        "{} characters",
        account.api_key.expose_secret().len()
    ))
}

/// Does something once, after a yes.
#[tool]
async fn pay(cx: &Cx) -> Result<String, CallError> {
    cx.confirm("Pay now?").await?;
    let receipt = cx.once("pay", async |s| Ok(s.key().to_owned())).await?;
    Ok(format!("Paid, {receipt}"))
}

/// Counts to ten.
#[tool]
async fn count(cx: &Cx) -> &'static str {
    for i in 1..=10 {
        cx.progress(i, 10);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    "Ten"
}

/// Takes three seconds.
#[tool]
async fn slow() -> &'static str {
    tokio::time::sleep(Duration::from_secs(3)).await;
    "At last"
}

/// Returns 100,000 letters.
#[tool]
async fn large() -> String {
    "x".repeat(100_000)
}

/// Tells those who listen that the tools have changed.
#[tool]
async fn change(cx: &Cx) -> &'static str {
    cx.changes().tools_changed();
    "Told"
}

/// How many tasks there are.
#[tool]
async fn tasks() -> String {
    let runtime = tokio::runtime::Handle::current();
    runtime.metrics().num_alive_tasks().to_string()
}

#[tokio::main]
async fn main() -> mcp_elicit::Result<()> {
    common::log();
    let limits = common::limits().hold(Duration::from_secs(5));
    Server::new("soak", env!("CARGO_PKG_VERSION"))
        .tools(toolset![
            echo, one, two, both, connect, pay, count, slow, large, change, tasks
        ])
        .auth(DevUsers)
        .limits(limits.listeners(10_000).sign_in_rate(0))
        .serve(&common::address())
        .await
}
