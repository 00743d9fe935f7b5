//! What becomes of what is stored when keys are changed, lost, or taken away.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_elicit::auth::DevUsers;
use mcp_elicit::prelude::*;
use mcp_elicit::{App, ExposeSecret, Keyring, Limits, Server};
use mcp_elicit_tests::{Client, Got};
use serde_json::json;

use super::{whose, with_key};

const KEY: &str = "sk_live_4eC39HqLyjWDarjt";

/// A directory of one test.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Self {
        let name = format!("mcp-elicit-keys-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Another credential, which is not kept beyond the process.
#[derive(Elicit)]
#[elicit(url = "/ui/short", keep = "process")]
struct Short {
    #[secret]
    pass: SecretString,
}

/// Uses what is kept for one process.
#[tool(asks(Short))]
async fn short(cx: &Cx) -> Result<String, CallError> {
    let short = cx.ask::<Short>().await?;
    Ok(format!("{} bytes", short.pass.expose_secret().len()))
}

/// Pays once for all, and tells a random receipt.
#[tool]
async fn pay(cx: &Cx) -> Result<String, CallError> {
    let receipt = cx.once("pay", async |s| Ok(s.key().to_owned()));
    receipt.by("invoice 7").await
}

/// What an order is completed with, if it is; else the token that completes it.
#[tool]
async fn order(cx: &Cx) -> Result<String, CallError> {
    let slot = cx.completion::<String>("order 7");
    Ok(slot.get().await?.unwrap_or_else(|| slot.token().to_owned()))
}

fn ring(first: u8, old: &[u8]) -> Keyring {
    let ring = Keyring::new([first; 32]).unwrap();
    old.iter()
        .fold(ring, |ring, old| ring.and_old([*old; 32]).unwrap())
}

fn at(dir: &Path) -> Server {
    Server::new("test", "1")
        .auth(DevUsers)
        .data_dir(dir)
        .limits(Limits::default().hold(Duration::ZERO))
        .tools(toolset![whose, short, pay, order])
}

async fn built(server: Server) -> (App, Client) {
    let app = server.build().await.unwrap();
    let client = Client::new(&app, "alice");
    (app, client)
}

/// One of everything that is kept: a credential, a result, a completion. Returns the receipt.
async fn fill(app: &App, client: &Client) -> String {
    with_key(app, client, "whose", KEY).await;
    let receipt = client.call("pay", json!({})).await.first_text().to_owned();
    assert_eq!(receipt.len(), 52, "{receipt}");
    let token = client
        .call("order", json!({}))
        .await
        .first_text()
        .to_owned();
    app.completions().complete(&token, "done").await.unwrap();
    receipt
}

async fn call(client: &Client, tool: &str) -> Got {
    client.call(tool, json!({})).await
}

#[tokio::test]
async fn all_that_is_kept_goes_over_to_the_new_secret() {
    let dir = Dir::new("all");
    let (app, client) = built(at(&dir.0).keyring(ring(1, &[]))).await;
    let receipt = fill(&app, &client).await;
    let found = app.rewrap().await.unwrap();
    assert_eq!((found.changed, found.current, found.unreadable), (0, 3, 0));

    let (app, _) = built(at(&dir.0).keyring(ring(2, &[1]))).await;
    let found = app.rewrap().await.unwrap();
    assert_eq!((found.changed, found.current, found.unreadable), (3, 0, 0));
    let found = app.rewrap().await.unwrap();
    assert_eq!((found.changed, found.current, found.unreadable), (0, 3, 0));

    // The old secret is not needed any more.
    let (_new, client) = built(at(&dir.0).keyring(ring(2, &[]))).await;
    assert_eq!(call(&client, "whose").await.first_text(), "arjt main");
    assert_eq!(call(&client, "pay").await.first_text(), receipt);
    assert_eq!(call(&client, "order").await.first_text(), "done");

    // Under a ring that has neither, all three are told apart from what is readable.
    let (app, _) = built(at(&dir.0).keyring(ring(3, &[]))).await;
    let found = app.rewrap().await.unwrap();
    assert_eq!((found.changed, found.current, found.unreadable), (0, 0, 3));
}

#[tokio::test]
async fn a_credential_that_is_used_goes_over_by_itself() {
    let dir = Dir::new("used");
    let (app, client) = built(at(&dir.0).keyring(ring(1, &[]))).await;
    fill(&app, &client).await;
    let (_both, client) = built(at(&dir.0).keyring(ring(2, &[1]))).await;
    assert_eq!(call(&client, "whose").await.first_text(), "arjt main");
    let (_new, client) = built(at(&dir.0).keyring(ring(2, &[]))).await;
    assert_eq!(call(&client, "whose").await.first_text(), "arjt main");
}

#[tokio::test]
async fn a_server_that_serves_brings_all_over_in_the_background() {
    let dir = Dir::new("serves");
    let (app, client) = built(at(&dir.0).keyring(ring(1, &[]))).await;
    fill(&app, &client).await;
    let (app, _) = built(at(&dir.0).keyring(ring(2, &[1]))).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let served = app.clone();
    let serving = tokio::spawn(async move {
        let stop = async {
            let _ = stopped.await;
        };
        served.serve_on(listener, stop).await
    });
    let (new, _) = built(at(&dir.0).keyring(ring(2, &[]))).await;
    let began = std::time::Instant::now();
    while new.rewrap().await.unwrap().current < 3 {
        assert!(began.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    stop.send(()).unwrap();
    serving.await.unwrap().unwrap();
}

/// What was logged.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Lines {
    fn take(&self) -> String {
        String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap()
    }
}

#[tokio::test]
async fn what_a_removed_secret_had_sealed_is_asked_for_again() {
    let dir = Dir::new("removed");
    let (app, client) = built(at(&dir.0).keyring(ring(1, &[]))).await;
    fill(&app, &client).await;
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone());
    let _logging = tracing::subscriber::set_default(subscriber.finish());

    let (app, client) = built(at(&dir.0).keyring(ring(2, &[]))).await;
    assert!(call(&client, "whose").await.asks());
    let log = lines.take();
    assert!(
        log.contains("account") && log.contains("is not in the keyring any more"),
        "{log}"
    );
    let pay = call(&client, "pay").await;
    assert!(
        pay.is_error() && pay.first_text().contains("cannot be read any more"),
        "{}",
        pay.text
    );
    // The order counts as open, and may be completed again, by a token of the present keys.
    let token = call(&client, "order").await.first_text().to_owned();
    assert!(token.starts_with("c1."), "{token}");
    assert!(lines.take().contains("a completion cannot be opened"));
    assert!(app.completions().complete(&token, "again").await.unwrap());
    assert_eq!(call(&client, "order").await.first_text(), "again");

    with_key(&app, &client, "whose", "sk_live_another_one_0001").await;
    assert_eq!(call(&client, "whose").await.first_text(), "0001 main");
    let log = lines.take();
    for secret in [KEY, "sk_live_another_one_0001"] {
        assert!(!log.contains(secret), "{log}");
    }
}

#[tokio::test]
async fn a_lost_key_file_loses_the_credentials_and_no_more() {
    let dir = Dir::new("lost");
    let (app, client) = built(at(&dir.0)).await;
    fill(&app, &client).await;
    drop((app, client));
    std::fs::remove_file(dir.0.join("key")).unwrap();
    let (app, client) = built(at(&dir.0)).await;
    assert!(call(&client, "whose").await.asks());
    // It is not done again.
    assert!(
        call(&client, "pay")
            .await
            .first_text()
            .contains("done already")
    );
    with_key(&app, &client, "whose", KEY).await;
    assert_eq!(call(&client, "whose").await.first_text(), "arjt main");
}

#[tokio::test]
async fn a_backup_of_store_and_key_is_all_there_is() {
    let (dir, copy) = (Dir::new("original"), Dir::new("backup"));
    let (app, client) = built(at(&dir.0)).await;
    let receipt = fill(&app, &client).await;
    drop((app, client));
    std::fs::create_dir(&copy.0).unwrap();
    private(&copy.0);
    for file in std::fs::read_dir(&dir.0).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), copy.0.join(file.file_name())).unwrap();
    }
    let (_app, client) = built(at(&copy.0)).await;
    assert_eq!(call(&client, "whose").await.first_text(), "arjt main");
    assert_eq!(call(&client, "pay").await.first_text(), receipt);
    assert_eq!(call(&client, "order").await.first_text(), "done");
}

