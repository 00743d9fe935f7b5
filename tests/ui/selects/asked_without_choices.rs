use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Route {
    #[select]
    repo: Select,
}

/// Routes.
#[tool]
async fn route(cx: &Cx) -> Result<String, CallError> {
    let route = cx.ask::<Route>().await?;
    Ok(route.repo.into_key())
}

fn main() {}
