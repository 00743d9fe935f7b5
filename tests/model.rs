//! Random programs and random clients against a plain model of what must hold: no effect twice in a
//! run, no answer used for another question, no finished result while a question is open, and no
//! error but those that are documented.
//!
//! A failure prints its seed, the program and the script, both as small as they could be made.
//! `MCP_ELICIT_MODEL=1000000` plays so many, `MCP_ELICIT_MODEL_SEED=7` begins with that seed.

mod effects;
mod judge;
mod known;
mod machine;
mod oracle;
mod pages;
mod program;
mod script;
mod send;
mod session;
mod world;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use program::{Dice, Op};
use script::Act;
use world::World;

const PROGRAMS: u64 = 10_000;

/// What so many programs must come to, each now and then.
const KINDS: [&str; 17] = [
    "asks",
    "finished",
    "declined",
    "cancelled",
    "invalid",
    "fails",
    "effect fails",
    "other answers",
    "unknown",
    "too many rounds",
    "volatile",
    "malformed",
    "internal",
    "gone",
    "expired",
    "used",
    "wrong",
];

/// What is played.
#[derive(Debug, Clone)]
struct Case {
    program: Vec<Op>,
    /// Whether each state may be used once only.
    strict: bool,
    script: Vec<Act>,
    /// Whether one more run is answered honestly until it ends.
    to_the_end: bool,
}

impl Case {
    fn of(seed: u64) -> Self {
        let mut dice = Dice(seed);
        Self {
            program: program::program(&mut dice),
            strict: dice.one_in(6),
            script: script::script(&mut dice),
            to_the_end: dice.one_in(4),
        }
    }

    /// All that lack one thing of this one.
    fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for program in program::smaller(&self.program) {
            all.push(Self {
                program,
                ..self.clone()
            });
        }
        for at in 0..self.script.len() {
            let mut fewer = self.clone();
            fewer.script.remove(at);
            all.push(fewer);
        }
        all
    }
}

#[test]
fn what_must_hold_holds() {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .map(|n| n.parse().expect("a number"))
    };
    let first = number("MCP_ELICIT_MODEL_SEED").unwrap_or(0);
    let last = first + number("MCP_ELICIT_MODEL").unwrap_or(PROGRAMS);
    let next = AtomicU64::new(first);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut world = World::new();
                    loop {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        if seed >= last {
                            return world.seen;
                        }
                        let case = Case::of(seed);
                        if let Err(wrong) = world.play(&case) {
                            next.store(last, Ordering::Relaxed);
                            let small = smallest(case, wrong);
                            panic!("seed {seed}\n{small}");
                        }
                    }
                })
            })
            .collect();
        let mut seen = BTreeMap::new();
        for worker in workers {
            match worker.join() {
                Ok(more) => more
                    .into_iter()
                    .for_each(|(k, n)| *seen.entry(k).or_insert(0) += n),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        let rare = KINDS.iter().filter(|kind| !seen.contains_key(*kind));
        let rare: Vec<_> = rare.collect();
        assert!(
            last - first < PROGRAMS || rare.is_empty(),
            "{rare:?} did not come about: {seen:?}"
        );
    });
}

/// Takes away what the fault does not need.
fn smallest(mut case: Case, mut wrong: String) -> String {
    // In a world of its own, so that nothing of another case matters.
    let fails = |case: &Case| {
        let played = || World::new().play(case).err();
        std::panic::catch_unwind(played).unwrap_or_else(|_| Some("it panicked".into()))
    };
    let mut tries = 0;
    'again: while tries < 2_000 {
        for smaller in case.smaller() {
            tries += 1;
            if let Some(now) = fails(&smaller) {
                (case, wrong) = (smaller, now);
                continue 'again;
            }
        }
        break;
    }
    format!("{case:#?}\n{wrong}")
}
