//! Tools of a library under another name, with types of arguments and results of their own.

use elicit::prelude::*;
use elicit::schemars::{self, JsonSchema};
use elicit::serde::{self, Deserialize, Serialize};

/// Where it is.
#[derive(Deserialize, Serialize, JsonSchema, Debug)]
#[serde(crate = "serde")]
#[schemars(crate = "schemars")]
pub struct Place {
    /// The city
    pub city: String,
    /// Its country
    pub r#type: Option<String>,
}

/// Find "it" \ 🚂.
///
/// Long, and
/// longer.
///
/// # Errors
///
/// Never.
#[tool(crate = elicit, name = "find.it", read_only)]
pub async fn r#match(
    /// With "quotes" \ and 🎉
    r#type: Place,
    #[arg(rename = "größe", description = "\u{1}\"")] size: Option<u8>,
    #[arg(default = vec![1, 2])] numbers: Vec<u8>,
) -> Result<Json<Place>, CallError> {
    let country = size.map(|it| format!("{it}{numbers:?}")).or(r#type.r#type);
    Ok(Json(Place {
        r#type: country,
        ..r#type
    }))
}

/// All at once.
///
/// # Errors
///
/// Never.
#[tool(crate = ::elicit)]
pub async fn whole(cx: &Cx, Args(place): Args<Place>) -> Result<String, CallError> {
    let _ = cx;
    Ok(place.city)
}

/// An old one.
#[deprecated]
#[tool(crate = crate::tools::elicit_again)]
pub async fn old() {}

/// Not there.
#[cfg(any())]
#[tool(crate = elicit)]
pub async fn gone() -> NoSuchType {}

pub(crate) use elicit as elicit_again;

/// A shelf of `T`.
#[derive(Debug)]
pub struct Shelf<T>(pub T);

#[tools(crate = elicit_again)]
impl<T: AsRef<str> + Send + Sync + 'static> Shelf<T> {
    /// Read it.
    #[tool(read_only)]
    pub async fn read(&self) -> String {
        self.0.as_ref().to_owned()
    }

    /// Not there.
    #[cfg(any())]
    #[tool]
    pub async fn gone(&self) -> NoSuchType {}

    /// Drop it.
    #[deprecated]
    #[tool(destructive)]
    pub async fn r#loop(
        &self,
        /** Which */
        r#type: u8,
    ) {
        let _ = r#type;
    }
}

#[cfg(test)]
mod tests {
    use elicit::serde_json::{Value, from_str, json};
    use elicit::{IntoTools, toolset};

    use super::*;

    #[test]
    fn listed_as_they_were_written() {
        let tools = toolset![r#match, whole, old];
        let names: Vec<_> = tools.tools.iter().map(elicit::Tool::name).collect();
        assert_eq!(names, ["find.it", "whole", "old"]);
        let listing: Value = from_str(&tools.tools[0].listing()).expect("JSON");
        assert_eq!(
            listing["description"],
            "Find \"it\" \\ 🚂.\n\nLong, and longer.\n\n# Errors\n\nNever."
        );
        let properties = &listing["inputSchema"]["properties"];
        assert_eq!(
            properties["type"]["description"],
            "With \"quotes\" \\ and 🎉"
        );
        assert_eq!(properties["größe"]["description"], "\u{1}\"");
        assert_eq!(properties["numbers"]["default"], json!([1, 2]));
        assert_eq!(listing["inputSchema"]["required"], json!(["type"]));
        let listing: Value = from_str(&tools.tools[1].listing()).expect("JSON");
        assert_eq!(listing["inputSchema"]["required"], json!(["city"]));

        let shelf = Shelf("a book").into_tools().tools;
        let names: Vec<_> = shelf.iter().map(elicit::Tool::name).collect();
        assert_eq!(names, ["read", "loop"]);
    }
}
