//! A journey: questions that follow from answers, a loop over travellers, a search whose result is
//! large, a card by page, and a booking that happens once. And how all that is tested: see the end.
//!
//! Run it with `cargo run --example booking`, its tests with `cargo test --example booking`.

mod common;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_elicit::ExposeSecret;
use mcp_elicit::auth::DevUsers;
use mcp_elicit::prelude::*;
use mcp_elicit::serde::{Deserialize, Serialize};

/// Where do you want to go?
#[derive(Elicit)]
#[elicit(check = Trip::check)]
struct Trip {
    to: String,
    /// The day of departure
    day: jiff::civil::Date,
    /// The day of return; leave it out for one way
    back: Option<jiff::civil::Date>,
    #[elicit(min = 1, max = 4, default = 1)]
    travellers: u8,
}

impl Trip {
    fn check(&self) -> Result<(), Invalid> {
        if self.back.is_some_and(|back| back < self.day) {
            return Err(Invalid::field("back", "must not be before departure"));
        }
        Ok(())
    }
}

/// Which of these?
#[derive(Elicit)]
struct Choose {
    #[select]
    offer: Select<u32>,
}

/// Who travels?
#[derive(Elicit)]
struct Traveller {
    name: String,
    /// Younger than 12
    child: bool,
}

/// Your card, to pay with.
#[derive(Elicit)]
#[elicit(url = "/ui/card", keep = "30m")]
struct Card {
    #[secret]
    number: SecretString,
}

#[derive(Serialize, Deserialize, Clone)]
#[serde(crate = "mcp_elicit::serde")]
struct Offer {
    id: u32,
    train: String,
    euros: u32,
}

/// Books journeys.
struct Desk {
    agency: Arc<Agency>,
}

#[tools]
impl Desk {
    /// Book a journey by train.
    #[tool(asks(Trip, Choose, Traveller, Card), destructive)]
    async fn book(&self, cx: &Cx) -> Result<String, CallError> {
        let trip = cx.ask::<Trip>().await?;
        let there = self.choose(cx, 0, &trip.to, trip.day).await?;
        let mut journeys = vec![there];
        if let Some(day) = trip.back {
            journeys.push(self.choose(cx, 1, "home", day).await?);
        }
        let mut names = Vec::new();
        for i in 0..usize::from(trip.travellers) {
            let who = cx.ask::<Traveller>().at(i);
            let who = who.message(format!("Who is traveller {}?", i + 1)).await?;
            names.push(if who.child {
                format!("{} (child)", who.name)
            } else {
                who.name
            });
        }
        let card = cx.ask::<Card>().await?;
        let euros = journeys.iter().map(|it| it.euros).sum::<u32>() * u32::from(trip.travellers);
        let trains: Vec<_> = journeys.iter().map(|it| it.train.as_str()).collect();
        let trains = trains.join(" and ");
        // What is agreed to is the names too, which the text does not say.
        cx.confirm(format!("Book {trains} for {euros} EUR?"))
            .about(&names)
            .await?;
        let ticket = cx
            .once("book", async |s| {
                Ok(self
                    .agency
                    .book(&trains, &names, &card.number, s.key())
                    .await?)
            })
            .await?;
        Ok(match ticket {
            Booked::Ticket(number) => format!("Booked {trains} for {}: {number}", names.join(", ")),
            Booked::CardDeclined => "The card was declined, nothing is booked.".to_owned(),
        })
    }
}

impl Desk {
    /// The search is a read: it is done once in a run, however many questions follow.
    async fn choose(
        &self,
        cx: &Cx,
        leg: usize,
        to: &str,
        day: jiff::civil::Date,
    ) -> Result<Offer, CallError> {
        let search = cx.step("search", async |_| Ok(self.agency.search(to, day).await?));
        let offers: Vec<Offer> = search.at(leg).await?;
        let list = offers
            .iter()
            .map(|it| (it.id, format!("{}, {} EUR", it.train, it.euros)));
        let options = ChooseOptions {
            offer: list.collect(),
        };
        let chosen = cx.ask_with::<Choose>(options).at(leg);
        let chosen = chosen
            .message(format!("Which train to {to} on {day}?"))
            .await?;
        let offer = offers.into_iter().find(|it| it.id == *chosen.offer.key());
        offer.ok_or_else(|| "This train is gone.".into())
    }
}

