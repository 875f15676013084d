//! Measures the CPU of Redis per contribution, and its memory per member.

use std::io;

use crate::board::{Board, CHURN, Case, ROUND, SHARDS};
use crate::peer::Peer;
use crate::settings::Settings;

/// The numbers of contributions of a call to a shard, and of a pipeline.
pub(crate) const LENGTHS: [usize; 3] = [50, 200, 1000];

/// The figures of a board, with one value per round.
#[derive(Default)]
pub(crate) struct Ours {
    /// By length of a call.
    pub(crate) direct: [Vec<f64>; 3],
    pub(crate) served: Vec<f64>,
    pub(crate) bytes: f64,
    pub(crate) bytes_after: f64,
}

/// All figures: CPU of Redis per contribution in microseconds, and bytes per member.
pub(crate) struct Writes {
    pub(crate) boards: Vec<(Case, Ours)>,
    /// One sorted set, by length of a pipeline.
    pub(crate) plain: [Vec<f64>; 3],
    /// As many sorted sets as the board has shards.
    pub(crate) plain_sets: [Vec<f64>; 3],
    pub(crate) plain_bytes: f64,
}

/// Fills all boards, and measures them in turn.
pub(crate) fn measure(settings: &Settings) -> io::Result<Writes> {
    let Settings {
        megaboard, members, ..
    } = settings;
    let mut plain = Peer::filled(*members, 1, CHURN)?;
    let mut plain_sets = Peer::filled(*members, SHARDS, CHURN)?;
    let mut boards = Vec::new();
    for case in &settings.cases {
        eprintln!("writes: filling a board, {case:?}");
        let board = Board::filled(megaboard, *members, *case)?;
        boards.push((board, Ours::default()));
    }
    let mut peers = (<[Vec<f64>; 3]>::default(), <[Vec<f64>; 3]>::default());
    for round in 1..=settings.rounds {
        eprintln!("writes: round {round} of {}", settings.rounds);
        for (index, len) in LENGTHS.into_iter().enumerate() {
            peers.0[index].push(plain.cpu_us(len as u64, ROUND)?);
            for (board, ours) in boards.iter_mut().filter(|(board, _)| board.is_complete()) {
                ours.direct[index].push(board.direct(len)?);
            }
            peers.1[index].push(plain_sets.cpu_us(len as u64, ROUND)?);
        }
        for (board, ours) in boards.iter_mut().filter(|(board, _)| board.is_complete()) {
            ours.served.push(board.served()?);
        }
    }
    let ours = boards.into_iter().map(|(board, ours)| Ours {
        bytes: board.bytes,
        bytes_after: board.bytes_after,
        ..ours
    });
    Ok(Writes {
        boards: settings.cases.iter().copied().zip(ours).collect(),
        plain: peers.0,
        plain_sets: peers.1,
        plain_bytes: plain.bytes,
    })
}
