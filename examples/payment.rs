//! A payment on somebody else's page: the tool sends its user there, and goes on when the provider
//! reports by webhook that it is paid.
//!
//! Run it with `cargo run --example payment`: it plays all parts by itself, the client, the user and the
//! provider, on loopback, and ends. With `-- serve` it stays, for a client and a browser of your own.
//! `PORT` changes the port.

mod common;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use mcp_elicit::auth::DevUsers;
use mcp_elicit::prelude::*;
use mcp_elicit::store::MemoryStore;
use mcp_elicit::{App, CompletionError, Completions, Keyring};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What an order is completed with.
#[derive(Serialize, Deserialize)]
struct Paid {
    receipt: String,
    cents: u32,
}

struct Shop {
    provider: Provider,
}

#[tools]
impl Shop {
    /// Order a book and pay for it.
    #[tool(destructive)]
    async fn order(
        &self,
        cx: &Cx,
        /** Number of the order */
        order: String,
    ) -> Result<String, CallError> {
        let slot = cx.completion::<Paid>(&order);
        // Paid after an earlier call had ended: then there is nothing to pay any more.
        let paid = match slot.get().await? {
            Some(paid) => paid,
            None => {
                let page = cx
                    .step("checkout", async |s| {
                        Ok(self.provider.checkout(1200, slot.token(), s.key()))
                    })
                    .await?;
                let message = format!("Please pay 12.00 EUR for order {order}.");
                cx.ask_external(slot, page).message(message).await?
            }
        };
        Ok(format!(
            "Order {order} is paid with {} cents, receipt {}.",
            paid.cents, paid.receipt
        ))
    }
}

/// Stands for a payment provider: it has a page for each checkout, and calls the webhook when the
/// user has paid there.
#[derive(Clone)]
struct Provider {
    address: SocketAddr,
    checkouts: Arc<Mutex<BTreeMap<String, Checkout>>>,
}

#[derive(Clone)]
struct Checkout {
    cents: u32,
    /// What the shop wants to be told back; the provider does not look into it.
    reference: String,
}

/// What the provider and the shop alone know. A real provider signs each report: check that with its
/// own library.
const SIGNATURE: &str = "only-the-provider-knows-this";

impl Provider {
    /// Opens a page for a payment; the same one for the same idempotency key.
    fn checkout(&self, cents: u32, reference: &str, key: &str) -> String {
        let mut all = self
            .checkouts
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        all.entry(key.to_owned()).or_insert_with(|| Checkout {
            cents,
            reference: reference.to_owned(),
        });
        format!("http://{}/provider/pay/{key}", self.address)
    }

    fn find(&self, id: &str) -> Option<Checkout> {
        let all = self
            .checkouts
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        all.get(id).cloned()
    }

    fn routes(self) -> Router {
        let show = async |State(it): State<Self>, Path(id): Path<String>| {
            match it.find(&id) {
            Some(checkout) => (
                [(header::CONTENT_TYPE, "text/html; charset=utf-8")],
                format!(
                    "<!doctype html><html lang=\"en\"><title>Pay</title><form method=\"post\">{} cents \
                     <button>Pay</button></form></html>",
                    checkout.cents
                ),
            )
                .into_response(),
            None => StatusCode::NOT_FOUND.into_response(),
        }
        };
        let pay = async |State(it): State<Self>, Path(id): Path<String>| {
            let Some(checkout) = it.find(&id) else {
                return (StatusCode::NOT_FOUND, "There is no such payment.");
            };
            let report = json!({
                "reference": checkout.reference, "receipt": format!("R-{}", &id[..6]), "cents": checkout.cents,
            });
            let headers = [("provider-signature", SIGNATURE)];
            match send(it.address, "/webhook", &headers, &report).await {
                Ok((200, _)) => (StatusCode::OK, "Paid. Go back to your app."),
                _ => (
                    StatusCode::BAD_GATEWAY,
                    "The shop does not answer; it is told again later.",
                ),
            }
        };
        Router::new()
            .route("/provider/pay/{id}", get(show).post(pay))
            .with_state(self)
    }
}

