//! The macros where names, texts and lints are against them. It compiles, without a warning, and
//! the schemas are right.
#![deny(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
#![deny(
    future_incompatible,
    let_underscore,
    nonstandard_style,
    rust_2018_idioms,
    unused
)]
#![deny(
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    missing_debug_implementations,
    missing_docs,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unit_bindings,
    unreachable_pub,
    unused_lifetimes,
    unused_qualifications,
    unused_results
)]
#![allow(clippy::unused_async, reason = "a tool is always asynchronous")]
#![allow(
    clippy::redundant_pub_crate,
    reason = "the opposite of `unreachable_pub`"
)]

pub mod conditions;
#[cfg(test)]
mod made;
pub mod shadowed;
pub mod texts;
pub mod tools;
pub mod without_prelude;

#[cfg(test)]
mod expected {
    //! How the tests look at a schema.

    use elicit::Elicit;
    use elicit::serde_json::{Value, from_str};

    pub(crate) fn schema<T: Elicit>() -> Value {
        from_str(T::declaration().schema()).expect("a schema is JSON")
    }

    pub(crate) fn properties<T: Elicit>() -> Value {
        schema::<T>()["properties"].take()
    }
}
