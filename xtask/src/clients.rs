//! Clients that people use, each through the same stories: it calls a tool of the `questions` example, answers what it is
//! asked, and must see what the table says.
//!
//! Each goes through them twice, over HTTP and over stdio. Uses `transport` for what is between client and server, and
//! `schema` for all that was sent. The clients are in `verify/clients/`, a driver for each, the stories in `stories.json`.

mod driver;
mod install;
mod story;
mod transport;

use std::path::PathBuf;
use std::thread;

use crate::json::Json;
use crate::npm::Packages;
use crate::place::{self, Tried};
use crate::recorder::Exchange;
use crate::schema::{self, Whose};
use crate::server::{self, Server};
use crate::seven::need;
use crate::verify::Outcome;
use install::{Client, Home, Installed};
use story::Story;
use transport::{PASSWORD, Transport};

/// What all clients share.
#[derive(Debug)]
struct Bench {
    program: PathBuf,
    server: Server,
    stories: Vec<Story>,
    file: PathBuf,
    packages: Packages,
}

/// A transport's name, and how a client of this name gets one.
type Way = (&'static str, fn(&Bench, &'static str) -> Tried<Transport>);

const WAYS: [Way; 2] = [
    ("http", |bench, user| {
        Transport::http(bench.server.address(), user)
    }),
    ("stdio", |bench, user| {
        Transport::stdio(&bench.program, user)
    }),
];

/// Runs every client that can be had here.
pub(crate) fn run() -> Outcome {
    let Installed {
        packages,
        clients,
        missing,
    } = match install::all() {
        Ok(installed) => installed,
        Err(outcome) => return outcome,
    };
    let bench = match Bench::new(packages) {
        Ok(bench) => bench,
        Err(fault) => return Outcome::Failed(vec![fault]),
    };
    // All at once: mostly they wait for their own programs to start.
    let results: Vec<(String, Tried<usize>)> = thread::scope(|scope| {
        let bench = &bench;
        let mut running = Vec::new();
        for client in &clients {
            for way in WAYS {
                let told = scope.spawn(move || bench.tell(client, way));
                running.push((format!("{} over {}", client.name, way.0), told));
            }
        }
        let ended = running.into_iter().map(|(name, told)| {
            let told = told.join();
            (
                name,
                told.unwrap_or_else(|_| Err("the check panicked".to_owned())),
            )
        });
        ended.collect()
    });
    let mut faults = Vec::new();
    let mut messages = 0;
    for (name, result) in results {
        match result {
            Ok(count) => messages += count,
            Err(fault) => faults.extend(fault.lines().map(|line| format!("{name}: {line}"))),
        }
    }
    let versions: Vec<&str> = clients
        .iter()
        .map(|client| client.version.as_str())
        .collect();
    let told = format!(
        "{} through {} stories, over HTTP and over stdio, {messages} messages as the schema says",
        versions.join(", "),
        bench.stories.len()
    );
    match (faults.is_empty(), missing.is_empty()) {
        (false, _) => Outcome::Failed(faults),
        (true, true) => Outcome::Passed(told),
        (true, false) => Outcome::Skipped(format!("{}; {told}", missing.join("; "))),
    }
}

impl Bench {
    fn new(packages: Packages) -> Tried<Self> {
        let file = install::folder().join("stories.json");
        let stories = Story::read(&place::text(&file)?)?;
        let program = server::build("questions")?;
        let data = place::emptied(place::work()?.join("clients").join("data"))?;
        Ok(Self {
            server: Server::start(&program, &data, &[])?,
            program,
            stories,
            file,
            packages,
        })
    }

    /// All stories with one client. How many messages were sent; or each fault on a line of its own.
    fn tell(&self, client: &Client, (way, transport): Way) -> Tried<usize> {
        let transport = transport(self, client.name)?;
        let name = format!("{}-{way}", client.name);
        let home = Home::new(&name)?;
        let mut command = client.command(&self.packages);
        home.set(&mut command);
        command.arg(&self.file).arg(transport.json()?);
        let log = place::work()?.join("clients").join(format!("{name}.log"));
        let lines = driver::run(&mut command, &log, |url| transport.fill(url))
            .map_err(|fault| format!("{fault}\n{}", place::last_lines(&log)))?;
        let mut faults: Vec<String> = Vec::new();
        for story in &self.stories {
            faults.extend(story.judge(client.name, &lines).err());
        }
        let sent = transport.sent()?;
        faults.extend(same_states(&sent.exchanges).err());
        faults.extend(self.codes(client, &sent.exchanges).err());
        faults.extend(self.calls(client, &sent.exchanges).err());
        if sent
            .bytes
            .windows(PASSWORD.len())
            .any(|window| window == PASSWORD.as_bytes())
        {
            faults.push("the typed password was sent to the client".to_owned());
        }
        if let Some(log) = &sent.log {
            faults.extend(self.printed(client, log).err());
        }
        let (count, wrong) = schema::check(&self.packages, &sent.exchanges, Whose::Both)?;
        faults.extend(wrong);
        if faults.is_empty() {
            Ok(count)
        } else {
            Err(faults.join("\n"))
        }
    }

