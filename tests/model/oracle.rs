//! What must hold of one request, from what is known of its run: a plain model of asking.
//!
//! It goes over the program as if it were read aloud, with the log of what happened beside it, and
//! finds what was asked, what was answered and how it may have ended. It shares no code with the
//! library and knows no digests, journals or seals: a question is its text, a run is a number.

use std::collections::{BTreeMap, BTreeSet};

use super::known::{Behind, End, Found, Given, Known, Open, Pending, Question, Uses};
use super::machine::{Event, What};
use super::program::{Op, Outcome, Take, is_even, key, text};

/// One request and what happened in it.
pub struct Reading<'a> {
    pub known: &'a Known,
    pub first: bool,
    pub call: u32,
    pub answers: &'a BTreeMap<String, Given>,
    pub day: u32,
    /// The events of this request.
    pub log: &'a [Event],
    /// What was behind the pages before and after it.
    pub behind: [&'a Behind; 2],
    pub found: Found,
}

/// Where the reading stands.
#[derive(Clone)]
struct At {
    last: String,
    said: String,
    uses: BTreeMap<u8, String>,
    sure: bool,
}

/// Why it does not go on.
enum Stop {
    /// It waits, or has ended.
    Here,
    /// It must not be so.
    Wrong(String),
}

impl From<String> for Stop {
    fn from(wrong: String) -> Self {
        Self::Wrong(wrong)
    }
}

/// What an open question or an answer comes to.
enum Due {
    Outcome(Outcome),
    Open {
        attempts: u8,
        again: bool,
    },
    Malformed,
    /// It is another question each time.
    Volatile,
}

