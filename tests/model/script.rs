//! Random clients: what they do with the states they were given, as data.
//!
//! Numbers stand for choices that are made when it is known what there is to choose from, so that
//! a script without one of its acts is still a script.

use super::program::Dice;

#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// A first call; with a number, it has answers to what nobody has asked yet.
    Call {
        forged: Option<u64>,
        how: How,
    },
    /// Sends a state again, with answers.
    Retry {
        state: u64,
        answers: u64,
        how: How,
    },
    /// Sends a state that must be refused.
    Wrong {
        state: u64,
        what: Wrong,
    },
    /// A user at a page.
    Visit {
        page: u64,
        visit: Visit,
    },
    /// One of the two servers starts anew.
    Restart(u8),
    Pass {
        minutes: u16,
    },
    /// What some questions are made of changes.
    NextDay,
}

/// How a request is sent, and to which of the two servers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum How {
    Well(u8),
    /// The response does not reach the client.
    Lost(u8),
    /// To both servers at the same time.
    Twice,
    /// To both servers at the same time, to one with other answers.
    Torn(u64),
    /// The client goes away after one poll and so many more.
    Gone(u8),
    /// The server dies after one poll and so many more.
    Dies(u8),
    /// The user is at the page while the request is held.
    AtPage(Visit),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wrong {
    User,
    Arguments,
    Tool,
    Bit(u64),
    Cut(u64),
    Answers,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Visit {
    Fill,
    Decline,
    /// Somebody else has the link.
    Stranger,
}

/// A random script; it begins with a call.
pub fn script(dice: &mut Dice) -> Vec<Act> {
    let mut acts = vec![Act::Call {
        forged: None,
        how: How::Well(0),
    }];
    for _ in 0..2 + dice.roll(7) {
        acts.push(act(dice));
    }
    acts
}

fn act(dice: &mut Dice) -> Act {
    match dice.roll(23) {
        0..2 => Act::Call {
            forged: dice.one_in(2).then(|| dice.next()),
            how: how(dice),
        },
        2..13 => Act::Retry {
            state: dice.next(),
            answers: dice.next(),
            how: how(dice),
        },
        13..15 => Act::Wrong {
            state: dice.next(),
            what: match dice.roll(6) {
                0 => Wrong::User,
                1 => Wrong::Arguments,
                2 => Wrong::Tool,
                3 => Wrong::Bit(dice.next()),
                4 => Wrong::Cut(dice.next()),
                _ => Wrong::Answers,
            },
        },
        15..18 => Act::Visit {
            page: dice.next(),
            visit: visit(dice),
        },
        18 => Act::Restart(dice.roll(2) as u8),
        19..22 => Act::NextDay,
        _ => Act::Pass {
            minutes: [1, 30, 62, 200][dice.roll(4) as usize],
        },
    }
}

fn how(dice: &mut Dice) -> How {
    let app = dice.roll(2) as u8;
    match dice.roll(14) {
        0 => How::Lost(app),
        1 => How::Twice,
        2 => How::Torn(dice.next()),
        3 => How::Gone(dice.roll(4) as u8),
        4..6 => How::Dies(dice.roll(4) as u8),
        6 => How::AtPage(visit(dice)),
        _ => How::Well(app),
    }
}

fn visit(dice: &mut Dice) -> Visit {
    match dice.roll(6) {
        0 => Visit::Stranger,
        1 => Visit::Decline,
        _ => Visit::Fill,
    }
}
