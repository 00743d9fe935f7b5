//! The log says what happened, and never what was said.

use super::listen::{Log, Metrics, Records};
use super::*;

/// An answer to the form with markers in it.
fn marked(place: &str, email: &str) -> Value {
    json!({ "trip": { "action": "accept", "content": { "place": place, "email": email } } })
}

/// A run from its beginning to an end of this kind: a form that is answered wrongly, with the words
/// of the answer repeated to the client, then rightly; a page; and a handler that says all that it
/// knows.
async fn run(app: &App, end: &str) -> Got {
    let client = Client::new(app, "marker-user");
    let arguments = json!({ "who": "marker-argument", "end": end });
    let one = client.call("travel", arguments.clone()).await;
    let long = "marker-wrong".repeat(9);
    let two = client
        .retry(
            "travel",
            arguments.clone(),
            &one.state(),
            marked(&long, "marker-wrong"),
        )
        .await;
    assert!(two.asks(), "{}", two.text);
    let answers = marked("marker-place", "marker-mail@example.com");
    let three = client
        .retry("travel", arguments.clone(), &two.state(), answers)
        .await;
    if !three.asks() {
        // The key is there from an earlier run.
        return three;
    }
    let link = three.link("account.marker-argument");
    let mut browser = Browser::new(app);
    let page = browser.sign_in(&link, "marker-user").await;
    let wrong = "marker-label ".repeat(3000);
    let page = browser
        .submit(&link, &page, &[("key", MARKED_KEY), ("label", &wrong)])
        .await;
    assert_eq!(page.status, 422, "{}", page.text);
    let saved = browser
        .submit(
            &link,
            &page,
            &[("key", MARKED_KEY), ("label", "marker-label")],
        )
        .await;
    assert!(saved.status.is_redirection(), "{}", saved.text);
    let answers = accept("account.marker-argument");
    client
        .retry("travel", arguments, &three.state(), answers)
        .await
}

const MARKED_KEY: &str = "marker-secret-4eC39HqLyjWD";

#[tokio::test]
async fn nothing_that_was_said_is_logged_counted_or_recorded() {
    let (log, _guard) = Log::listen();
    let (metrics, records) = (Metrics::default(), Records::default());
    let _recorder = metrics::set_default_local_recorder(&metrics);
    let app = server()
        .limits(quick())
        .audit(records.sink())
        .build()
        .await
        .unwrap();
    let ends = [
        "error",
        "told",
        "source",
        "text",
        "secret",
        "leak",
        "journal",
        "panic",
        "panic with the secret",
        "",
    ];
    let mut links = Vec::new();
    for end in ends {
        let got = run(&app, end).await;
        assert!(!got.asks(), "{end}: {}", got.text);
        assert!(!got.text.contains("marker-secret"), "{end}: {}", got.text);
        links.push(got.link("account.marker-argument"));
    }
    let client = Client::new(&app, "marker-user");
    let (prompt, resource) = plan_and_read(&client, "marker-person", "marker-place").await;
    assert_eq!(
        (prompt.code(), resource.code()),
        (-32603, -32603),
        "{}",
        prompt.text
    );
    // What the client itself has given: in this round, in the state, and in the store.
    let able = able(&app, "marker-user");
    for said in [
        "marker-generated".to_owned(),
        "marker-generated ".repeat(300),
    ] {
        let one = first(&able, "of_client").await;
        let answers = of_client_says(&said);
        let two = able
            .retry("of_client", json!({}), &one.state(), answers)
            .await;
        let yes = json!({ "confirm": { "action": "accept", "content": { "confirm": true } } });
        let three = able.retry("of_client", json!({}), &two.state(), yes).await;
        assert!(three.is_error(), "{}", three.text);
    }
    // Whoever has no key yet, and so a link; and a state that somebody changed.
    let one = first(&client, "connect").await;
    let state = format!("{}A", one.state());
    client
        .retry("connect", json!({}), &state, accept("account"))
        .await;
    Browser::new(&app).open(&one.link("account")).await;

    let log_text = log.text();
    for told in [
        "run{feature=\"tool\" name=\"travel\"",
        "a tool failed",
        "nobody is called [removed]",
        "[removed] cannot go to [removed]",
        "panicked",
        "[removed]",
        "withheld",
        "a question was answered",
        "the user is asked",
        "a run ended",
        "a requestState was refused",
        "page opened",
    ] {
        assert!(log_text.contains(told), "{told} not in {log_text}");
    }
    let line = log_text.lines().find(|line| line.contains("marker"));
    assert_eq!(line, None);
    let ticket = one.link("account").rsplit('/').next().unwrap().to_owned();
    for hidden in [&one.state(), &ticket] {
        assert!(!log_text.contains(hidden), "{hidden}");
    }
    let series = metrics.series();
    assert!(series.len() > 10, "{series:?}");
    assert!(series.iter().all(|s| !s.contains("marker")), "{series:?}");
    let events = records.take();
    assert!(events.len() > 10, "{events:?}");
    for event in events {
        let text = serde_json::to_string(&event).unwrap();
        // Names are what these are for.
        let text = text
            .replace("marker-user", "")
            .replace("\"name\":\"marker-argument\"", "");
        assert!(
            !text.contains("marker") && !text.contains(&ticket),
            "{text}"
        );
    }
}

