//! What generated code may name. Hidden, and no promise: it changes with the macros.

pub use crate::declare::answer::{Answers, Checked, Reason};
pub use crate::declare::bounds::{Constant, Literal};
pub use crate::declare::choice::{chosen, one};
pub use crate::declare::declaration::after_error;
pub use crate::declare::field::IfFormValue;
pub use crate::declare::json::{Mark, Request, request_len};
pub use crate::declare::refuse::{
    check_bound, check_default, check_enum_names, check_format, check_items, check_length,
    check_name, check_order,
};
pub use crate::declare::secret::PageField;
pub use crate::declare::select::{Choices, Choosable};
pub use crate::declare::{
    Declaration, Fallback, Field, Fillable, FormField, FormMode, FormTable, FormValue, Format,
    Keep, Kind, Num, Opt, PageMode, SecretField, SelectField, SelectMode,
};

/// What `#[tool]` and `#[tools]` name.
#[cfg(feature = "http")]
pub mod tool {
    pub use std::sync::Arc;

    pub use serde_json::value::RawValue;
    pub use tokio::try_join;

    pub use crate::runtime::Filling;
    pub use crate::server::arguments::{Given, Whole};
    pub use crate::server::schema::{Parameters, whole};
    pub use crate::server::tool::{FreeTool, listed, make, make_filling};
}
