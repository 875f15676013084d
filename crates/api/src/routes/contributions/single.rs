//! [`write()`]: the short way of a request of one contribution to one board.

use std::time::Duration;

use crate::receipts::Receipt;
use access::Caller;
use board::BoardName;
use http_server::ChunkPermits;
use shard_router::{Contribution, WriteOutcome};
use wire::{ContributionShape, Targets};

use crate::app::App;

/// Writes a usual contribution to a board that exists, and counts its outcome. `false`: nothing was applied, and the
/// contribution has to be written as a [`Chunk`](super::chunk::Chunk), which also waits for permits, creates boards,
/// and reports what is wrong.
pub(super) async fn write(
    app: &App,
    caller: &Caller,
    text: &[u8],
    wait: Option<Duration>,
    receipt: &mut Receipt,
) -> bool {
    let written = try_write(app, caller, text, wait).await;
    if let Some((board, written)) = &written {
        app.metrics.writes.request().add(1);
        app.metrics.writes.count(written);
        receipt.count(0, board, written);
    }
    written.is_some()
}

async fn try_write(
    app: &App,
    caller: &Caller,
    text: &[u8],
    wait: Option<Duration>,
) -> Option<(BoardName, WriteOutcome)> {
    let mut permits = ChunkPermits::default();
    if !permits.try_grow(&app.write_permits, 0, 1) {
        return None;
    }
    let moment = app.moment().waiting(wait);
    let shape = ContributionShape::of_plain(text)?;
    let contributed = shape.check(app.router.arrival(moment.now)).ok()?;
    let (Targets::One(board), None) = (contributed.targets, contributed.window) else {
        return None;
    };
    let board: BoardName = board.parse().ok()?;
    board.subject().check_visible().ok()?;
    let kind = board.kind().as_str();
    caller.check_kind_still(app.access(), kind).ok()?;
    let kind = app.router.catalogue().known(kind)?;
    let contribution = Contribution {
        change: contributed.change(&kind.kind).ok()?,
        member: contributed.member,
        at: contributed.at,
        id: contributed.id,
        only: None,
    };
    let router = &app.router;
    let written = router
        .write_single(&board, &kind, contribution, &moment)
        .await?;
    Some((board, written))
}