/// Where the provider reports payments.
async fn webhook(State(shop): State<Completions>, headers: HeaderMap, body: Bytes) -> StatusCode {
    #[derive(Deserialize)]
    struct Report {
        reference: String,
        #[serde(flatten)]
        paid: Paid,
    }
    if headers
        .get("provider-signature")
        .is_none_or(|it| it != SIGNATURE)
    {
        return StatusCode::FORBIDDEN;
    }
    let Ok(report) = serde_json::from_slice::<Report>(&body) else {
        return StatusCode::BAD_REQUEST;
    };
    match shop.complete(&report.reference, report.paid).await {
        Ok(is_first) => {
            eprintln!("shop: told of a payment, for the first time: {is_first}");
            StatusCode::OK
        }
        Err(CompletionError::Token) => StatusCode::NOT_FOUND,
        Err(CompletionError::Other) => StatusCode::CONFLICT,
        // The provider reports it again later.
        Err(error) => {
            eprintln!("shop: {error}");
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

/// The shop and the provider at one address.
async fn site(address: SocketAddr) -> Result<Router, Box<dyn std::error::Error>> {
    let provider = Provider {
        address,
        checkouts: Arc::default(),
    };
    let app: App = Server::new("shop", env!("CARGO_PKG_VERSION"))
        .tools(Shop {
            provider: provider.clone(),
        })
        .auth(DevUsers)
        .limits(common::limits())
        // So that each run of this example begins anew; leave both lines out to keep what was paid.
        .store(MemoryStore::new())
        .keyring(Keyring::random()?)
        .build()
        .await?;
    let webhook = post(webhook).with_state(app.completions());
    let shop = app.router().route("/webhook", webhook);
    Ok(shop.merge(provider.routes()))
}

/// Serves until the process ends, in the background.
async fn start(address: &str) -> Result<SocketAddr, Box<dyn std::error::Error>> {
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    let service = site(address)
        .await?
        .into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, service).await });
    Ok(address)
}

/// Plays the client and the user. Returns what the tool says in the end.
async fn play(address: SocketAddr) -> Result<String, Box<dyn std::error::Error>> {
    let asked = call(address, json!({})).await?;
    let link = asked["inputRequests"]["external"]["params"]["url"]
        .as_str()
        .ok_or("no link")?
        .to_owned();
    eprintln!("client: {}", asked["inputRequests"]["external"]["params"]);
    // The client has opened the link and says so. The call is held until the payment is there.
    let retry = tokio::spawn(async move {
        let accept = json!({ "external": { "action": "accept" } });
        let state = asked["requestState"].clone();
        call(
            address,
            json!({ "requestState": state, "inputResponses": accept }),
        )
        .await
        .map_err(|e| e.to_string())
    });
    let path = link
        .strip_prefix(&format!("http://{address}"))
        .ok_or("another host")?;
    let (status, text) = send(address, path, &[], &Value::Null).await?;
    eprintln!("user: pressed the button; the provider says {status} {text}");
    let done = retry.await??;
    Ok(done["content"][0]["text"]
        .as_str()
        .ok_or("no text")?
        .to_owned())
}

/// Calls the tool with more members of `params`; returns the result.
async fn call(address: SocketAddr, more: Value) -> Result<Value, Box<dyn std::error::Error>> {
    let mut params = json!({
        "name": "order", "arguments": { "order": "7" },
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "url": {} } },
        },
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let headers = [
        ("authorization", "Bearer alice"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "order"),
    ];
    let (_, text) = send(address, "/mcp", &headers, &body).await?;
    let reply: Value = serde_json::from_str(&text)?;
    match reply.get("result") {
        Some(result) => Ok(result.clone()),
        None => Err(text.into()),
    }
}

/// A POST of JSON, as plain as can be; returns status and body.
async fn send(
    address: SocketAddr,
    path: &str,
    headers: &[(&str, &str)],
    body: &Value,
) -> std::io::Result<(u16, String)> {
    let body = body.to_string();
    let mut request = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut stream = TcpStream::connect(address).await?;
    stream
        .write_all(format!("{request}\r\n{body}").as_bytes())
        .await?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await?;
    let status = reply.get(9..12).and_then(|s| s.parse().ok()).unwrap_or(0);
    let body = reply
        .split_once("\r\n\r\n")
        .map_or("", |(_, body)| body)
        .to_owned();
    Ok((status, body))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    common::log();
    let address = start(&common::address()).await?;
    if std::env::args().nth(1).as_deref() == Some("serve") {
        eprintln!("shop: an MCP server (revision 2026-07-28) at http://{address}/mcp");
        return Ok(tokio::signal::ctrl_c().await?);
    }
    eprintln!("tool: {}", play(address).await?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_plays_to_the_end() {
        let address = start("127.0.0.1:0").await.unwrap();
        let told = play(address).await.unwrap();
        assert!(
            told.starts_with("Order 7 is paid with 1200 cents, receipt R-"),
            "{told}"
        );
        // A later call finds it paid and asks nobody.
        let again = call(address, json!({})).await.unwrap();
        assert_eq!(again["content"][0]["text"], told);
    }

    #[tokio::test]
    async fn only_the_provider_reports_payments() {
        let address = start("127.0.0.1:0").await.unwrap();
        let report = json!({ "reference": "c1.made-up", "receipt": "R-1", "cents": 1 });
        for (headers, status) in [
            (&[][..], 403),
            (&[("provider-signature", "guess")][..], 403),
            (&[("provider-signature", SIGNATURE)][..], 404),
        ] {
            let got = send(address, "/webhook", headers, &report).await.unwrap();
            assert_eq!(got.0, status, "{got:?}");
        }
    }
}
