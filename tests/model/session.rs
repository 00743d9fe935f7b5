//! What one client knows, and what it does next.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;

use mcp_elicit_tests::{Client, Got};

use super::known::{Behind, Given, Known, Uses};
use super::program::{Dice, Op, key, questions};
use super::script::{Act, How, Visit};
use super::world::{ROUNDS, World};

/// What differs by less than this, in milliseconds, may be early or late: requests wait for pages
/// and for each other.
pub(super) const SLACK: u64 = 150_000;
pub(super) const HOUR: u64 = 3_600_000;

pub(super) type Checked = Result<(), String>;

/// What one client knows.
pub(super) struct Session<'w> {
    pub(super) world: &'w mut World,
    pub(super) program: &'w [Op],
    pub(super) tool: &'static str,
    pub(super) user: String,
    pub(super) client: Client,
    requests: u32,
    calls: u32,
    words: u32,
    pub(super) states: Vec<Held>,
    pub(super) tickets: Vec<Ticket>,
    pub(super) behind: Behind,
    pub(super) uses: BTreeMap<(u32, u8), Uses>,
    /// Effects that the way to a request shows as done.
    pub(super) had: BTreeSet<(u32, u8)>,
    /// Requests in which an effect may have been cut off: the server died, or the program ended in an error beside it.
    pub(super) cut: BTreeSet<u32>,
}

/// A state that the client holds.
pub(super) struct Held {
    pub(super) token: String,
    pub(super) call: u32,
    pub(super) known: Known,
    pub(super) expires: u64,
    pub(super) deadline: u64,
    /// How many requests with it came to the program, or may have.
    pub(super) used: u8,
    pub(super) maybe_used: bool,
}

pub(super) struct Ticket {
    pub(super) op: u8,
    pub(super) link: String,
    pub(super) expires: u64,
    pub(super) open: bool,
}

/// A request on its way.
#[derive(Clone)]
pub(super) struct Sent {
    pub(super) number: u32,
    pub(super) call: u32,
    pub(super) state: Option<usize>,
    pub(super) answers: BTreeMap<String, Given>,
    /// When it was sent, and what was behind the pages then.
    pub(super) at: u64,
    pub(super) day: u32,
    pub(super) behind: Behind,
}

pub(super) type Going = Pin<Box<dyn Future<Output = Got> + Send>>;
impl<'w> Session<'w> {
    pub(super) fn new(world: &'w mut World, program: &'w [Op], strict: bool) -> Self {
        let user = world.user();
        Self {
            client: Client::new(&world.apps[0].app, &user),
            world,
            program,
            tool: if strict { "strict" } else { "run" },
            user,
            requests: 0,
            calls: 0,
            words: 0,
            states: Vec::new(),
            tickets: Vec::new(),
            behind: Behind::default(),
            uses: BTreeMap::new(),
            had: BTreeSet::new(),
            cut: BTreeSet::new(),
        }
    }

    pub(super) fn act(&mut self, act: &Act) -> Checked {
        match act {
            Act::Call { forged, how } => {
                let answers = forged.map_or_else(BTreeMap::new, |n| self.forged(n));
                let sent = self.sent(None, answers);
                self.send(sent, *how)
            }
            Act::Retry {
                state,
                answers,
                how,
            } => {
                let Some(state) = self.pick(*state) else {
                    return Ok(());
                };
                let answers = self.answers(state, *answers);
                let sent = self.sent(Some(state), answers);
                self.send(sent, *how)
            }
            Act::Wrong { state, what } => match self.pick(*state) {
                Some(state) => self.wrong(state, *what),
                None => Ok(()),
            },
            Act::Visit { page, visit } => {
                let open: Vec<_> = self.open_tickets();
                match open.get(*page as usize % open.len().max(1)) {
                    Some(&ticket) => self.visit(ticket, *visit),
                    None => Ok(()),
                }
            }
            Act::Restart(which) => {
                self.world.restart(usize::from(*which));
                Ok(())
            }
            Act::Pass { minutes } => {
                self.world.pass(u64::from(*minutes) * 60);
                Ok(())
            }
            Act::NextDay => {
                self.world.machine.next_day();
                Ok(())
            }
        }
    }

