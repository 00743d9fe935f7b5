//! No effect is done twice, and none for other answers.

use std::collections::{BTreeMap, BTreeSet};

use super::machine::{Event, What};
use super::program::{Op, flat};
use super::session::{Checked, Session};

impl Session<'_> {
    /// Whom an effect is once for: a run, or the user.
    fn group(op: &Op, call: u32) -> u32 {
        match op {
            Op::Once { by: true, .. } => 0,
            _ => call,
        }
    }

    /// No effect is done twice, and each result is that of the one that was done.
    pub(super) fn effects(&self) -> Checked {
        let log = self.world.machine.log(|_| true);
        let mut ops = Vec::new();
        flat(self.program, &mut ops);
        let mut keys = BTreeMap::new();
        for op in &ops {
            let of_op = log.iter().filter(|e| e.op == op.id());
            let mut groups: BTreeMap<u32, Vec<&Event>> = BTreeMap::new();
            for event in of_op {
                groups
                    .entry(Self::group(op, event.call))
                    .or_default()
                    .push(event);
            }
            for (group, events) in groups {
                for event in &events {
                    if let What::Began(key) = &event.what
                        && *keys.entry(key.clone()).or_insert((op.id(), group)) != (op.id(), group)
                    {
                        return Err(format!("{op:?} has the idempotency key of another"));
                    }
                }
                let distinct: BTreeSet<_> = keys
                    .iter()
                    .filter(|(_, g)| **g == (op.id(), group))
                    .collect();
                if distinct.len() > 1 {
                    return Err(format!("{op:?} had two idempotency keys in one run"));
                }
                if let Op::Once {
                    retry_after_crash, ..
                } = op
                {
                    self.effect(op, &events, *retry_after_crash)?;
                }
            }
        }
        Ok(())
    }

    fn effect(&self, op: &Op, events: &[&Event], retry_after_crash: bool) -> Checked {
        let of = |request: u32, wanted: &dyn Fn(&What) -> bool| {
            events
                .iter()
                .any(|e| e.request == request && wanted(&e.what))
        };
        let did = |what: &What| matches!(what, What::Did(_));
        let failed = |what: &What| *what == What::Failed;
        let began: Vec<u32> = events
            .iter()
            .filter(|e| matches!(e.what, What::Began(_)))
            .map(|e| e.request)
            .collect();
        // Begun, and neither known to have failed nor to be taken over.
        let done: Vec<u32> = began
            .iter()
            .copied()
            .filter(|r| !of(*r, &failed))
            .filter(|r| of(*r, &did) || !(retry_after_crash && self.cut.contains(r)))
            .collect();
        if done.len() > 1 {
            return Err(format!("{op:?} was done {} times: {events:?}", done.len()));
        }
        let result = events.iter().find_map(|e| match &e.what {
            What::Did(result) => Some(result),
            _ => None,
        });
        for event in events {
            let What::Returned(returned) = &event.what else {
                continue;
            };
            let uses = self.uses.get(&(event.request, op.id()));
            let same = |request: &u32| {
                let theirs = self.uses.get(&(*request, op.id()));
                uses.zip(theirs).and_then(|(a, b)| a.same(b))
            };
            let others = || began.iter().filter(|r| **r != event.request);
            let may = match returned {
                Ok(it) => {
                    let differs = done.first().is_some_and(|r| same(r) == Some(false));
                    Some(it) == result && (!differs || self.had.contains(&(event.request, op.id())))
                }
                Err(why) => match why.as_str() {
                    "It did not work." => of(event.request, &failed),
                    "This was already done with other answers." => {
                        others().any(|r| same(r) != Some(true))
                    }
                    "This was started, but its outcome is unknown. Check before repeating it." => {
                        !retry_after_crash
                            && others().any(|r| self.cut.contains(r) && !of(*r, &did))
                    }
                    _ => false,
                },
            };
            if !may {
                return Err(format!("{op:?} came back with {returned:?}: {events:?}"));
            }
        }
        Ok(())
    }
}
