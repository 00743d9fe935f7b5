use mcp_elicit::prelude::*;

#[derive(Choice, Debug, PartialEq)]
enum Plan {
    #[choice(title = "Free of charge")]
    Free,
    Pro,
}

/// Which plan?
#[derive(Elicit)]
struct Order {
    #[elicit(enum_names, default = "pro")]
    plan: Plan,
    #[elicit(rename = "next", enum_names)]
    after: Option<Plan>,
}

pub fn main() {
    assert_eq!(
        Order::declaration().schema(),
        r#"{"type":"object","properties":{"plan":{"type":"string","title":"Plan","enum":["free","pro"],"enumNames":["Free of charge","Pro"],"default":"pro"},"next":{"type":"string","title":"After","enum":["free","pro"],"enumNames":["Free of charge","Pro"]}}}"#
    );
    let order = Order::decode(r#"{"next":"free"}"#).unwrap();
    assert_eq!((order.plan, order.after), (Plan::Pro, Some(Plan::Free)));
}
