//! Random programs: what a handler asks and does, as data.
//!
//! It says what a program means, for those who run it and for those who judge how it was run. It knows nothing of the library.

/// Numbers that look random and are the same each time.
#[derive(Debug, Clone)]
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn roll(&mut self, sides: u64) -> u64 {
        self.next() % sides
    }

    pub fn one_in(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }
}

/// What is made of an outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Take {
    /// All but an answer ends the program.
    Plain,
    /// `.optional()`: it goes on when it was declined.
    Optional,
    /// `.outcome()`: it goes on when it was declined or cancelled.
    Outcome,
    /// The program catches the error.
    Caught,
}

/// What became of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Accepted(String),
    Declined,
    Cancelled,
    Invalid,
}

impl Take {
    pub fn goes_on(self, outcome: &Outcome) -> bool {
        match outcome {
            Outcome::Accepted(_) => true,
            Outcome::Declined => self != Self::Plain,
            Outcome::Cancelled => matches!(self, Self::Outcome | Self::Caught),
            Outcome::Invalid => self == Self::Caught,
        }
    }
}

impl Outcome {
    /// What the program says of it.
    pub fn word(&self) -> &str {
        match self {
            Self::Accepted(word) => word,
            Self::Declined => "declined",
            Self::Cancelled => "cancelled",
            Self::Invalid => "invalid",
        }
    }
}

/// One thing to do. The numbers name it; none is given twice in a program.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// Asks for a word. With `about`, the latest answer is what the question is about, else it is in the message.
    Ask {
        id: u8,
        take: Take,
        attempts: Option<u8>,
        about: bool,
    },
    Confirm {
        id: u8,
    },
    /// Asks for a secret on a page.
    Page {
        id: u8,
        take: Take,
    },
    /// Asks, and lets the question go.
    Drop {
        id: u8,
    },
    Step {
        id: u8,
        large: bool,
        yields: u8,
    },
    Once {
        id: u8,
        work: Work,
        /// How often it fails before it goes well, in each run.
        fails: u8,
        retry_after_crash: bool,
        /// Once for its user, and not only in a run.
        by: bool,
    },
    /// Several branches beside each other, until all are done or one fails.
    Join(Vec<Vec<Op>>),
    /// Only where the latest answer is even.
    If(Vec<Op>),
    /// Wakes itself.
    Yield,
    /// Waits for something that the library does not know of.
    Wait,
    Fail,
    Panic,
}

/// How long an effect takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Work {
    Polls(u8),
    Seconds(u8),
}

impl Op {
    /// The number that names it.
    pub fn id(&self) -> u8 {
        match self {
            Self::Ask { id, .. }
            | Self::Confirm { id }
            | Self::Page { id, .. }
            | Self::Drop { id }
            | Self::Step { id, .. }
            | Self::Once { id, .. } => *id,
            _ => u8::MAX,
        }
    }
}

/// Whether an `If` is entered.
pub fn is_even(last: &str) -> bool {
    last.bytes().last().is_some_and(|b| b % 2 == 0)
}

/// The text of a question. Answers before it are part of it, so that other answers make it another
/// question; and in some the day is, which changes while a run is under way.
pub fn text(op: &Op, last: &str, day: u32) -> String {
    let today = match op.id() % 3 {
        0 => format!(" on day {day}"),
        _ => String::new(),
    };
    match op {
        Op::Ask {
            id, about: true, ..
        } => format!("Word {id}{today}?"),
        Op::Ask { id, .. } | Op::Drop { id } => format!("Word {id} after {last}{today}?"),
        Op::Confirm { id } => format!("Sure of {id} and {last}{today}?"),
        Op::Page { id, .. } => format!("Account {id} for {last}{today}?"),
        _ => String::new(),
    }
}

/// The key under which it is asked.
pub fn key(op: &Op) -> String {
    match op {
        Op::Ask { id, .. } | Op::Drop { id } => format!("w{id}"),
        Op::Confirm { id } => format!("c{id}"),
        Op::Page { id, .. } => format!("account.n{id}"),
        _ => String::new(),
    }
}

