use mcp_elicit::prelude::*;

/// Really?
#[derive(Elicit)]
#[elicit(guarded)]
struct Sure {
    yes: bool,
}

/// Delete all.
#[tool]
async fn delete(cx: &Cx) -> Result<String, CallError> {
    let sure = cx.ask::<Sure>().prefill(&Sure { yes: true }).await?;
    Ok(sure.yes.to_string())
}

fn main() {}
