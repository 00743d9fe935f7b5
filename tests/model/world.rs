//! Two servers on one store, and their time.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::Router;
use mcp_elicit::store::MemoryStore;
use mcp_elicit::{__private, App, Limits, UnixTime};
use mcp_elicit_tests::server;
use tokio::runtime::Runtime;
use tokio::time::Instant;

use super::Case;
use super::machine::Machine;
use super::session::{Checked, Session};

/// Most rounds of a run: few, so that it is reached.
pub const ROUNDS: u8 = 5;

/// Two servers on one store, with a clock that no test waits for.
pub struct World {
    pub(super) runtime: Runtime,
    pub(super) machine: Machine,
    store: MemoryStore,
    begun: Instant,
    pub(super) apps: [Served; 2],
    users: u64,
    /// How often what came about: a model that never sees a fork proves nothing of forks.
    pub seen: BTreeMap<&'static str, u64>,
}

/// A server, and where its requests go.
pub(super) struct Served {
    pub(super) app: App,
    pub(super) router: Router,
}

impl World {
    pub fn new() -> Self {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().start_paused(true).build().unwrap();
        let (machine, store) = (Machine::default(), MemoryStore::new());
        let begun = runtime.block_on(async { Instant::now() });
        let apps = [0, 1].map(|_| runtime.block_on(served(&machine, &store, begun)));
        Self {
            runtime,
            machine,
            store,
            begun,
            apps,
            users: 0,
            seen: BTreeMap::new(),
        }
    }

    /// Milliseconds since the world began.
    pub(super) fn now(&self) -> u64 {
        let now = self.runtime.block_on(async { Instant::now() });
        now.duration_since(self.begun).as_millis() as u64
    }

    /// Lets time pass, in seconds, and what is under way go on.
    pub(super) fn pass(&self, seconds: u64) {
        let passes = async { tokio::time::sleep(Duration::from_secs(seconds)).await };
        self.runtime.block_on(passes);
    }

    pub(super) fn count(&mut self, what: &'static str) {
        *self.seen.entry(what).or_default() += 1;
    }

    /// One of the servers starts anew.
    pub(super) fn restart(&mut self, which: usize) {
        let served = served(&self.machine, &self.store, self.begun);
        self.apps[which] = self.runtime.block_on(served);
    }

    /// A user whom nothing is known of.
    pub(super) fn user(&self) -> String {
        format!("user{}", self.users)
    }

    /// Plays a script. The error says what did not hold.
    pub fn play(&mut self, case: &Case) -> Checked {
        let Case {
            program,
            strict,
            script,
            to_the_end,
        } = case;
        self.users += 1;
        // What the one before has left under way is done first.
        self.pass(100);
        self.machine.load(program);
        let mut session = Session::new(self, program, *strict);
        for (i, act) in script.iter().enumerate() {
            let done = session.act(act).and_then(|()| session.effects());
            done.map_err(|wrong| format!("act {i}, {act:?}: {wrong}"))?;
        }
        if *to_the_end {
            session
                .end()
                .map_err(|wrong| format!("at the end: {wrong}"))?;
        }
        Ok(())
    }
}

async fn served(machine: &Machine, store: &MemoryStore, begun: Instant) -> Served {
    let server = server()
        .store(store.clone())
        .limits(Limits::default().tickets(10_000).rounds(ROUNDS))
        .tools(machine.clone());
    let clock =
        move || UnixTime::from_seconds(1_800_000_000).after(Instant::now().duration_since(begun));
    let server = __private::test::clock(server, clock);
    let app = server.build().await.expect("the server is sound");
    let router = app.router();
    Served { app, router }
}
