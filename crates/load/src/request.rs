//! One request: [`Request`], sent and counted.

use std::sync::Arc;

use megaboard_client::{Board, Client, Contribution, Error, Event, ProblemType};

use crate::connections::Connections;
use crate::mix::Operation;
use crate::rooms::subject;
use crate::tally::{Contributions, Tally};

/// The number of entries of tops.
const TOP: u64 = 100;
/// The number of entries of streams.
const STREAMED: u64 = 10;

/// A request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Top {
        room: usize,
    },
    Rank {
        room: usize,
        member: String,
    },
    Around {
        room: usize,
        member: String,
    },
    /// Members and points.
    Write {
        room: usize,
        gifts: Vec<(String, i64)>,
    },
}

impl Request {
    pub(crate) const fn operation(&self) -> Operation {
        match self {
            Self::Top { .. } => Operation::Top,
            Self::Rank { .. } => Operation::Rank,
            Self::Around { .. } => Operation::Around,
            Self::Write { .. } => Operation::Write,
        }
    }

    /// Sends the request. Responses to reads are not parsed: that would cost this machine more than the server.
    pub(crate) async fn send(
        self,
        client: &Client,
        connections: &Connections,
        tally: &Tally,
    ) -> Result<(), Error> {
        let path = |room, end: &str| connections.path(room, end);
        match self {
            Self::Top { room } => read(client, path(room, &format!("top?n={TOP}"))).await,
            // Names of members have only characters that need no encoding.
            Self::Rank { room, member } => {
                read(client, path(room, &format!("members/{member}"))).await
            }
            Self::Around { room, member } => {
                read(client, path(room, &format!("members/{member}/around"))).await
            }
            Self::Write { room, gifts } => {
                let with_ids = connections.with_ids();
                let board = connections.board_name(room);
                contribute(client, &board, gifts, with_ids, tally).await
            }
        }
    }
}

async fn read(client: &Client, path: String) -> Result<(), Error> {
    let response = client.get(path).await?;
    if response.status == 200 {
        return Ok(());
    }
    match response.problem() {
        // As expected before a member's first contribution in a window.
        problem if problem.kind == ProblemType::NotRanked => Ok(()),
        problem => Err(Error::Problem(problem)),
    }
}

/// Sends contributions, and counts their outcomes.
pub(crate) async fn contribute(
    client: &Client,
    board: &str,
    gifts: Vec<(String, i64)>,
    with_ids: bool,
    tally: &Tally,
) -> Result<(), Error> {
    let gifts = gifts.into_iter().map(|(member, points)| {
        let gift = Contribution::new(board, member).points(points);
        if with_ids { gift } else { gift.without_id() }
    });
    let gifts: Vec<Contribution> = gifts.collect();
    let (outcome, undecided, failure) = match client.contribute(&gifts).await {
        Ok(outcome) => (outcome, 0, None),
        Err(error) => (error.outcome, error.undecided.len(), Some(error.cause)),
    };
    for rejected in &outcome.rejected {
        tally.fault(rejected.detail.clone());
    }
    tally.contributed(Contributions {
        applied: outcome.applied,
        duplicates: outcome.duplicates,
        rejected: outcome.rejected_count,
        undecided: undecided as u64,
    });
    failure.map_or(Ok(()), Err)
}

/// Reads a stream for as long as it is polled.
pub(crate) async fn watch(connections: Arc<Connections>, tally: Arc<Tally>, room: usize) {
    let client = connections.any();
    let board: Board = client.board(connections.kind(), subject(room));
    let mut events = board.stream().n(STREAMED).events();
    while let Some(event) = events.next().await {
        match event {
            // The client reconnects.
            Ok(Event::Interrupted(error)) => tally.interrupted(error.to_string()),
            Ok(_) => tally.received_board(),
            Err(error) => return tally.interrupted(error.to_string()),
        }
    }
}
