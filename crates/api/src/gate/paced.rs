//! [`PacedRequest`]: whose a request is, for the turns of long ones and for what it costs.

use std::net::IpAddr;
use std::sync::Arc;

use access::Caller;
use pacing::{FairQueue, Flow, STEP, paced};
use twox_hash::XxHash3_64;

use crate::app::App;

/// Whose a request is.
pub(super) struct PacedRequest<'a> {
    pub(super) app: &'a App,
    pub(super) long_requests: &'a Arc<FairQueue>,
    pub(super) caller: Caller,
    pub(super) address: IpAddr,
    /// Whether its cost counts: it only reads.
    pub(super) only_reads: bool,
    /// A digest of what the path is about.
    pub(super) board: u64,
}

/// Returns a digest of what a path is about: of its first four segments, as in `/v1/boards/gifts/a`.
pub(super) fn board_of(path: &str) -> u64 {
    let end = path.match_indices('/').nth(4);
    let end = end.map_or(path.len(), |(end, _)| end);
    XxHash3_64::oneshot(&path.as_bytes()[..end])
}

impl PacedRequest<'_> {
    /// Completes the request. What it costs beside itself counts against the rates of its caller.
    pub(super) async fn complete<F: Future>(self, request: F) -> F::Output {
        let flow = Flow {
            caller: self
                .caller
                .digest()
                .unwrap_or_else(|| address_digest(self.address)),
            board: self.board,
        };
        let mut cost = Cost {
            request: self,
            work: 0,
        };
        paced(cost.request.long_requests, flow, &mut cost.work, request).await
    }
}

/// What a request cost, which counts when this is dropped: also if its client has left.
struct Cost<'a> {
    request: PacedRequest<'a>,
    work: usize,
}

impl Drop for Cost<'_> {
    fn drop(&mut self) {
        let (request, more) = (&self.request, self.work / STEP);
        if request.only_reads && more > 0 {
            let more = u32::try_from(more).unwrap_or(u32::MAX);
            let access = &request.app.access;
            access.owe(&request.caller, request.address, more);
        }
    }
}

fn address_digest(address: IpAddr) -> u64 {
    match address {
        IpAddr::V4(address) => XxHash3_64::oneshot(&address.octets()),
        IpAddr::V6(address) => XxHash3_64::oneshot(&address.octets()),
    }
}
