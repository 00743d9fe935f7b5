//! Every size, time and count limit of a server, each with its name, unit and default.
//!
//! A limit is checked before the work that it guards against. It uses nothing else of the crate.

use std::time::Duration;

macro_rules! limits {
    ($($(#[doc = $doc:literal])* $name:ident: $ty:ty = $default:expr;)*) => {
        /// The limits of a server. Start from the defaults and change what you need:
        ///
        /// ```
        /// # use mcp_elicit::Limits;
        /// # use std::time::Duration;
        /// let limits = Limits::default().hold(Duration::from_secs(20)).body(256 * 1024);
        /// ```
        #[derive(Debug, Clone)]
        pub struct Limits {
            $(pub(crate) $name: $ty,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        impl Limits {
            $(
                $(#[doc = $doc])*
                #[must_use]
                pub fn $name(mut self, $name: $ty) -> Self {
                    self.$name = $name;
                    self
                }
            )*
        }

        /// Name, default and meaning of each, as the guide lists them.
        #[cfg(test)]
        fn rows() -> Vec<String> {
            let it = Limits::default();
            vec![$({
                let meaning: Vec<_> = [$($doc),*].iter().map(|line| line.trim()).collect();
                format!(
                    "| `{}` | `{:?}` | {} |",
                    stringify!($name),
                    it.$name,
                    meaning.join(" ")
                )
            }),*]
        }
    };
}

limits! {
    /// Largest request body in bytes; more is answered with 413. It is also the
    /// longest line on stdio. Default 1 MiB.
    body: usize = 1024 * 1024;
    /// How long a client may take to send a body; longer is answered with 408. For the head of a request
    /// it has as long too, then the connection is closed. Default 30 seconds.
    read: Duration = Duration::from_secs(30);
    /// Largest head of a request in bytes, 8 KiB at least: its method, path and headers. More is
    /// answered with 431. On HTTP/1.1 one that has come in whole may have up to twice as many. Default 32 KiB.
    head: usize = 32 * 1024;
    /// Most connections of a listener; one more waits until another ends. Default 20,000.
    connections: usize = 20_000;
    /// Most requests on one HTTP/2 connection that are under way at the same time. Default 200.
    streams: u32 = 200;
    /// Most requests of one client on stdio, or on another pipe, that are under way at the same time; one
    /// more is answered with an error. Default 256.
    at_once: usize = 256;
    /// How long what is under way may still take when such a client has closed its end. Default
    /// 5 seconds.
    finish: Duration = Duration::from_secs(5);
    /// How many entries one page of a list has. Default 250.
    page: usize = 250;
    /// How deeply objects and arrays of a message may be nested. Default 64.
    depth: usize = 64;
    /// Largest `requestState` in bytes, taken or given. Default 48 KiB: with arguments and answers
    /// it still passes a proxy that stops at 100 kB.
    state: usize = 48 * 1024;
    /// Most entries of `inputResponses`. Default 64.
    answers: usize = 64;
    /// Largest answer of the client's model, or list of its roots, in bytes; a larger one is refused with
    /// -32602. Default 256 KiB.
    sampled: usize = 256 * 1024;
    /// Most of them that are kept for one principal: those over `step` bytes, of runs that wait for
    /// more. A call that needs one more ends with a text that says so. Default 400.
    sampled_kept: usize = 400;
    /// Most rounds of one run. Default 8: the usual clients stop at 10. Rounds in which only a page
    /// was waited for do not count.
    rounds: u8 = 8;
    /// How often answers that do not fit are asked again, the first time included. Default 3.
    attempts: u8 = 3;
    /// How long the user has to answer one round. Default 1 hour.
    lifetime: Duration = Duration::from_secs(3600);
    /// How long one run may last from its first request. Default 8 hours.
    run: Duration = Duration::from_secs(8 * 3600);
    /// How long a retry is held while its page is not finished. Default 45 seconds: most clients
    /// give up after a minute. Zero answers at once.
    hold: Duration = Duration::from_secs(45);
    /// How long where the client wants to hear of progress: it is told that its call still waits. Never
    /// less than `hold`. Default 5 minutes.
    hold_with_progress: Duration = Duration::from_secs(300);
    /// Most retries that are held at the same time; one more is answered at once. Default 10,000.
    held: usize = 10_000;
    /// Most retries of one principal that are held at the same time, so that one user cannot take
    /// all places. Default 100.
    held_by_one: usize = 100;
    /// Most bytes of progress and log messages of one request that wait for a client that takes them
    /// slowly; newer progress then takes the place of older, and log messages are left out. Default
    /// 256 KiB.
    notices: usize = 256 * 1024;
    /// How often a stream on which nothing happens is sent something that means nothing, so that no
    /// proxy takes it for dead. Zero: never. Default 15 seconds.
    keep_alive: Duration = Duration::from_secs(15);
    /// Most streams of changes (`subscriptions/listen`) that are open at the same time. Default 1,000.
    listeners: usize = 1000;
    /// Most such streams of one principal; anonymous clients count among all alone. Default 20.
    listeners_of_one: usize = 20;
    /// Most resources that one such stream tells of. Default 100.
    subscribed: usize = 100;
    /// How long such a stream lasts. Then it ends in good order, and who still may listen opens
    /// another. Default 1 hour.
    listen: Duration = Duration::from_secs(3600);
    /// How long a check of `Server::verify` may take when a page is sent; longer is "could not be
    /// checked". Default 10 seconds.
    verify: Duration = Duration::from_secs(10);
    /// Most such checks at the same time; one more waits for as long as it might take. Each has a
    /// thread for itself. Default 32.
    verifying: usize = 32;
    /// Most open pages of one principal. Default 20.
    tickets: usize = 20;
    /// Most credentials that are kept for one principal; the page of one more says so. Default 200.
    credentials: usize = 200;
    /// Most MCP requests of one principal in a minute, at once or spread out; more are answered with
    /// 429. Zero: any number. It counts for principals of your own `Authenticator`, not for `DevUsers`,
    /// who are all of this machine. Default 1,200.
    call_rate: u32 = 1200;
    /// Most MCP requests of nobody in particular (`Anonymous`) from one address in a minute, likewise; what
    /// counts as one address, and when it is known, is as for `address_rate`. Default 6,000: clients that run
    /// on a host of their own come from a few addresses for many users.
    anonymous_rate: u32 = 6000;
    /// Most requests to pages of one principal in a minute, likewise. Default 120.
    page_rate: u32 = 120;
    /// Most requests to pages from one address in a minute, likewise; of IPv6 a network of 64 bits
    /// counts as one. Requests of this machine count only where a proxy is named that says whose they
    /// are. Default 600.
    address_rate: u32 = 600;
    /// Most sign-ins by name from one address in a minute, likewise. Default 60.
    sign_in_rate: u32 = 60;
    /// Most effects of one principal that are remembered. Default 10,000.
    claims: usize = 10_000;
    /// Largest step result in bytes that travels in the state; a larger one goes encrypted to the
    /// store. Default 4 KiB.
    step: usize = 4 * 1024;
    /// Largest step or effect result in bytes at all. Default 1 MiB.
    result: usize = 1024 * 1024;
    /// How long a request waits for the same effect that is running elsewhere. Default 60 seconds.
    /// A client that went away does not stop a running step or effect for as long either.
    effect: Duration = Duration::from_secs(60);
    /// How long a handler may run in one round, the time in which a retry is held not counted. Then
    /// the call ends in an error, except that a step or effect under way is finished. Default 10 minutes.
    handler: Duration = Duration::from_secs(600);
    /// How long an effect with a key of its own (`once(..).by(..)`) is remembered. Default 30 days.
    remember: Duration = Duration::from_secs(30 * 24 * 3600);
}

/// Longest link to a page of somebody else, in bytes: the usual browsers and clients take as much.
pub(crate) const LINK_BYTES: usize = 2048;

#[cfg(test)]
mod tests {
    #[test]
    fn the_guide_lists_them_all() {
        let table = super::rows().join("\n");
        let guide = include_str!("../../docs/guide/deploying.md");
        assert!(
            guide.contains(&table),
            "docs/guide/deploying.md needs:\n{table}"
        );
    }
}
