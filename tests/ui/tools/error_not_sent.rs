use mcp_elicit::prelude::*;

#[derive(Debug)]
struct Wrong(std::rc::Rc<str>);

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Wrong {}

/// Give the text back.
#[tool]
async fn echo() -> Result<String, Wrong> {
    Ok(String::new())
}

fn main() {}
