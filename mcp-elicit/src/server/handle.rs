//! A server without a listener: bytes in, bytes out.

use axum::body::{Body, to_bytes};
use axum::http::{Request, Response};
use tower_service::Service as _;

use super::app::App;
use crate::http::Whole;

impl App {
    /// Answers one HTTP request, for function platforms and whatever else gives requests one by one: the
    /// endpoint and the pages, with all checks. Make the App once and keep it.
    ///
    /// The reply is whole: there is no progress before it, and streams of changes
    /// (`subscriptions/listen`) are unknown. Where a platform counts the time of a call, give
    /// [`Limits::hold`](crate::Limits::hold) less than it allows, or zero. What a handler leaves running when
    /// the reply is there, such as an effect whose client went away, needs the runtime to go on.
    ///
    /// ```
    /// # use mcp_elicit::{App, http::Request};
    /// # async fn run(app: App) {
    /// let request = Request::get("/ui").header("host", "localhost").body(Vec::new());
    /// let response = app.handle(request.expect("it is well-formed")).await;
    /// assert_eq!(response.status(), 303); // to the sign-in
    /// # }
    /// ```
    pub async fn handle(&self, mut request: Request<Vec<u8>>) -> Response<Vec<u8>> {
        request.extensions_mut().insert(Whole);
        let Ok(response) = self.router().call(request.map(Body::from)).await;
        let (parts, body) = response.into_parts();
        // The body is there already: nothing of it is still to be made.
        let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
        Response::from_parts(parts, body.into())
    }
}
