//! Reads: one query is one call, `read.lua`.
//!
//! [`Reader`] makes the calls; `ask` writes queries, `answer` reads replies. `order.lua` finds
//! positions in a window's order, `windows.lua` returns the windows of a shard.

mod answer;
mod ask;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use board::Window;
use redis_boards::call_error::{store_error, unread};
use redis_boards::incarnations::Incarnations;
use redis_boards::keys::ShardKeys;
use redis_boards::registry::Registry;
use redis_boards::settings::RedisSettings;
use redis_nodes::{Call, CallError, Effect, FunctionReply, Nodes};
use shard_store::{BoardRecord, Query, ShardReading, StoreError, WindowCount};

/// The number of windows of a shard that one call counts.
const COUNTED_WINDOWS_MAX: usize = 1000;

/// Reads shards.
#[derive(Debug)]
pub(super) struct Reader {
    servers: Arc<Nodes>,
    incarnations: Arc<Incarnations>,
    registry: Arc<Registry>,
    deadline: Duration,
}

impl Reader {
    pub(super) fn new(
        servers: Arc<Nodes>,
        incarnations: Arc<Incarnations>,
        registry: Arc<Registry>,
        settings: &RedisSettings,
    ) -> Self {
        Self {
            servers,
            incarnations,
            registry,
            deadline: settings.read_deadline,
        }
    }

    /// Reads one window of one shard, at one moment.
    pub(super) async fn read(
        &self,
        board: &BoardRecord,
        shard: u16,
        query: &Query,
    ) -> Result<ShardReading, StoreError> {
        let kind = self.registry.kind_of(board).await?;
        let rules = kind.rules();
        let keys = ShardKeys::new(board, shard);
        let (scores, rank) = (keys.scores(query.window), keys.rank(query.window));
        let keys = vec![keys.meta(), scores, rank];
        let mut unless = query.unless;
        loop {
            let args = ask::args(&kind, query, unless);
            let seen = self.look(board, shard, "read", keys.clone(), args).await?;
            let looked = answer::reading(rules, board.incarnation, query, unless, &seen);
            let looked = looked.map_err(unread)?;
            if looked.is_short {
                // The caller that marked it refills it, unless it went away, or its reply was lost.
                self.incarnations.due(board);
            }
            let reading = looked.reading;
            match unless {
                // The function compares counters only. Another version with the same counter
                // requires a loss of data in between.
                Some(known) if reading.parts.is_none() && reading.version != known => unless = None,
                _ => return Ok(reading),
            }
        }
    }

    /// Returns the windows in which the shard has members.
    pub(super) async fn windows(
        &self,
        board: &BoardRecord,
        shard: u16,
    ) -> Result<Vec<WindowCount>, StoreError> {
        let keys = ShardKeys::new(board, shard);
        let mut windows = self.known_windows(board, shard).await?;
        windows.sort_unstable();
        let mut counts = Vec::new();
        for windows in windows.chunks(COUNTED_WINDOWS_MAX) {
            let ranks = windows.iter().map(|window| keys.rank(*window)).collect();
            let seen = self.look(board, shard, "count", ranks, Vec::new()).await?;
            let members = answer::counts(&seen.payload, windows.len()).map_err(unread)?;
            let counted = windows.iter().zip(members);
            let counted = counted.map(|(window, members)| WindowCount {
                window: *window,
                members,
            });
            counts.extend(counted.filter(|count| count.members > 0));
        }
        Ok(counts)
    }

    /// Returns the windows to which the shard ever applied anything and that it did not drop, with
    /// members or without.
    pub(super) async fn known_windows(
        &self,
        board: &BoardRecord,
        shard: u16,
    ) -> Result<Vec<Window>, StoreError> {
        let meta = vec![ShardKeys::new(board, shard).meta()];
        let seen = self.look(board, shard, "windows", meta, Vec::new()).await?;
        answer::windows(&seen.payload).map_err(unread)
    }

    /// Calls a function that only reads.
    pub(super) async fn look(
        &self,
        board: &BoardRecord,
        shard: u16,
        function: &'static str,
        keys: Vec<Bytes>,
        args: Vec<Bytes>,
    ) -> Result<FunctionReply, StoreError> {
        let place = self.incarnations.place(board, shard).await?;
        let call = Call {
            function,
            keys,
            args,
            effect: Effect::Read,
            until: Instant::now() + self.deadline,
            closes: None,
        };
        let answer = self.servers.call(place, &call).await;
        answer.map_err(|error| failed(&self.incarnations, board, error))
    }
}

/// Returns the error of a failed call.
pub(super) fn failed(
    incarnations: &Incarnations,
    board: &BoardRecord,
    error: CallError,
) -> StoreError {
    store_error(error, |refusal| match refusal.code.as_str() {
        "DEAD" => {
            incarnations.forget(board);
            StoreError::IncarnationEnded
        }
        "DROPPED" => StoreError::WindowDropped,
        other => StoreError::Unavailable(format!("a shard refuses: {other}")),
    })
}