/// What the client and the log have of a run that ended so.
async fn told(end: &str) -> (Got, Vec<String>) {
    let (log, _guard) = Log::listen();
    let app = server().limits(quick()).build().await.unwrap();
    let got = run(&app, end).await;
    (got, log.lines("a tool failed"))
}

#[tokio::test]
async fn an_error_without_a_word_for_the_client_is_an_id_there_and_a_text_here() {
    let (got, lines) = told("error").await;
    assert!(got.is_error());
    let id = got.first_text().strip_prefix("Internal error ").unwrap();
    let id = id.strip_suffix('.').unwrap();
    assert_eq!(id.len(), 8, "{}", got.text);
    let [line] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert!(line.contains("ERROR") && line.contains(id), "{line}");
    assert!(
        line.contains("[removed] [removed] to [removed] by [removed]"),
        "{line}"
    );
}

#[tokio::test]
async fn what_is_told_is_for_the_client_and_the_source_for_the_log() {
    let (got, lines) = told("told").await;
    assert_eq!((got.first_text(), got.is_error()), ("Not today", true));
    let [line] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert!(
        line.contains("DEBUG") && line.contains("to [removed] by"),
        "{line}"
    );
    assert!(!line.contains("Not today"), "{line}");
}

#[tokio::test]
async fn a_source_that_is_told_is_for_both() {
    let (got, lines) = told("source").await;
    let said = "marker-argument marker-step to marker-place by marker-mail@example.com";
    assert_eq!((got.first_text(), got.is_error()), (said, true));
    let [line] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert!(
        line.contains("DEBUG") && line.contains("to [removed] by"),
        "{line}"
    );
}

#[tokio::test]
async fn a_text_of_the_author_is_for_both() {
    let (got, lines) = told("text").await;
    assert_eq!((got.first_text(), got.is_error()), ("No seats left", true));
    let [line] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert!(
        line.contains("DEBUG") && line.contains("No seats left"),
        "{line}"
    );
}

#[tokio::test]
async fn a_panic_is_an_internal_error_whose_text_has_no_answer() {
    for (end, text) in [
        (
            "panic",
            "what to do with [removed] [removed] to [removed] by [removed]?",
        ),
        ("panic with the secret", "withheld"),
    ] {
        let (log, _guard) = Log::listen();
        let app = server().limits(quick()).build().await.unwrap();
        let got = run(&app, end).await;
        assert_eq!(got.code(), -32603, "{}", got.text);
        let line = log.lines("ERROR").join("\n");
        assert!(line.contains(text), "{line}");
        assert!(!got.text.contains("marker"), "{}", got.text);
    }
}

#[tokio::test]
async fn rounds_of_one_run_have_one_name() {
    let (log, _guard) = Log::listen();
    let app = server().build().await.unwrap();
    let client = Client::new(&app, "ada");
    let one = first(&client, "ask").await;
    client.retry("ask", json!({}), &one.state(), trip()).await;
    let name = |line: &String| {
        let after = line.split("run=").nth(1)?;
        Some(after.split([' ', '}']).next()?.to_owned())
    };
    let asked = log.lines("the user is asked");
    let ended = log.lines("a run ended");
    let (Some(asked), Some(ended)) = (name(&asked[0]), name(&ended[0])) else {
        panic!("{asked:?} {ended:?}");
    };
    assert_eq!((asked.len(), &asked), (8, &ended));
    assert!(log.lines("a run ended")[0].contains("round=2"));
}

#[tokio::test]
async fn a_uri_is_not_logged_as_it_came() {
    /// Cannot be read.
    #[resource("mail://{who}/{+path}")]
    async fn mail(cx: &Cx, who: String, path: String) -> Result<String, CallError> {
        let _ = (who, path);
        Err(std::io::Error::other(format!("no mail at {}", cx.uri())))?
    }
    let (log, _guard) = Log::listen();
    let app = server().tools(toolset![mail]).build().await.unwrap();
    let client = Client::new(&app, "ada");
    let uri = "mail://ada%40example.com/inbox/j%C3%BCrg";
    let got = client.request("resources/read", Some(uri), json!({ "uri": uri }));
    assert!(got.await.code() < 0);
    let error = log.lines("ERROR").join("\n");
    assert!(error.contains("no mail at mail://[removed]/"), "{error}");
    for said in ["ada%40", "example.com", "C3%BC", "jürg"] {
        assert!(!error.contains(said), "{said}: {error}");
    }
}

#[tokio::test]
async fn a_server_says_where_it_is() {
    let (log, _guard) = Log::listen();
    let server =
        server().keyring(mcp_elicit::Keyring::new(*b"marker-of-32-bytes-for-the-ring!").unwrap());
    let app = server.build().await.unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    app.serve_on(listener, async {}).await.unwrap();
    let [line] = &log.lines("the server is ready")[..] else {
        panic!("{}", log.text())
    };
    for part in [
        " INFO ".to_owned(),
        format!("address={address}"),
        "endpoint=/mcp".to_owned(),
        "revision=\"2026-07-28\"".to_owned(),
        format!("pages=http://{address}/ui"),
    ] {
        assert!(line.contains(&part), "{part}: {line}");
    }
    assert!(!log.text().contains("marker"), "{}", log.text());
}
