//! Each kind of question in a tool of its own: a small server to try a client against.
//!
//! Run it with `cargo run --example questions`. `PORT` changes the port, `MCP_ELICIT_DATA` where it keeps its data. For a
//! client that starts its servers itself, the command has `-- --stdio` at its end.

mod common;

use mcp_elicit::auth::DevUsers;
use mcp_elicit::prelude::*;

/// Who travels?
#[derive(Elicit)]
struct Traveller {
    #[elicit(max_length = 40)]
    name: String,
    #[elicit(min = 1, max = 9, default = 1)]
    seats: u8,
    /// Luggage in kilograms
    #[elicit(min = 0.0, max = 99.5)]
    luggage: Option<f64>,
}

/// What do you eat?
#[derive(Elicit)]
struct Meal {
    dish: Dish,
    extras: Vec<Extra>,
    /// In your own words
    wish: Option<String>,
}

#[derive(Choice, Debug)]
enum Dish {
    #[choice(title = "Soup of the day")]
    Soup,
    #[choice(title = "Bread and cheese")]
    Bread,
}

#[derive(Choice, Debug)]
enum Extra {
    Coffee,
    Cake,
}

/// Your account at the railway.
#[derive(Elicit)]
#[elicit(
    url = "/ui/account",
    message = "Please sign in to the railway to continue."
)]
struct Account {
    /// Password of the account
    #[secret]
    password: SecretString,
    /// A name for this account
    label: Option<String>,
}

/// Reserve seats: one form.
#[tool(asks(Traveller))]
async fn reserve(cx: &Cx) -> Result<String, CallError> {
    Ok(told(&cx.ask::<Traveller>().await?))
}

/// Reserve seats and a meal, asked one after the other.
#[tool(asks(Traveller, Meal))]
async fn reserve_then_dine(cx: &Cx) -> Result<String, CallError> {
    let traveller = cx.ask::<Traveller>().await?;
    let question = format!("What do you eat, {}?", traveller.name);
    let meal = cx.ask::<Meal>().message(question).await?;
    Ok(format!("{}; {}", told(&traveller), served(&meal)))
}

/// Reserve seats and a meal, asked both at once.
#[tool(asks(Traveller, Meal))]
async fn reserve_and_dine(cx: &Cx) -> Result<String, CallError> {
    let (traveller, meal) = try_join!(cx.ask::<Traveller>(), cx.ask::<Meal>())?;
    Ok(format!("{}; {}", told(&traveller), served(&meal)))
}

/// Connect the user's account: a page of this server's own.
#[tool(asks(Account))]
async fn connect(cx: &Cx) -> Result<String, CallError> {
    let account = cx.ask::<Account>().await?;
    let label = account.label.as_deref().unwrap_or("your account");
    // Over stdio this goes to standard error: standard output is for messages alone.
    println!("connected: {label}");
    Ok(format!("{label} is connected"))
}

fn told(traveller: &Traveller) -> String {
    let luggage = traveller.luggage.unwrap_or_default();
    format!(
        "{}: {} seats, {luggage} kg",
        traveller.name, traveller.seats
    )
}

fn served(meal: &Meal) -> String {
    let wish = meal.wish.as_deref().unwrap_or("no wish");
    format!("{:?} with {:?}, {wish}", meal.dish, meal.extras)
}

#[tokio::main]
async fn main() -> mcp_elicit::Result<()> {
    common::log();
    let tools = toolset![reserve, reserve_then_dine, reserve_and_dine, connect];
    let server = Server::new("questions", env!("CARGO_PKG_VERSION"))
        .tools(tools)
        .limits(common::limits());
    if common::is_stdio() {
        return server.serve_stdio().await;
    }
    server.auth(DevUsers).serve(&common::address()).await
}