    /// What handlers print is in the log. That it is nowhere among the messages, each of which was read, is known by then.
    fn printed(&self, client: &Client, log: &str) -> Tried<()> {
        let mut printed = self
            .stories
            .iter()
            .filter_map(|story| story.prints(client.name));
        match printed.find(|text| !log.contains(text)) {
            None => Ok(()),
            Some(text) => Err(format!("\"{text}\" is not in the log:\n{log}")),
        }
    }

    /// The errors that went over the wire are those of the stories: not every client says which it got.
    fn codes(&self, client: &Client, exchanges: &[Exchange]) -> Tried<()> {
        let mut sent: Vec<i64> = answers(exchanges)?
            .iter()
            .filter_map(|answer| answer.at(&["error", "code"])?.integer())
            .collect();
        let stories = self.stories.iter();
        let mut wanted: Vec<i64> = stories
            .filter_map(|story| story.code_sent(client.name))
            .collect();
        sent.sort_unstable();
        wanted.sort_unstable();
        need(sent == wanted, || {
            format!("errors {sent:?} were sent, not {wanted:?}")
        })
    }

    /// Questions that belong together came together, and the retry for the page was held until it was done.
    fn calls(&self, client: &Client, exchanges: &[Exchange]) -> Tried<()> {
        let is_call = |exchange: &&Exchange| exchange.method == "tools/call";
        let sent = exchanges.iter().filter(is_call).count();
        let wanted: i64 = self
            .stories
            .iter()
            .map(|story| story.calls(client.name))
            .sum();
        need(i64::try_from(sent) == Ok(wanted), || {
            format!("{sent} calls were sent, not {wanted}")
        })
    }
}

/// Every state that a client sent back is one that it was given, to the letter; each of them once, since no story repeats a call.
fn same_states(exchanges: &[Exchange]) -> Tried<()> {
    let mut given = Vec::new();
    for answer in answers(exchanges)? {
        let state = answer.at(&["result", "requestState"]).and_then(Json::text);
        given.extend(state.map(str::to_owned));
    }
    need(!given.is_empty(), || "no state was given".to_owned())?;
    for exchange in exchanges {
        let Ok(request) = Json::read(&exchange.request) else {
            continue;
        };
        let Some(state) = request.at(&["params", "requestState"]).and_then(Json::text) else {
            continue;
        };
        let at = given.iter().position(|one| one == state);
        let at = at.ok_or_else(|| format!("a state came back that was not given so: {state}"))?;
        given.swap_remove(at);
    }
    Ok(())
}

fn answers(exchanges: &[Exchange]) -> Tried<Vec<Json>> {
    let texts = exchanges.iter().flat_map(|exchange| &exchange.answers);
    texts.map(|text| Json::read(text)).collect()
}

#[cfg(test)]
mod tests {
    use super::same_states;
    use crate::recorder::Exchange;

    fn exchange(request: &str, answer: &str) -> Exchange {
        Exchange {
            method: "tools/call".to_owned(),
            request: request.to_owned(),
            answers: vec![answer.to_owned()],
        }
    }

    #[test]
    fn a_state_comes_back_as_it_was() {
        let given = r#"{"result":{"requestState":"e1.A_b"}}"#;
        let back = |state: &str| format!(r#"{{"params":{{"requestState":"{state}"}}}}"#);
        let all = |state: &str| same_states(&[exchange("{}", given), exchange(&back(state), "{}")]);
        assert!(all("e1.A_b").is_ok());
        assert!(all("e1.A_b=").is_err() && all("e1.a_b").is_err());
        let twice = [
            exchange("{}", given),
            exchange(&back("e1.A_b"), "{}"),
            exchange(&back("e1.A_b"), "{}"),
        ];
        assert!(same_states(&twice).is_err());
        assert!(same_states(&[exchange("{}", "{}")]).is_err());
    }
}
