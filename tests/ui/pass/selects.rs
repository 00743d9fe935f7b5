use mcp_elicit::declare::SelectMode;
use mcp_elicit::prelude::*;

pub type Ids = Vec<Select<u64>>;

/// Where shall it go?
#[derive(Elicit)]
pub struct Route {
    #[elicit(max_length = 40)]
    title: String,
    #[select]
    repo: Select,
    /// Which marks?
    #[select]
    #[elicit(rename = "marks", min_items = 1, max_items = 3)]
    labels: Ids,
    #[elicit(description = "Who reads it")]
    #[select]
    r#for: Option<Select<std::net::IpAddr>>,
}

/// The tool may say that it asks it.
#[tool(asks(Route))]
async fn route(cx: &Cx) -> Result<String, CallError> {
    let options = RouteOptions {
        repo: vec![("core".to_owned(), "The core".to_owned())].into(),
        labels: (1..9).map(|i| (i, i.to_string())).collect(),
        r#for: [(std::net::Ipv4Addr::LOCALHOST.into(), "Myself")].into(),
    };
    let route = cx.ask_with::<Route>(options).optional().await?;
    Ok(route.map_or_else(String::new, |it| it.repo.into_key()))
}

fn needs_choices<T: SelectMode>() -> bool {
    T::declaration().has_selects()
}

pub fn main() {
    assert!(needs_choices::<Route>());
    let it = Route::declaration();
    assert_eq!((it.key(), it.schema(), it.request()), ("route", "", ""));
    let wrong = Route::decode(r#"{"title":"a","repo":"core","marks":["1"]}"#).err();
    assert_eq!(
        wrong.map(|it| it.to_string()).as_deref(),
        Some("repo: has no choices here; marks: has no choices here")
    );
    let _ = toolset![route];
}
