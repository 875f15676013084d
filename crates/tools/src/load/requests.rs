//! What is asked of the server, and what becomes of it: [`Plan`] draws a [`Request`], which counts itself.

use std::sync::Arc;

use megaboard_client::{Board, Client, Contribution, Error, Event, ProblemType};
use tokio::time::Instant;

use super::tally::{Contributions, Operation, Tally};
use super::viewers::Viewers;

/// Entries of the tops that are read.
const TOP: u64 = 100;
/// Entries of the tops that are streamed.
const STREAMED: u64 = 10;
/// Entries of deep pages.
const PAGE: u64 = 50;

/// Where all requests go, and where they are counted.
pub(super) struct Stage {
    pub(super) client: Client,
    pub(super) board: Board,
    pub(super) with_ids: bool,
    pub(super) tally: Tally,
}

/// Draws requests.
pub(super) enum Plan {
    Write { viewers: Viewers, batch: u32 },
    Read { viewers: Viewers },
}

/// A request that is due.
pub(super) enum Request {
    /// Members, and what they give.
    Contribute(Vec<(String, i64)>),
    Top,
    Member(String),
    Around(String),
    /// From this position on.
    Range(u64),
}

impl Plan {
    pub(super) const fn write(viewers: Viewers, batch: u32) -> Self {
        Self::Write { viewers, batch }
    }

    pub(super) const fn read(viewers: Viewers) -> Self {
        Self::Read { viewers }
    }

    /// The next request.
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
    /// Sends it, and counts what became of it and how long it took since it was due.
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
            Ok(()) => stage.tally.answered(operation, due.elapsed()),
            Err(error) => stage.tally.failed(operation, error.to_string()),
        }
    }
}

/// Nobody is on the board before their first gift: that they are not ranked is an answer.
fn unless_unranked<T>(answer: Result<T, Error>) -> Result<(), Error> {
    match answer {
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
    for refused in &outcome.rejected {
        stage.tally.fault(refused.detail.clone());
    }
    stage.tally.contributed(Contributions {
        applied: outcome.applied,
        duplicates: outcome.duplicates,
        rejected: outcome.rejected_count,
        undecided: undecided as u64,
    });
    failure.map_or(Ok(()), Err)
}

/// Holds a stream for as long as it is polled.
pub(super) async fn watch(stage: Arc<Stage>) {
    let mut events = stage.board.stream().n(STREAMED).events();
    while let Some(event) = events.next().await {
        match event {
            // It connects again by itself.
            Ok(Event::Interrupted(error)) => stage.tally.interrupted(error.to_string()),
            Ok(_) => stage.tally.saw(),
            Err(error) => return stage.tally.interrupted(error.to_string()),
        }
    }
}