/// Stands for a travel agency: it gives each idempotency key one ticket.
#[derive(Default)]
struct Agency {
    searches: Mutex<Vec<String>>,
    tickets: Mutex<BTreeMap<String, String>>,
}

#[derive(Serialize, Deserialize)]
#[serde(crate = "mcp_elicit::serde")]
enum Booked {
    Ticket(String),
    /// No error: it is an outcome, and is remembered like any other.
    CardDeclined,
}

impl Agency {
    async fn search(&self, to: &str, day: jiff::civil::Date) -> std::io::Result<Vec<Offer>> {
        let mut searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        searches.push(format!("{to} {day}"));
        let offer = |id| Offer {
            id,
            train: format!("train {id} to {to}"),
            euros: 20 + id,
        };
        Ok((1..=100).map(offer).collect())
    }

    async fn book(
        &self,
        trains: &str,
        names: &[String],
        card: &SecretString,
        key: &str,
    ) -> std::io::Result<Booked> {
        if card.expose_secret().starts_with("0000") {
            return Ok(Booked::CardDeclined);
        }
        let mut tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        let next = format!("T{}", tickets.len() + 1);
        let ticket = tickets.entry(key.to_owned()).or_insert_with(|| {
            eprintln!("agency: ticket {next} for {trains}: {}", names.join(", "));
            next
        });
        Ok(Booked::Ticket(ticket.clone()))
    }
}

fn server(agency: &Arc<Agency>) -> Server {
    let agency = Arc::clone(agency);
    Server::new("booking", env!("CARGO_PKG_VERSION"))
        .tools(Desk { agency })
        .auth(DevUsers)
}

