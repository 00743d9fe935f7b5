use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Trip {
    #[secret]
    key: SecretString,
}

fn form<T: mcp_elicit::declare::FormMode>() {}

fn main() {
    form::<Trip>();
}
