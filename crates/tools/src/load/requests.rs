//! The requests of a load: [`Plan`] generates [`Request`]s, which count their outcomes.

use std::sync::Arc;

use megaboard_client::{Board, Client, Contribution, Error, Event, ProblemType};
use tokio::time::Instant;

use super::tally::{Contributions, Operation, Tally};
use super::viewers::Viewers;

/// The number of entries of tops.
const TOP: u64 = 100;
/// The number of entries of streams.
const STREAMED: u64 = 10;
/// The number of entries of deep pages.
const PAGE: u64 = 50;

/// What all requests share: the client, the board and the counts.
pub(super) struct Stage {
    pub(super) client: Client,
    pub(super) board: Board,
    pub(super) with_ids: bool,
    pub(super) tally: Tally,
}

/// Generates random requests.
pub(super) enum Plan {
    Write { viewers: Viewers, batch: u32 },
    Read { viewers: Viewers },
}

/// A request that is due.
pub(super) enum Request {
    /// Members and points.
    Contribute(Vec<(String, i64)>),
    Top,
    Member(String),
    Around(String),
    /// The first position of the page.
    Range(u64),
}

impl Plan {
    pub(super) const fn write(viewers: Viewers, batch: u32) -> Self {
        Self::Write { viewers, batch }
    }

    pub(super) const fn read(viewers: Viewers) -> Self {
        Self::Read { viewers }
    }

    /// Returns the next request.
    pub(super) fn next(&mut self) -> Request {
        match self {
            Self::Write { viewers, batch } => {
                Request::Contribute((0..*batch).map(|_| viewers.gift()).collect())
            }
            Self::Read { viewers } => match viewers.below(8) {
                0..4 => Request::Top,
                4..6 => Request::Member(viewers.member()),
                6 => Request::Around(viewers.member()),
                _ => Request::Range(1 + u64::from(viewers.position())),
            },
        }
    }
}

impl Request {
    /// Sends the request, and counts its outcome and the latency since it was due.
    pub(super) async fn send(self, stage: &Stage, due: Instant) {
        let board = &stage.board;
        let (operation, outcome) = match self {
            Self::Contribute(gifts) => (Operation::Contribute, contribute(stage, gifts).await),
            Self::Top => (Operation::Top, board.top().n(TOP).await.map(drop)),
            Self::Member(member) => (
                Operation::Member,
                unless_unranked(board.member(&member).await),
            ),
            Self::Around(member) => (
                Operation::Around,
                unless_unranked(board.around(&member).await),
            ),
            Self::Range(from) => (
                Operation::Range,
                board.range(from..=from + PAGE - 1).await.map(drop),
            ),
        };
        match outcome {
            Ok(()) => stage.tally.succeeded(operation, due.elapsed()),
            Err(error) => stage.tally.failed(operation, error.to_string()),
        }
    }
}

/// Ignores the error that a member is not ranked, which is expected before its first contribution.
fn unless_unranked<T>(result: Result<T, Error>) -> Result<(), Error> {
    match result {
        Err(Error::Problem(problem)) if problem.kind == ProblemType::NotRanked => Ok(()),
        other => other.map(drop),
    }
}

async fn contribute(stage: &Stage, gifts: Vec<(String, i64)>) -> Result<(), Error> {
    let gifts: Vec<Contribution> = gifts
        .into_iter()
        .map(|(member, points)| {
            let gift = Contribution::new(stage.board.name().to_string(), member).points(points);
            if stage.with_ids {
                gift
            } else {
                gift.without_id()
            }
        })
        .collect();
    let (outcome, undecided, failure) = match stage.client.contribute(&gifts).await {
        Ok(outcome) => (outcome, 0, None),
        Err(error) => (error.outcome, error.undecided.len(), Some(error.cause)),
    };
    for rejected in &outcome.rejected {
        stage.tally.fault(rejected.detail.clone());
    }
    stage.tally.contributed(Contributions {
        applied: outcome.applied,
        duplicates: outcome.duplicates,
        rejected: outcome.rejected_count,
        undecided: undecided as u64,
    });
    failure.map_or(Ok(()), Err)
}

/// Reads a stream for as long as it is polled.
pub(super) async fn watch(stage: Arc<Stage>) {
    let mut events = stage.board.stream().n(STREAMED).events();
    while let Some(event) = events.next().await {
        match event {
            // The client reconnects.
            Ok(Event::Interrupted(error)) => stage.tally.interrupted(error.to_string()),
            Ok(_) => stage.tally.received_board(),
            Err(error) => return stage.tally.interrupted(error.to_string()),
        }
    }
}