fn private(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).unwrap();
    }
    let _ = path;
}

#[tokio::test]
async fn what_is_kept_for_one_process_is_of_no_use_to_another() {
    let dir = Dir::new("process");
    let (app, client) = built(at(&dir.0).keyring(ring(1, &[]))).await;
    let one = call(&client, "short").await;
    let link = one.link("short");
    let mut browser = mcp_elicit_tests::Browser::new(&app);
    let page = browser.sign_in(&link, "alice").await;
    assert!(
        page.text.contains("until this server is restarted"),
        "{}",
        page.text
    );
    browser.submit(&link, &page, &[("pass", KEY)]).await;
    assert_eq!(call(&client, "short").await.first_text(), "24 bytes");
    // Beside it, and after a restart.
    let (beside, there) = built(at(&dir.0).keyring(ring(1, &[]))).await;
    assert!(call(&there, "short").await.asks());
    assert_eq!(call(&client, "short").await.first_text(), "24 bytes");
    // A change of keys does not take it from its own process.
    let found = beside.rewrap().await.unwrap();
    assert_eq!((found.changed, found.current), (0, 1));
}

/// What is kept for a time.
#[derive(Elicit)]
#[elicit(url = "/ui/timed", keep = "1s")]
struct Timed {
    #[secret]
    pass: SecretString,
}

/// Uses what is kept for a time.
#[tool(asks(Timed))]
async fn timed(cx: &Cx) -> Result<String, CallError> {
    let timed = cx.ask::<Timed>().await?;
    Ok(format!("{} bytes", timed.pass.expose_secret().len()))
}

#[tokio::test]
async fn what_is_kept_for_a_time_is_asked_for_again_after_it() {
    let (app, client) = built(mcp_elicit_tests::server().tools(toolset![timed])).await;
    let link = call(&client, "timed").await.link("timed");
    let mut browser = mcp_elicit_tests::Browser::new(&app);
    let page = browser.sign_in(&link, "alice").await;
    assert!(page.text.contains("for 1 second"), "{}", page.text);
    browser.submit(&link, &page, &[("pass", KEY)]).await;
    assert_eq!(call(&client, "timed").await.first_text(), "24 bytes");
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert!(call(&client, "timed").await.asks());
    let list = browser.open("/ui").await;
    assert!(list.text.contains("Nothing is stored"), "{}", list.text);
}
