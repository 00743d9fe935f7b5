//! To what a sealed state is bound, and why one may be refused.

use std::fmt;
use std::time::Duration;

use subtle::ConstantTimeEq as _;

use super::digest::{PrincipalTag, RequestDigest};
use crate::time::UnixTime;

/// How far the clocks of two of our own machines may differ.
const SKEW: Duration = Duration::from_secs(60);

/// Format of the plaintext. It is raised with every change of its layout.
const VERSION: u8 = 1;

/// Length of the header before the payload.
pub(super) const HEADER_LEN: usize = 1 + 16 + 16 + 8 + 8;

/// To what a state is bound: it opens for this principal and this request alone, and only for a
/// time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binding<'a> {
    pub(crate) principal: &'a PrincipalTag,
    pub(crate) request: &'a RequestDigest,
    pub(crate) issued: UnixTime,
    pub(crate) expires: UnixTime,
}

impl Binding<'_> {
    /// Appends the header:
    ///
    /// ```text
    /// version(1) ‖ principal tag(16) ‖ request digest(16) ‖ issued(8) ‖ expires(8)
    /// ```
    ///
    /// Both times are milliseconds since the epoch, big-endian.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        out.extend_from_slice(&self.principal.0);
        out.extend_from_slice(&self.request.0);
        out.extend_from_slice(&self.issued.as_millis().to_be_bytes());
        out.extend_from_slice(&self.expires.as_millis().to_be_bytes());
    }
}

/// Checks the header of a plaintext that has proved to be ours; tells when it was issued.
pub(super) fn check(
    plain: &[u8],
    principal: &PrincipalTag,
    request: &RequestDigest,
    now: UnixTime,
) -> Result<UnixTime, Rejected> {
    let (&version, rest) = plain.split_first().ok_or(Rejected::Malformed)?;
    if version > VERSION {
        return Err(Rejected::NewerVersion);
    }
    if version != VERSION {
        return Err(Rejected::UnknownVersion);
    }
    let (sealed_principal, rest) = take::<16>(rest)?;
    let (sealed_request, rest) = take::<16>(rest)?;
    let (issued, rest) = take::<8>(rest)?;
    let (expires, _) = take::<8>(rest)?;
    let issued = UnixTime::from_millis(u64::from_be_bytes(*issued));
    let expires = UnixTime::from_millis(u64::from_be_bytes(*expires));
    if now >= expires {
        return Err(Rejected::Expired);
    }
    if issued > now.after(SKEW) {
        return Err(Rejected::FromTheFuture);
    }
    if !bool::from(sealed_principal.ct_eq(&principal.0)) {
        return Err(Rejected::OtherPrincipal);
    }
    if !bool::from(sealed_request.ct_eq(&request.0)) {
        return Err(Rejected::OtherRequest);
    }
    Ok(issued)
}

fn take<const N: usize>(bytes: &[u8]) -> Result<(&[u8; N], &[u8]), Rejected> {
    bytes.split_first_chunk().ok_or(Rejected::Malformed)
}

/// A sealed state was refused. To the client every cause looks the same; which one it was is for the
/// log and the metric alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rejected {
    TooLarge,
    Malformed,
    UnknownVersion,
    /// A newer build of this server made it: the key proves that.
    NewerVersion,
    UnknownKey,
    Tampered,
    Expired,
    FromTheFuture,
    OtherPrincipal,
    OtherRequest,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("requestState is invalid or expired")
    }
}

impl std::error::Error for Rejected {}