#[tokio::main]
async fn main() -> mcp_elicit::Result<()> {
    common::log();
    let address = common::address();
    eprintln!("booking: an MCP server (revision 2026-07-28) at http://{address}/mcp");
    server(&Arc::default())
        .limits(common::limits())
        .serve(&address)
        .await
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::civil::date;
    use mcp_elicit::serde_json::json;
    use mcp_elicit::testing::{Replay, TestApp, TestCall};

    use super::*;

    fn trip() -> Trip {
        Trip {
            to: "Oslo".into(),
            day: date(2027, 5, 1),
            back: None,
            travellers: 2,
        }
    }

    fn traveller(name: &str) -> Traveller {
        Traveller {
            name: name.into(),
            child: false,
        }
    }

    fn card(number: &str) -> Card {
        Card {
            number: number.into(),
        }
    }

    /// Everything up to the confirmation.
    fn journey(app: &TestApp) -> TestCall {
        app.user("ada")
            .tool("book")
            .accept(trip())
            .pick::<Choose>("offer", |offers| offers.titled("train 7 to Oslo, 27 EUR"))
            .accept(traveller("Ada"))
            .accept(Traveller {
                child: true,
                ..traveller("Bo")
            })
            .fill(card("4929 0000 0000 1234"))
    }

    async fn start() -> (TestApp, Arc<Agency>) {
        let agency = Arc::default();
        (TestApp::new(server(&agency)).await, agency)
    }

    #[tokio::test]
    async fn two_go_to_oslo() {
        let (app, agency) = start().await;
        let run = journey(&app).confirm(true).await;
        assert_eq!(run.text(), "Booked train 7 to Oslo for Ada, Bo (child): T1");
        let last = run.asked().last().expect("it asked");
        assert_eq!(last.message(), "Book train 7 to Oslo for 54 EUR?");
        assert_eq!(
            agency.searches.lock().unwrap().len(),
            1,
            "in all of {} rounds",
            run.rounds()
        );
        // The same over a live connection, as clients of older revisions have it.
        let live = journey(&app).confirm(true).live();
        // The card is in the vault by now, so its page is not asked.
        let live = live.as_user("bob").await;
        assert_eq!(
            live.text(),
            "Booked train 7 to Oslo for Ada, Bo (child): T2"
        );
        assert_eq!(live.rounds(), run.rounds());
    }

    #[tokio::test]
    async fn there_and_back() {
        let (app, _) = start().await;
        let back = json!({ "to": "Oslo", "day": "2027-05-01", "back": "2027-04-30" });
        let run = app
            .user("ada")
            .tool("book")
            // The first answer does not fit, so it is asked again.
            .accept::<Trip>(back)
            .accept(Trip {
                back: Some(date(2027, 5, 9)),
                travellers: 1,
                ..trip()
            })
            .pick::<Choose>("offer", |offers| offers.first())
            .pick::<Choose>("offer", |offers| offers[9].value.as_str().into())
            .accept(traveller("Ada"))
            .fill(card("4929 0000 0000 1234"))
            .confirm(true)
            .await;
        assert_eq!(
            run.text(),
            "Booked train 1 to Oslo and train 10 to home for Ada: T1"
        );
        assert!(
            run.asked()[1]
                .message()
                .contains("back: must not be before departure")
        );
    }

    #[tokio::test]
    async fn a_declined_card_is_an_outcome_and_a_no_is_none() {
        let (app, agency) = start().await;
        let ask = || {
            let call = app.user("ada").tool("book").accept(Trip {
                travellers: 1,
                ..trip()
            });
            call.pick::<Choose>("offer", |offers| offers.first())
                .accept(traveller("Ada"))
        };
        let run = ask().fill(card("0000 1234 5678 9012")).confirm(true).await;
        assert_eq!(
            (run.text(), run.is_error()),
            ("The card was declined, nothing is booked.", false)
        );
        assert!(ask().confirm(false).await.is_error());
        assert!(
            app.user("bob")
                .tool("book")
                .cancel::<Trip>()
                .await
                .is_error()
        );
        assert!(agency.tickets.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn each_round_on_another_machine_and_a_lost_response() {
        let (one, agency) = start().await;
        let two = one.another(server(&agency)).await;
        let parked = journey(&one).until_confirm().await;
        two.drop_next_response();
        let run = parked.on(&two).confirm(true).await;
        assert_eq!(run.text(), "Booked train 7 to Oslo for Ada, Bo (child): T1");
        // Sent again to the first machine: the same ticket.
        assert_eq!(parked.resend().confirm(true).await.text(), run.text());
        assert_eq!(agency.tickets.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn nobody_else_goes_on_and_nobody_too_late() {
        let (app, agency) = start().await;
        let parked = journey(&app).until_confirm().await;
        for call in [parked.as_user("eve"), parked.tampered()] {
            assert!(call.confirm(true).await.refused().is_some());
        }
        app.clock().advance(Duration::from_secs(3600));
        assert!(parked.resend().confirm(true).await.refused().is_some());
        assert!(agency.tickets.lock().unwrap().is_empty());
    }

    /// A run that an earlier version had parked goes on in this one. `SAVE_RUN=1` saves it anew, for
    /// when runs that are under way may end with the deploy.
    #[tokio::test]
    async fn a_deploy_asks_nobody_again() {
        let (app, _) = start().await;
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/booking.run.json");
        if std::env::var_os("SAVE_RUN").is_some() {
            let call = app.user("ada").tool("book").accept(trip());
            let saved = call.until::<Choose>().await.fixture();
            std::fs::write(path, saved.to_string()).expect("it can be written");
        }
        let saved = std::fs::read_to_string(path).expect("it is there");
        let saved = saved.parse().expect("it is a saved run");
        assert_eq!(app.replay(&saved).await, Replay::Same);
    }
}
