//! What generated code may name. Hidden, and no promise: it changes with the macros.

pub use crate::declare::answer::{Answers, Checked, Reason};
pub use crate::declare::bounds::Literal;
pub use crate::declare::choice::{chosen, one};
pub use crate::declare::constant::{Constant, NotWritten, Written};
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
    pub use crate::server::prompt::make_prompt;
    pub use crate::server::resource::make_resource;
    pub use crate::server::schema::{Parameters, whole};
    pub use crate::server::tool::{FreeTool, listed, make, make_filling};
}

/// What the tests of this repository need beside the public names.
#[cfg(feature = "testing")]
pub mod test {
    use std::sync::Arc;

    use crate::auth::{DEV_ISSUER, Principal};
    use crate::runtime::run::{request_digest, tag};
    use crate::seal::{Binding, RequestDigest};
    use crate::{App, Server, UnixTime};

    /// The server with another clock.
    pub fn clock(server: Server, now: impl Fn() -> UnixTime + Send + Sync + 'static) -> Server {
        server.with_clock(Arc::new(now))
    }

    /// A state of a user of `DevUsers` for a call, with any payload: what a build with another
    /// layout could have sealed.
    pub fn seal(
        app: &App,
        user: &str,
        tool: &str,
        arguments: &str,
        payload: &[u8],
    ) -> Option<String> {
        let services = &app.0.services;
        let now = services.ambient.now();
        let binding = Binding {
            principal: &tag(&Principal::new(DEV_ISSUER, user)),
            request: &digest(app, user, tool, arguments)?,
            issued: now,
            expires: now.after(services.limits.lifetime),
        };
        let mut out = Vec::new();
        let nonce = services.ambient.random();
        services.keys.seal_state(&binding, payload, nonce, &mut out);
        String::from_utf8(out).ok()
    }

    /// The digest of a call.
    fn digest(app: &App, user: &str, tool: &str, arguments: &str) -> Option<RequestDigest> {
        let registry = app.0.registry.load();
        let principal = Principal::new(DEV_ISSUER, user);
        let target = &registry.tool(tool, &principal)?.target;
        Some(request_digest(target, Some(arguments)))
    }

    /// The payload of such a state.
    pub fn open(
        app: &App,
        user: &str,
        tool: &str,
        arguments: &str,
        state: &str,
    ) -> Option<Vec<u8>> {
        let services = &app.0.services;
        let principal = tag(&Principal::new(DEV_ISSUER, user));
        let request = digest(app, user, tool, arguments)?;
        let (now, most) = (services.ambient.now(), services.limits.state);
        let opened = services
            .keys
            .open_state(state, &principal, &request, now, most);
        opened.ok().map(|(payload, _)| payload)
    }
}
