use std::collections::BTreeSet;

use mcp_elicit::prelude::*;

#[derive(Choice, PartialEq, Eq, PartialOrd, Ord)]
enum Extra {
    Breakfast,
    Parking,
}

/// Where to?
#[derive(Elicit)]
struct Trip {
    text: String,
    yes: bool,
    i8: i8,
    i16: i16,
    i32: i32,
    i64: i64,
    isize: isize,
    u8: u8,
    u16: u16,
    u32: u32,
    u64: u64,
    usize: usize,
    n8: std::num::NonZeroU8,
    n64: std::num::NonZeroU64,
    f32: f32,
    f64: f64,
    one: Extra,
    several: Vec<Extra>,
    set: BTreeSet<Extra>,
    day: jiff::civil::Date,
    at: jiff::Timestamp,
    maybe_text: Option<String>,
    maybe_yes: Option<bool>,
    maybe_number: Option<i32>,
    maybe_one: Option<Extra>,
    maybe_several: Option<Vec<Extra>>,
    maybe_set: Option<BTreeSet<Extra>>,
    maybe_day: Option<jiff::civil::Date>,
    maybe_at: Option<jiff::Timestamp>,
    chrono_day: chrono::NaiveDate,
    chrono_at: chrono::DateTime<chrono::Utc>,
    chrono_at_offset: chrono::DateTime<chrono::FixedOffset>,
    maybe_chrono_at: Option<chrono::DateTime<chrono::Utc>>,
    time_day: time::Date,
    time_at: time::OffsetDateTime,
    maybe_time_day: Option<time::Date>,
    site: url::Url,
    maybe_site: Option<url::Url>,
}

pub fn main() {
    assert_eq!(Trip::declaration().table().fields.len(), 38);
}
