//! One request: [`Request`], sent and counted.

use std::sync::Arc;

use megaboard_client::{Client, Contribution, Error, Event, ProblemType};

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
pub(crate) struct Request {
    pub(crate) operation: Operation,
    pub(crate) room: usize,
    /// The members that it is about, with the points to write.
    pub(crate) gifts: Vec<(String, i64)>,
}

impl Request {
    /// Sends the request. Responses to reads are not parsed: that would cost this machine more than the server.
    pub(crate) async fn send(
        self,
        client: &Client,
        connections: &Connections,
        tally: &Tally,
    ) -> Result<(), Error> {
        let board = connections.board_name(self.room);
        let end = match (self.operation, self.gifts.first()) {
            // Names of members have only characters that need no encoding.
            (Operation::Rank, Some((member, _))) => format!("members/{member}"),
            (Operation::Around, Some((member, _))) => format!("members/{member}/around"),
            (Operation::Write, _) => {
                let with_ids = connections.with_ids;
                return contribute(client, &board, self.gifts, with_ids, tally).await;
            }
            _ => format!("top?n={TOP}"),
        };
        read(client, format!("/v1/boards/{board}/{end}")).await
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
    let board = connections.other.board(&connections.kind, subject(room));
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
