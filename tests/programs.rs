//! Random handlers and random clients: whatever is asked beside what, answered in whichever order,
//! each effect happens once, each step is done once, and the run comes to its end.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use mcp_elicit::prelude::*;
use mcp_elicit::testing::{TestApp, TestCall};
use mcp_elicit::{App, Limits, Server};
use mcp_elicit_tests::{Client, Got, server};
use serde_json::{Map, Value, json};

/// Say something.
#[derive(Elicit)]
struct Word {
    #[elicit(max_length = 3)]
    word: String,
}

/// Does what a plan says: branches are separated by blanks, and each letter is one thing to do.
#[derive(Clone, Default)]
struct Machine(Arc<Mutex<HashMap<String, usize>>>);

trait Branch: Future<Output = Result<String, CallError>> + Send {}

impl<F: Future<Output = Result<String, CallError>> + Send> Branch for F {}

#[tools]
impl Machine {
    /// Runs a plan.
    #[tool]
    async fn run(&self, cx: &Cx, plan: String) -> Result<String, CallError> {
        let branches = plan.split(' ').enumerate();
        let mut open: Vec<Pin<Box<dyn Branch + '_>>> = Vec::new();
        for (i, branch) in branches {
            open.push(Box::pin(self.branch(cx, i, branch)));
        }
        let mut done = vec![None; open.len()];
        std::future::poll_fn(|c| {
            for (branch, done) in open.iter_mut().zip(&mut done) {
                if done.is_none()
                    && let Poll::Ready(result) = branch.as_mut().poll(c)
                {
                    *done = Some(result?);
                }
            }
            if done.iter().all(Option::is_some) {
                Poll::Ready(Ok::<_, CallError>(()))
            } else {
                Poll::Pending
            }
        })
        .await?;
        Ok(done.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }
}

impl Machine {
    async fn branch(&self, cx: &Cx, i: usize, plan: &str) -> Result<String, CallError> {
        let mut said = String::new();
        for (j, what) in plan.chars().enumerate() {
            let name = format!("{what}{i}{j}");
            match what {
                'a' => said += &cx.ask::<Word>().key(&name).await?.word,
                'c' => cx.confirm("Yes?").key(&name).await?,
                's' => said += &cx.step(&name, async |_| self.count(&name).await).await?,
                'l' => {
                    let large = cx.step(&name, async |_| {
                        self.count(&name).await?;
                        Ok("l".repeat(5000))
                    });
                    said += &large.await?[..1];
                }
                'o' => said += &cx.once(&name, async |_| self.count(&name).await).await?,
                'w' => tokio::time::sleep(Duration::from_micros(300)).await,
                _ => tokio::task::yield_now().await,
            }
        }
        Ok(said)
    }

    async fn count(&self, name: &str) -> Result<String, CallError> {
        tokio::task::yield_now().await;
        *self.0.lock().unwrap().entry(name.to_owned()).or_default() += 1;
        Ok(name[..1].to_owned())
    }
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % sides
    }
}

fn plan(dice: &mut Dice) -> String {
    let mut branches = Vec::new();
    for _ in 0..=dice.roll(4) {
        let letters = (0..=dice.roll(5)).map(|_| match dice.roll(10) {
            0..4 => 'a',
            4 => 'c',
            5 => 's',
            6 => 'l',
            7 => 'o',
            8 => 'w',
            _ => 'y',
        });
        branches.push(letters.collect::<String>());
    }
    branches.join(" ")
}

/// What the plan says in the end.
fn expected(plan: &str) -> String {
    plan.replace('a', "x").replace(['c', 'w', 'y'], "")
}

/// Answers some of what is open; some of it badly.
fn answers(got: &Got, dice: &mut Dice) -> Value {
    let mut answers = Map::new();
    for key in got.json["result"]["inputRequests"]
        .as_object()
        .unwrap()
        .keys()
    {
        let content = match (&key[..1], dice.roll(4)) {
            (_, 0) => continue,
            ("c", _) => json!({ "confirm": true }),
            (_, 1) => json!({ "word": "too long" }),
            _ => json!({ "word": "x" }),
        };
        answers.insert(
            key.clone(),
            json!({ "action": "accept", "content": content }),
        );
    }
    answers.into()
}

