//! A page with every kind of field, under a brand of its own.
//!
//! Run it with `cargo run --example pages`, call the tool `connect_warehouse` and open the link.
//! `PORT` changes the port, `MCP_ELICIT_DATA` where it keeps its data.

mod common;

use mcp_elicit::auth::DevUsers;
use mcp_elicit::prelude::*;
use mcp_elicit::web::looks::Brand;
use mcp_elicit::{ExposeSecret, Invalid};

/// How do we reach your data warehouse?
#[derive(Elicit)]
#[elicit(
    url = "/ui/warehouse",
    message = "We copy last night's orders into your warehouse. For that we need a login that may write to one schema.",
    keep = "30d",
    check = sound
)]
struct Warehouse {
    /// Who is told when a copy fails
    #[elicit(format = "email")]
    owner: String,
    /// Of a user made for this alone. It begins with wh_
    #[secret]
    password: SecretString,
    region: Region,
    #[elicit(default = "small")]
    size: Size,
    /// What it may be used for
    #[elicit(min_items = 1)]
    jobs: Vec<Job>,
    #[elicit(min = 1, max = 65535, default = 5432)]
    port: u16,
    /// First night; tonight if left out
    starts: Option<jiff::civil::Date>,
    /// Encrypt the connection
    #[elicit(default = true)]
    encrypted: bool,
    /// In PEM, if the warehouse wants one from us
    #[secret(multiline)]
    certificate: Option<SecretString>,
}

#[derive(Choice, Debug)]
enum Region {
    #[choice(title = "Europe")]
    Eu,
    #[choice(title = "North America")]
    Na,
    #[choice(title = "Asia and the Pacific")]
    Ap,
}

#[derive(Choice, Debug)]
enum Size {
    Tiny,
    Small,
    Medium,
    Large,
    Huge,
    Enormous,
}

#[derive(Choice, Debug)]
enum Job {
    Backup,
    Reports,
    Search,
}

fn sound(it: &Warehouse) -> Result<(), Invalid> {
    let mut all = Vec::new();
    if !it.password.expose_secret().starts_with("wh_") {
        all.push(Invalid::field("password", "does not begin with wh_"));
    }
    let is_pem = |c: &SecretString| c.expose_secret().starts_with("-----BEGIN");
    if !it.certificate.as_ref().is_none_or(is_pem) {
        all.push(Invalid::field("certificate", "is not in PEM"));
    }
    all.into_iter().reduce(Invalid::and).map_or(Ok(()), Err)
}

/// Connects your data warehouse.
#[tool(asks(Warehouse), title = "Connect a warehouse")]
async fn connect_warehouse(cx: &Cx) -> Result<String, CallError> {
    let it = cx.ask::<Warehouse>().await?;
    let encrypted = if it.encrypted { "encrypted" } else { "plain" };
    let starts = it
        .starts
        .map_or("tonight".to_owned(), |day| day.to_string());
    Ok(format!(
        "Connected: {:?}, {:?}, {:?}, port {}, {encrypted}, from {starts}; {} is told of failures.",
        it.region, it.size, it.jobs, it.port, it.owner
    ))
}

#[tokio::main]
async fn main() -> mcp_elicit::Result<()> {
    common::log();
    Server::new("northwind", env!("CARGO_PKG_VERSION"))
        .title("Northwind Traders")
        .tools(toolset![connect_warehouse])
        .brand(
            Brand::new()
                .logo("image/svg+xml", &include_bytes!("northwind.svg")[..])
                .accent("#0b6e4f", "#7fd8b4"),
        )
        .auth(DevUsers)
        .limits(common::limits())
        .serve(&common::address())
        .await
}