    /// Answers honestly until the run ends.
    pub(super) fn end(&mut self) -> Checked {
        let before = self.states.len();
        let sent = self.sent(None, BTreeMap::new());
        self.send(sent, How::Well(0))?;
        for _ in 0..=ROUNDS {
            if self.states.len() == before {
                break;
            }
            while let Some(ticket) = self.open_tickets().pop() {
                self.visit(ticket, Visit::Fill)?;
            }
            let last = self.states.len() - 1;
            let mut answers = BTreeMap::new();
            for key in self.states[last]
                .known
                .pending
                .keys()
                .cloned()
                .collect::<Vec<_>>()
            {
                let given = match &key[..1] {
                    "w" => Given::Word(self.word()),
                    "c" => Given::Yes(true),
                    _ => Given::Opened,
                };
                answers.insert(key, given);
            }
            let sent = self.sent(Some(last), answers);
            self.send(sent, How::Well(1))?;
            if self.states.len() == last + 1 {
                break;
            }
            if self.states.len() - before > usize::from(ROUNDS) + 1 {
                return Err("a run with honest answers does not end".into());
            }
        }
        self.effects()
    }
    // What is said.

    pub(super) fn pick(&self, n: u64) -> Option<usize> {
        let many = self.states.len();
        let last = many.checked_sub(1)?;
        Some(if n.is_multiple_of(3) {
            (n / 3) as usize % many
        } else {
            last
        })
    }

    pub(super) fn word(&mut self) -> String {
        self.words += 1;
        format!("w{}", self.words)
    }

    pub(super) fn given(&mut self, key: &str, dice: &mut Dice) -> Given {
        match (dice.roll(16), &key[..1]) {
            (0, _) => Given::Decline,
            (1, _) => Given::Cancel,
            (2, _) => Given::Odd(dice.roll(3) as u8),
            (_, "a") => Given::Opened,
            (3 | 4, _) => Given::Bad(dice.roll(4) as u8),
            (5, "c") => Given::Yes(false),
            (_, "c") => Given::Yes(true),
            _ => Given::Word(self.word()),
        }
    }

    /// Answers to what the state shows as open, and sometimes to more.
    pub(super) fn answers(&mut self, state: usize, n: u64) -> BTreeMap<String, Given> {
        let mut dice = Dice(n);
        let keys: Vec<_> = self.states[state].known.pending.keys().cloned().collect();
        let mut answers = if dice.one_in(8) {
            self.forged(n)
        } else {
            BTreeMap::new()
        };
        for key in keys {
            if !dice.one_in(6) {
                let given = self.given(&key, &mut dice);
                answers.insert(key, given);
            }
        }
        answers
    }

    /// Answers to what nobody has asked.
    pub(super) fn forged(&mut self, n: u64) -> BTreeMap<String, Given> {
        let mut dice = Dice(n);
        let mut all = Vec::new();
        questions(self.program, &mut all);
        let mut answers = BTreeMap::new();
        for op in all {
            if dice.one_in(2) {
                let given = self.given(&key(&op), &mut dice);
                answers.insert(key(&op), given);
            }
        }
        answers
    }

    pub(super) fn sent(&mut self, state: Option<usize>, answers: BTreeMap<String, Given>) -> Sent {
        self.requests += 1;
        let call = match state {
            Some(state) => self.states[state].call,
            None => {
                self.calls += 1;
                self.calls
            }
        };
        Sent {
            number: self.requests,
            call,
            state,
            answers,
            at: self.world.now(),
            day: self.world.machine.day(),
            behind: self.behind_now(),
        }
    }

    /// The same once more; a first call begins another run.
    pub(super) fn again(&mut self, sent: &Sent, answers: BTreeMap<String, Given>) -> Sent {
        self.sent(sent.state, answers)
    }
}
