struct Shop;

fn list(_: impl mcp_elicit::IntoTools) {}

fn main() {
    list(Shop);
}
