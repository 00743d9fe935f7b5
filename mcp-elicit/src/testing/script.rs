//! The lines of a script that are still to be used, and how each answers its question.

use serde_json::{Value, json};

use super::answer::Offers;
use super::app::TestApp;
use super::fail::fail;
use super::line::{Act, Choose, Line};
use super::run::Asked;

/// Lines, in the order they were written.
#[derive(Debug, Clone, Default)]
pub(super) struct Script(pub(super) Vec<Line>);

impl Script {
    /// Takes the line for a question: one for its very key first, else the first for its type.
    pub(super) fn take(&mut self, key: &str) -> Option<Line> {
        let exact = self.0.iter().position(|it| it.exact && it.fits(key));
        let at = exact.or_else(|| self.0.iter().position(|it| it.fits(key)))?;
        Some(self.0.remove(at))
    }

    /// The lines, one below the other.
    pub(super) fn listed(&self) -> String {
        self.0.iter().map(|line| format!("\n  {line}")).collect()
    }
}

/// Does what a line says; the entry of `inputResponses`, if there is to be one.
pub(super) async fn answer(app: &TestApp, user: &str, line: &Line, asked: &Asked) -> Option<Value> {
    Some(match &line.act {
        Act::Accept { content, picks } => {
            let mut content = content.clone();
            for (field, choose) in picks {
                pick(&mut content, field, choose, line, asked);
            }
            json!({ "action": "accept", "content": content })
        }
        Act::Fill(answer) => {
            fill(app, user, answer, line, asked).await;
            json!({ "action": "accept" })
        }
        Act::Consent => json!({ "action": "accept" }),
        Act::Give(answer) => answer.clone(),
        Act::Decline => json!({ "action": "decline" }),
        Act::Cancel => json!({ "action": "cancel" }),
        Act::Skip => return None,
    })
}

fn pick(content: &mut Value, field: &str, choose: &Choose, line: &Line, asked: &Asked) {
    let offers = asked.schema().and_then(|it| Offers::of(it, field));
    let (Some(offers), Some(content)) = (offers, content.as_object_mut()) else {
        fail(&format!(
            "{line} is to choose for `{field}`, and there is nothing to choose from:\n\n{asked}"
        ));
    };
    content.insert(field.to_owned(), choose(&offers));
}

/// Opens the page as a person does, and saves it.
async fn fill(app: &TestApp, user: &str, answer: &Value, line: &Line, asked: &Asked) {
    let Some(link) = asked.link() else {
        fail(&format!(
            "{line} is to fill a page, and this is none:\n\n{asked}"
        ));
    };
    let shown = app.browser(user).open(link).await;
    let saved = shown.fill_json(answer).await;
    if saved.status() != 200 || saved.is_form() {
        fail(&format!(
            "{line} could not be saved; the page says ({}):\n\n  {}",
            saved.status(),
            saved.text()
        ));
    }
}