/// A random program.
pub fn program(dice: &mut Dice) -> Vec<Op> {
    let mut next = 0;
    let mut left = 2 + dice.roll(9);
    let mut all = Vec::new();
    while left > 0 {
        all.push(op(dice, &mut next, &mut left, 2));
    }
    all
}

fn op(dice: &mut Dice, next: &mut u8, left: &mut u64, depth: u8) -> Op {
    *left = left.saturating_sub(1);
    let id = *next;
    *next += 1;
    let take = match dice.roll(6) {
        0..3 => Take::Plain,
        3 => Take::Optional,
        4 => Take::Outcome,
        _ => Take::Caught,
    };
    match dice.roll(34) {
        0..9 => Op::Ask {
            id,
            take,
            attempts: dice.one_in(3).then(|| 1 + dice.roll(3) as u8),
            about: dice.one_in(3),
        },
        9..12 => Op::Confirm { id },
        12..15 => Op::Page { id, take },
        15..18 => Op::Step {
            id,
            large: dice.one_in(4),
            yields: dice.roll(3) as u8,
        },
        18..24 => Op::Once {
            id,
            work: match dice.roll(5) {
                0 => Work::Seconds(20),
                n => Work::Polls(n as u8 - 1),
            },
            fails: if dice.one_in(4) { 1 } else { 0 },
            retry_after_crash: dice.one_in(4),
            by: dice.one_in(6),
        },
        24..29 if depth > 0 => {
            let mut branches = Vec::new();
            for _ in 0..2 + dice.roll(2) {
                branches.push(some(dice, next, left, depth));
            }
            Op::Join(branches)
        }
        29..31 if depth > 0 => Op::If(some(dice, next, left, depth)),
        31 if dice.one_in(3) => Op::Fail,
        31 if dice.one_in(3) => Op::Panic,
        31 => Op::Drop { id },
        32 => Op::Wait,
        _ => Op::Yield,
    }
}

fn some(dice: &mut Dice, next: &mut u8, left: &mut u64, depth: u8) -> Vec<Op> {
    let many = 1 + dice.roll(3);
    (0..many).map(|_| op(dice, next, left, depth - 1)).collect()
}

/// All that a program may do, in the order it is written.
pub fn flat(ops: &[Op], found: &mut Vec<Op>) {
    for op in ops {
        match op {
            Op::Join(branches) => branches.iter().for_each(|b| flat(b, found)),
            Op::If(then) => flat(then, found),
            _ => found.push(op.clone()),
        }
    }
}

/// Every question of a program.
pub fn questions(ops: &[Op], found: &mut Vec<Op>) {
    let mut all = Vec::new();
    flat(ops, &mut all);
    found.extend(all.into_iter().filter(|op| !key(op).is_empty()));
}

/// All programs that lack one thing of this one.
pub fn smaller(ops: &[Op]) -> Vec<Vec<Op>> {
    let mut all = Vec::new();
    for at in 0..ops.len() {
        let with = |new: Vec<Op>| [&ops[..at], &new[..], &ops[at + 1..]].concat();
        all.push(with(Vec::new()));
        match &ops[at] {
            Op::If(then) => {
                all.push(with(then.clone()));
                all.extend(smaller(then).into_iter().map(|s| with(vec![Op::If(s)])));
            }
            Op::Join(branches) => {
                all.push(with(branches.concat()));
                for b in 0..branches.len() {
                    let mut fewer = branches.clone();
                    fewer.remove(b);
                    all.push(with(vec![Op::Join(fewer)]));
                    for s in smaller(&branches[b]) {
                        let mut changed = branches.clone();
                        changed[b] = s;
                        all.push(with(vec![Op::Join(changed)]));
                    }
                }
            }
            _ => {}
        }
    }
    all
}