async fn check(machine: &Machine, app: &App, seeds: std::ops::Range<u64>) {
    let client = Client::new(app, "alice");
    for seed in seeds {
        let dice = &mut Dice(seed * 7_919);
        let plan = plan(dice);
        let arguments = json!({ "plan": plan });
        machine.0.lock().unwrap().clear();
        let mut twice = false;
        let mut got = client.call("run", arguments.clone()).await;
        for _ in 0..200 {
            if !got.asks() {
                break;
            }
            let (state, answers) = (got.state(), answers(&got, dice));
            let retry = || client.retry("run", arguments.clone(), &state, answers.clone());
            got = match dice.roll(4) {
                0 => {
                    twice = true;
                    tokio::join!(retry(), retry()).0
                }
                1 => {
                    // The client goes away in the middle, and comes back.
                    twice = true;
                    let patience = Duration::from_micros(dice.roll(3_000));
                    let _ = tokio::time::timeout(patience, retry()).await;
                    retry().await
                }
                _ => retry().await,
            };
        }
        assert_eq!(
            got.first_text(),
            expected(&plan),
            "{seed} {plan}: {}",
            got.text
        );
        for (name, times) in machine.0.lock().unwrap().iter() {
            // Two requests that know nothing of each other do the same reads.
            let reads_twice = twice && !name.starts_with('o');
            assert!(
                *times == 1 || reads_twice,
                "{seed} {plan}: {name} {times} times"
            );
        }
    }
}

fn limits() -> Limits {
    Limits::default().rounds(u8::MAX).attempts(u8::MAX)
}

#[tokio::test]
async fn over_a_store_in_memory() {
    let machine = Machine::default();
    let server = server().tools(machine.clone()).limits(limits());
    check(&machine, &server.build().await.unwrap(), 0..100).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_a_store_in_files() {
    let dir = std::env::temp_dir().join(format!("mcp-elicit-programs-{}", std::process::id()));
    let machine = Machine::default();
    let server = Server::new("test", "1").auth(mcp_elicit::auth::DevUsers);
    let server = server
        .data_dir(&dir)
        .tools(machine.clone())
        .limits(limits());
    check(&machine, &server.build().await.unwrap(), 100..130).await;
    std::fs::remove_dir_all(&dir).unwrap();
}

/// An answer for each question of a plan.
fn script(mut call: TestCall, plan: &str) -> TestCall {
    for (i, branch) in plan.split(' ').enumerate() {
        for (j, what) in branch.chars().enumerate() {
            let key = format!("{what}{i}{j}");
            call = match what {
                'a' => call.accept(Word { word: "x".into() }).key(&key),
                'c' => call.confirm(true).key(&key),
                _ => call,
            };
        }
    }
    call
}

#[tokio::test]
async fn sealed_and_live_runs_come_to_one_end() {
    let machine = Machine::default();
    let server = Server::new("test", "1").tools(machine.clone());
    let app = TestApp::new(server.limits(limits())).await;
    for seed in 200..260 {
        // What waits outside of a step is cut short beside an open question, or not: that asks again.
        let plan = plan(&mut Dice(seed * 7_919)).replace(['w', 'y'], "");
        let call = app.user("alice").tool("run").args(json!({ "plan": plan }));
        let call = script(call, &plan);
        for call in [call.clone(), call.live()] {
            machine.0.lock().unwrap().clear();
            assert_eq!(call.await.text(), expected(&plan), "{seed} {plan}");
            for (name, times) in machine.0.lock().unwrap().iter() {
                assert_eq!(*times, 1, "{seed} {plan}: {name}");
            }
        }
    }
}
