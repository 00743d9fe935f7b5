//! What an author writes as an answer: a value of the type that is asked, or JSON.

use serde_json::{Map, Value};

use super::fail::fail;
use crate::declare::Elicit;
use crate::declare::answer::Checked;
use crate::declare::written;
use secrecy::ExposeSecret;

/// What answers a question for a `T`: a `T`, or JSON for what no `T` can be, such as an answer that
/// does not fit.
pub trait AnswerTo<T>: sealed::Sealed<T> {}

impl<T, A: sealed::Sealed<T>> AnswerTo<T> for A {}

pub(super) mod sealed {
    use serde_json::Value;

    use crate::declare::Elicit;

    pub trait Sealed<T> {
        /// The answer as JSON.
        #[doc(hidden)]
        fn into_json(self) -> Value;
    }

    impl<T: Elicit> Sealed<T> for T {
        fn into_json(self) -> Value {
            super::of(&self)
        }
    }

    impl<T: Elicit> Sealed<T> for Value {
        fn into_json(self) -> Value {
            self
        }
    }
}

/// What answers a question to the client itself: a `T`, or JSON for what no `T` can be.
pub trait ClientAnswer<T>: given::Sealed<T> {}

impl<T, A: given::Sealed<T>> ClientAnswer<T> for A {}

pub(super) mod given {
    use serde_json::{Value, json};

    use crate::client::{Root, Sampled};

    pub trait Sealed<T> {
        /// The answer as JSON.
        #[doc(hidden)]
        fn into_json(self) -> Value;
    }

    impl Sealed<Self> for Sampled {
        fn into_json(self) -> Value {
            self.json()
        }
    }

    impl Sealed<Self> for Vec<Root> {
        fn into_json(self) -> Value {
            let roots = self.into_iter().map(|it| match it.name {
                Some(name) => json!({ "uri": it.uri, "name": name }),
                None => json!({ "uri": it.uri }),
            });
            json!({ "roots": roots.collect::<Vec<_>>() })
        }
    }

    impl<T> Sealed<T> for Value {
        fn into_json(self) -> Value {
            self
        }
    }
}

/// The answer that gives `value`, secrets and all: it is typed into a page, never sent in a form.
fn of<T: Elicit>(value: &T) -> Value {
    let mut fields = T::declaration().table().fields.iter();
    let mut object = Map::new();
    value.each_value(&mut |checked| {
        let Some(field) = fields.next() else { return };
        let json = match &checked {
            Checked::Secret(secret) => Some(Value::from(secret.expose_secret())),
            other => {
                written::text(field.kind, other).and_then(|text| serde_json::from_str(&text).ok())
            }
        };
        if let Some(json) = json {
            object.insert(field.name.to_owned(), json);
        }
    });
    Value::Object(object)
}

/// The pairs that a browser sends for an answer.
pub(super) fn pairs(answer: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut pairs = Vec::new();
    for (name, value) in answer.as_object().into_iter().flatten() {
        match value {
            Value::Null | Value::Bool(false) => {}
            Value::Array(all) => pairs.extend(all.iter().map(|it| (name.clone(), text(it)))),
            one => pairs.push((name.clone(), text(one))),
        }
    }
    pairs
}

/// One of the choices that a question offers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Offer {
    /// What it is known by.
    pub value: String,
    /// What people read.
    pub title: String,
}

/// The choices that a question offers for one field, in their order.
///
/// ```
/// # use mcp_elicit::prelude::*;
/// # use mcp_elicit::testing::*;
/// /// Which one?
/// #[derive(Elicit)]
/// struct Repo {
///     #[select]
///     repo: Select<u64>,
/// }
///
/// /// Picks a repository.
/// #[tool]
/// async fn choose(cx: &Cx) -> Result<String, CallError> {
///     let options = RepoOptions { repo: [(17, "core"), (23, "web")].into() };
///     Ok(cx.ask_with::<Repo>(options).await?.repo.key().to_string())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # let app = TestApp::new(Server::new("repos", "1").tools(toolset![choose])).await;
/// let call = app.user("ada").tool("choose");
/// let run = call.pick::<Repo>("repo", |offers| offers.titled("web")).await;
/// assert_eq!(run.text(), "23");
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offers(Vec<Offer>);

impl Offers {
    /// The choices of `field` in the schema of a form.
    pub(super) fn of(schema: &Value, field: &str) -> Option<Self> {
        let property = schema.get("properties")?.get(field)?;
        let list = property.get("items").unwrap_or(property);
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let titled = |it: &Value| {
            Some(Offer {
                value: text(it.get("const")?)?,
                title: text(it.get("title")?)?,
            })
        };
        let plain = |it: &Value| {
            text(it).map(|value| Offer {
                title: value.clone(),
                value,
            })
        };
        let titles = list.get("oneOf").or_else(|| list.get("anyOf"));
        let offers = match (titles.and_then(Value::as_array), list.get("enum")) {
            (Some(all), _) => all.iter().filter_map(titled).collect(),
            (None, all) => all?.as_array()?.iter().filter_map(plain).collect(),
        };
        Some(Self(offers))
    }

    /// The first one.
    #[must_use]
    #[track_caller]
    pub fn first(&self) -> Picked {
        match self.0.first() {
            Some(offer) => Picked(vec![offer.value.clone()]),
            None => fail("nothing is offered"),
        }
    }

    /// The one with this title. The test fails if there is none.
    #[must_use]
    #[track_caller]
    pub fn titled(&self, title: &str) -> Picked {
        self.all_titled([title])
    }

    /// Those with these titles. The test fails if there is none of one of them.
    #[must_use]
    #[track_caller]
    pub fn all_titled<'t>(&self, titles: impl IntoIterator<Item = &'t str>) -> Picked {
        let mut picked = Vec::new();
        for title in titles {
            match self.0.iter().find(|offer| offer.title == title) {
                Some(offer) => picked.push(offer.value.clone()),
                None => fail(&format!(
                    "nothing offered is titled {title:?}: {:?}",
                    self.0
                )),
            }
        }
        Picked(picked)
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> Picked {
        Picked(self.0.iter().map(|offer| offer.value.clone()).collect())
    }
}

/// What was picked of some offers. Made by [`Offers`], or of a value or a list of values, also of
/// such that were not offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picked(pub(super) Vec<String>);

impl From<&str> for Picked {
    fn from(value: &str) -> Self {
        Self(vec![value.to_owned()])
    }
}

impl From<String> for Picked {
    fn from(value: String) -> Self {
        Self(vec![value])
    }
}

impl From<Vec<String>> for Picked {
    fn from(values: Vec<String>) -> Self {
        Self(values)
    }
}

impl std::ops::Deref for Offers {
    type Target = [Offer];

    fn deref(&self) -> &[Offer] {
        &self.0
    }
}
