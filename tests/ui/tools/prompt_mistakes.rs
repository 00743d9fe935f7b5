use mcp_elicit::prelude::*;

#[prompt]
async fn silent() -> String {
    String::new()
}

/// Not asynchronous.
#[prompt(read_only)]
fn waiting(#[arg(completes = some)] _text: String) -> String {
    String::new()
}

struct All;

/// Takes all of it.
#[prompt]
async fn whole(all: Args<All>) -> u8 {
    let _ = all;
    7
}

struct Office;

#[tools]
impl Office {
    /// Two things at once.
    #[tool]
    #[prompt]
    async fn both(&self) -> String {
        String::new()
    }

    /// Named as the other.
    #[prompt(name = "twice")]
    async fn one(&self) -> String {
        String::new()
    }

    /// Named as the other.
    #[prompt(name = "twice")]
    async fn two(&self) -> String {
        String::new()
    }
}

fn main() {}
