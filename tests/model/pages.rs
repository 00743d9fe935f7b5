//! The users at the pages.

use mcp_elicit_tests::{Browser, Got};

use super::known::Behind;
use super::script::Visit;
use super::session::{Checked, Going, SLACK, Session};

impl Session<'_> {
    pub(super) fn behind_now(&self) -> Behind {
        let now = self.world.now();
        let mut behind = self.behind.clone();
        behind.links.clear();
        for ticket in &self.tickets {
            // One that was filled has a secret behind it.
            if ticket.expires > now {
                behind.links.insert(ticket.link.clone(), ticket.open);
            }
        }
        behind
    }

    /// Those whose pages can surely be used.
    pub(super) fn open_tickets(&self) -> Vec<usize> {
        let now = self.world.now();
        let all = self.tickets.iter().enumerate();
        let open = all.filter(|(_, t)| t.open && t.expires > now + SLACK);
        open.map(|(i, _)| i).collect()
    }

    pub(super) fn visit(&mut self, ticket: usize, visit: Visit) -> Checked {
        let visiting = self.visiting(ticket, visit);
        let visited = self.world.runtime.block_on(visiting);
        self.visited(ticket, visit, &visited)
    }

    pub(super) fn visiting(&self, ticket: usize, visit: Visit) -> Going {
        let mut browser = Browser::new(&self.world.apps[1].app);
        let link = self.tickets[ticket].link.clone();
        let secret = format!("secret-{}-0123456789abcdef", secret_of(ticket));
        let user = match visit {
            Visit::Stranger => "stranger".to_owned(),
            _ => self.user.clone(),
        };
        Box::pin(async move {
            let page = browser.sign_in(&link, &user).await;
            if page.status != 200 {
                return page;
            }
            match visit {
                Visit::Decline => browser.decline(&link, &page).await,
                _ => browser.submit(&link, &page, &[("api_key", &secret)]).await,
            }
        })
    }

    /// Notes what a visit has changed.
    pub(super) fn visited(&mut self, ticket: usize, visit: Visit, got: &Got) -> Checked {
        let done = !got.status.is_client_error() && !got.status.is_server_error();
        let op = self.tickets[ticket].op;
        match visit {
            Visit::Stranger if done => return Err(format!("a stranger at a page: {}", got.text)),
            Visit::Stranger => {}
            _ if !done => return Err(format!("{} at a page: {}", got.status, got.text)),
            Visit::Fill => {
                self.world.count("filled");
                let secret = secret_of(ticket).to_string();
                self.behind.secrets.insert(op, secret);
                // Other pages for the same credential have nothing to ask any more.
                let same = self.tickets.iter_mut().filter(|t| t.op == op);
                same.for_each(|t| t.open = false);
            }
            Visit::Decline => self.tickets[ticket].open = false,
        }
        Ok(())
    }
}

/// The number in the secret that a ticket's page is given.
fn secret_of(ticket: usize) -> usize {
    ticket + 1
}
