//! Fields and variants under a condition, and deprecated ones.

use elicit::prelude::*;

/// Which plan
#[derive(Choice, Debug)]
#[choice(crate = elicit)]
pub enum Plan {
    /// It costs nothing.
    Free,
    #[cfg(any())]
    Gone(u8),
    /// Anything goes.
    #[cfg(not(any()))]
    #[cfg_attr(not(any()), choice(title = "All of it"))]
    Pro,
    /// Once there was more.
    #[deprecated = "nobody wants it"]
    Old,
}

/// How do we invoice you?
#[derive(Elicit, Debug)]
#[cfg_attr(not(any()), elicit(crate = elicit, key = "bill"))]
pub struct Invoice {
    /// Where to
    #[cfg_attr(not(any()), elicit(format = "email"))]
    pub email: String,
    #[cfg(any())]
    pub gone: NoSuchType,
    /// The plan
    #[cfg(not(any()))]
    pub plan: Option<Plan>,
    /// Nobody fills it in
    #[deprecated(since = "0.1.0", note = "use `email`")]
    #[elicit(max = 9, default = 1)]
    pub fax: u32,
}

/// Nobody asks it.
#[deprecated]
#[derive(Elicit, Debug)]
#[elicit(crate = elicit, guarded)]
pub struct Retired {
    /// Sure?
    pub yes: bool,
}

/// An old choice
#[deprecated]
#[derive(Choice, Debug)]
#[choice(crate = elicit)]
pub enum Former {
    /// The one.
    One,
}

#[cfg(test)]
mod tests {
    use elicit::serde_json::json;

    use super::*;
    use crate::expected::schema;

    #[test]
    fn only_what_is_there_is_asked() {
        assert_eq!(Invoice::declaration().key(), "bill");
        assert_eq!(
            schema::<Invoice>(),
            json!({
                "type": "object",
                "properties": {
                    "email": {
                        "type": "string", "title": "Email", "description": "Where to", "format": "email"
                    },
                    "plan": {
                        "type": "string", "title": "Plan", "description": "The plan", "oneOf": [
                            {"const": "free", "title": "It costs nothing"},
                            {"const": "pro", "title": "All of it"},
                            {"const": "old", "title": "Once there was more"},
                        ],
                    },
                    "fax": {
                        "type": "integer", "title": "Fax", "description": "Nobody fills it in",
                        "minimum": 0, "maximum": 9, "default": 1,
                    },
                },
                "required": ["email"],
            })
        );
    }
}