impl Reading<'_> {
    /// Reads the program.
    pub fn read(mut self, program: &[Op]) -> Result<Found, String> {
        self.found.known = self.known.clone();
        self.found.known.pending.clear();
        self.once_each()?;
        let at = At {
            last: String::new(),
            said: String::new(),
            uses: BTreeMap::new(),
            sure: true,
        };
        match self.all(program, at, false) {
            Ok(at) => self.found.said = Some(at.said),
            Err(Stop::Here) => {}
            Err(Stop::Wrong(wrong)) => return Err(wrong),
        }
        Ok(self.found)
    }

    /// Nothing comes back twice in one request.
    fn once_each(&self) -> Result<(), String> {
        let mut seen = BTreeSet::new();
        for event in self.log {
            let back = matches!(event.what, What::Answered(_) | What::Returned(_));
            if back && !seen.insert(event.op) {
                return Err(format!("{} came back twice in one request", event.op));
            }
        }
        Ok(())
    }

    fn all(&mut self, ops: &[Op], mut at: At, joined: bool) -> Result<At, Stop> {
        for op in ops {
            at = self.one(op, at, joined)?;
        }
        Ok(at)
    }

    fn one(&mut self, op: &Op, mut at: At, joined: bool) -> Result<At, Stop> {
        match op {
            Op::Ask { id, take, .. } => {
                let due = self.form(op, &at.last);
                let outcome = self.asked(op, *id, due, &at)?;
                at.uses.insert(*id, outcome.word().to_owned());
                at.last = outcome.word().to_owned();
                self.goes_on(*take, &outcome, &at)?;
                at.said += &format!("{id}={};", outcome.word());
            }
            Op::Confirm { id } => {
                let due = self.form(op, &at.last);
                let outcome = self.asked(op, *id, due, &at)?;
                at.uses.insert(*id, outcome.word().to_owned());
                self.goes_on(Take::Plain, &outcome, &at)?;
                at.said += &format!("{id}={};", outcome.word());
            }
            Op::Page { id, take } => {
                let due = self.page(op, *id, &at.last)?;
                let outcome = self.asked(op, *id, due, &at)?;
                if !matches!(outcome, Outcome::Accepted(_)) {
                    at.uses.insert(*id, outcome.word().to_owned());
                }
                self.goes_on(*take, &outcome, &at)?;
                at.said += &format!("{id}={};", outcome.word());
            }
            Op::Drop { id } => match self.form(op, &at.last) {
                Due::Open { .. } => {
                    if self.answered(*id).is_some() {
                        return Err(format!("{op:?} has an answer that nobody gave").into());
                    }
                    self.found.abandoned = true;
                    if self.is_another(op, &self.question(op, &at.last)) {
                        self.found.known.changed.insert(*id);
                    }
                }
                due => {
                    let outcome = self.asked(op, *id, due, &at)?;
                    at.uses.insert(*id, outcome.word().to_owned());
                    at.said += &format!("{id}={};", outcome.word());
                }
            },
            Op::Step { id, .. } => {
                let result = self.step(op, *id, &at)?;
                at.said += &format!("{id}={result};");
            }
            Op::Once { id, .. } => {
                let uses = Uses {
                    least: at.uses.clone(),
                    most: at.uses.clone(),
                    call: self.call,
                };
                self.found.uses.push((*id, uses));
                let before = self.known.effects.get(id);
                match self.returned(*id) {
                    None => return Err(self.lack(op, &at)),
                    Some(Ok(result)) => {
                        if let Some((known, uses)) = before {
                            if *known != result {
                                let wrong = format!("effect {id} gave {known}, then {result}");
                                return Err(wrong.into());
                            }
                            if self.have_changed(&uses.least) {
                                return Err(format!("effect {id} had other answers").into());
                            }
                        }
                        at.said += &format!("{id}={result};");
                        if before.is_none() {
                            let uses = self.found.uses.last().expect("the one above").1.clone();
                            self.found.known.effects.insert(*id, (result, uses));
                        }
                    }
                    Some(Err(why)) => {
                        // On one way, answers change only where a question does.
                        if let Some((_, uses)) = before
                            && !self.have_changed(&uses.most)
                        {
                            return Err(format!("effect {id} was done, and then: {why}").into());
                        }
                        return Err(self.end(End::Told(why), &at));
                    }
                }
            }
            Op::Join(branches) => return self.join(branches, at),
            Op::If(then) if is_even(&at.last) => return self.all(then, at, joined),
            Op::If(_) | Op::Yield => {}
            // A run does not wait for it while a question beside it is open.
            Op::Wait => at.sure &= !joined,
            Op::Fail => return Err(self.end(End::Told("This program fails.".into()), &at)),
            Op::Panic => return Err(self.end(End::Internal, &at)),
        }
        Ok(at)
    }

    fn join(&mut self, branches: &[Vec<Op>], at: At) -> Result<At, Stop> {
        let mut ends = Vec::new();
        let mut spans = Vec::new();
        for branch in branches {
            let from = self.found.uses.len();
            let own = At {
                said: String::new(),
                ..at.clone()
            };
            match self.all(branch, own, true) {
                Ok(end) => ends.push(Some(end)),
                Err(Stop::Here) => ends.push(None),
                Err(wrong) => return Err(wrong),
            }
            // What this branch has used, also if it came not to its end.
            let mut questions = Vec::new();
            super::program::questions(branch, &mut questions);
            let answers = &self.found.known.answers;
            let used: BTreeMap<u8, String> = questions
                .iter()
                .filter_map(|op| Some((op.id(), answers.get(&op.id())?.1.word().to_owned())))
                .collect();
            spans.push((from..self.found.uses.len(), used));
        }
        // Beside an effect, another branch may or may not have got its answer.
        for (i, (span, _)) in spans.iter().enumerate() {
            for (j, (_, used)) in spans.iter().enumerate() {
                if i != j {
                    for (id, uses) in &mut self.found.uses[span.clone()] {
                        uses.most.extend(used.clone());
                        if !self.known.effects.contains_key(id)
                            && let Some((_, kept)) = self.found.known.effects.get_mut(id)
                        {
                            kept.most.extend(used.clone());
                        }
                    }
                }
            }
        }
        let ends: Option<Vec<_>> = ends.into_iter().collect();
        let ends = ends.ok_or(Stop::Here)?;
        let mut after = At {
            last: String::new(),
            ..at
        };
        for end in ends {
            after.last += &end.last;
            after.said += &end.said;
            after.uses.extend(end.uses);
            after.sure &= end.sure;
        }
        Ok(after)
    }

    /// Whether some of these answers are others by now.
    fn have_changed(&self, uses: &BTreeMap<u8, String>) -> bool {
        let answers = &self.found.known.answers;
        uses.iter()
            .any(|(id, word)| answers.get(id).is_none_or(|(_, now)| now.word() != word))
    }

    fn question(&self, op: &Op, last: &str) -> Question {
        let about = matches!(op, Op::Ask { about: true, .. }).then(|| last.to_owned());
        Question {
            text: text(op, last, self.day),
            about,
        }
    }

    /// Whether something else was asked, or answered, in the place of this question before.
    fn is_another(&self, op: &Op, question: &Question) -> bool {
        match self.known.pending.get(&key(op)) {
            Some(pending) => pending.question != *question,
            None => {
                let answer = self.known.answers.get(&op.id());
                answer.is_some_and(|(asked, _)| asked != question)
            }
        }
    }

    /// What was said to it on the way here: never anything that was said to another question.
    fn before(&self, id: u8, question: &Question) -> Option<&Outcome> {
        let (asked, outcome) = self.known.answers.get(&id)?;
        (asked == question).then_some(outcome)
    }

    /// What this request says to it, if it may: to a question that the client was shown, or, in a
    /// first call, to any but a confirmation.
    fn now(&self, op: &Op, question: &Question) -> (Option<&Given>, u8) {
        let key = key(op);
        let shown = self.known.pending.get(&key);
        let shown = shown.filter(|p| p.question == *question);
        let may = shown.is_some() || self.first && !matches!(op, Op::Confirm { .. });
        let given = self.answers.get(&key).filter(|_| may);
        (given, shown.map_or(0, |p| p.attempts))
    }

    fn form(&self, op: &Op, last: &str) -> Due {
        let question = self.question(op, last);
        if let Some(outcome) = self.before(op.id(), &question) {
            return Due::Outcome(outcome.clone());
        }
        if self.is_another(op, &question) && self.known.changed.contains(&op.id()) {
            return Due::Volatile;
        }
        let most = match op {
            Op::Ask {
                attempts: Some(n), ..
            } => *n,
            _ => 3,
        };
        let (given, attempts) = self.now(op, &question);
        match given {
            None => Due::Open {
                attempts,
                again: false,
            },
            Some(Given::Odd(_)) => Due::Malformed,
            Some(Given::Decline) => Due::Outcome(Outcome::Declined),
            Some(Given::Cancel) => Due::Outcome(Outcome::Cancelled),
            Some(Given::Word(word)) => Due::Outcome(Outcome::Accepted(word.clone())),
            Some(Given::Yes(true)) => Due::Outcome(Outcome::Accepted("yes".into())),
            Some(Given::Yes(false)) => Due::Outcome(Outcome::Declined),
            Some(Given::Bad(_) | Given::Opened) if attempts + 1 >= most => {
                Due::Outcome(Outcome::Invalid)
            }
            Some(Given::Bad(_) | Given::Opened) => Due::Open {
                attempts: attempts + 1,
                again: true,
            },
        }
    }

    fn page(&self, op: &Op, id: u8, last: &str) -> Result<Due, Stop> {
        let question = self.question(op, last);
        if let Some(outcome) = self.before(id, &question) {
            return Ok(Due::Outcome(outcome.clone()));
        }
        if self.is_another(op, &question) && self.known.changed.contains(&id) {
            return Ok(Due::Volatile);
        }
        match self.now(op, &question).0 {
            Some(Given::Odd(_)) => return Ok(Due::Malformed),
            Some(Given::Decline) => return Ok(Due::Outcome(Outcome::Declined)),
            Some(Given::Cancel) => return Ok(Due::Outcome(Outcome::Cancelled)),
            _ => {}
        }
        // The user may be at the page just now: either moment will do.
        let shown = self.known.pending.get(&key(op));
        let link = shown.filter(|p| p.question == question);
        let link = link.and_then(|p| p.link.as_deref());
        let mut dues = self.behind.iter().map(|behind| {
            if let Some(secret) = behind.secrets.get(&id) {
                return Some(Outcome::Accepted(secret.clone()));
            }
            let open = link.and_then(|link| behind.links.get(link));
            (open == Some(&false)).then_some(Outcome::Declined)
        });
        let happened = self.answered(id);
        let any = dues.find(|due| due.as_ref() == happened);
        match any {
            Some(Some(outcome)) => Ok(Due::Outcome(outcome)),
            Some(None) => Ok(Due::Open {
                attempts: 0,
                again: false,
            }),
            // Not reached, or wrong: what is due is due by what was there before.
            None if happened.is_none() => {
                let secret = self.behind[0].secrets.get(&id).cloned();
                let due = secret.map_or(Outcome::Declined, Outcome::Accepted);
                Ok(Due::Outcome(due))
            }
            None => Err(format!("{op:?} came to {happened:?}, which nobody did").into()),
        }
    }

    /// Holds what is due against what happened.
    fn asked(&mut self, op: &Op, id: u8, due: Due, at: &At) -> Result<Outcome, Stop> {
        let question = self.question(op, &at.last);
        let happened = self.answered(id).cloned();
        let changed = self.is_another(op, &question).then_some(id);
        if happened.is_some() {
            self.found.known.changed.extend(changed);
        }
        match due {
            Due::Outcome(outcome) => match happened {
                Some(it) if it == outcome => {
                    // What was given on a page is remembered behind the pages alone.
                    let given = matches!(outcome, Outcome::Accepted(_));
                    if !(given && matches!(op, Op::Page { .. })) {
                        let record = (question, outcome.clone());
                        self.found.known.answers.insert(id, record);
                    }
                    Ok(outcome)
                }
                Some(it) => Err(format!("{op:?} came to {it:?}, and not to {outcome:?}").into()),
                None => Err(self.lack(op, at)),
            },
            Due::Volatile if happened.is_none() => {
                let text = format!("The question `{}` is another one each time", key(op));
                Err(self.end(End::Told(text), at))
            }
            Due::Malformed if happened.is_none() => Err(self.end(End::Malformed, at)),
            Due::Open { attempts, again } if happened.is_none() => {
                let shown = self.known.pending.get(&key(op));
                let shown = shown.filter(|p| p.question == question);
                let given = self.now(op, &question).0;
                self.found.opens.push(Open {
                    key: key(op),
                    agreed: matches!(op, Op::Page { .. }) && given.is_some_and(accepts),
                    page: matches!(op, Op::Page { .. }),
                    pending: Pending {
                        question,
                        attempts,
                        link: shown.and_then(|p| p.link.clone()),
                    },
                    again,
                    changed,
                    sure: at.sure,
                });
                Err(Stop::Here)
            }
            _ => Err(format!("{op:?} came to {happened:?}, an answer that nobody gave").into()),
        }
    }

    fn goes_on(&mut self, take: Take, outcome: &Outcome, at: &At) -> Result<(), Stop> {
        if take.goes_on(outcome) {
            return Ok(());
        }
        let text = match outcome {
            Outcome::Declined => "The request for input was declined by the user or the client.",
            Outcome::Cancelled => "The request for input was dismissed without an answer.",
            _ => "The answers could not be used: ",
        };
        Err(self.end(End::Told(text.into()), at))
    }

    fn step(&mut self, op: &Op, id: u8, at: &At) -> Result<String, Stop> {
        let did = self.log.iter().filter(|e| e.op == id);
        let did: Vec<_> = did
            .filter_map(|e| match &e.what {
                What::Did(result) => Some(result.clone()),
                _ => None,
            })
            .collect();
        match (self.known.steps.get(&id), self.returned(id)) {
            (Some(_), _) if !did.is_empty() => {
                Err(format!("step {id} was done again on one way").into())
            }
            (Some(known), Some(Ok(result))) if *known != result => {
                Err(format!("step {id} gave {known} and then {result}").into())
            }
            (None, Some(Ok(result))) if did != [result.clone()] => {
                Err(format!("step {id} gave {result} and did {did:?}").into())
            }
            (_, Some(Ok(result))) => {
                self.found.known.steps.insert(id, result.clone());
                Ok(result)
            }
            (_, Some(Err(why))) => Err(format!("step {id}: {why}").into()),
            (_, None) => Err(self.lack(op, at)),
        }
    }

    fn answered(&self, id: u8) -> Option<&Outcome> {
        self.log.iter().find_map(|e| match &e.what {
            What::Answered(outcome) if e.op == id => Some(outcome),
            _ => None,
        })
    }

    fn returned(&self, id: u8) -> Option<Result<String, String>> {
        self.log.iter().find_map(|e| match &e.what {
            What::Returned(result) if e.op == id => Some(result.clone()),
            _ => None,
        })
    }

    fn lack(&mut self, op: &Op, at: &At) -> Stop {
        if at.sure {
            self.found.lacks.push(format!("{op:?} did not come back"));
        }
        Stop::Here
    }

    fn end(&mut self, end: End, at: &At) -> Stop {
        self.found.ends.push((end, at.sure));
        Stop::Here
    }
}

/// Whether the action of it is `accept`.
fn accepts(given: &Given) -> bool {
    !matches!(given, Given::Decline | Given::Cancel | Given::Odd(_))
}
