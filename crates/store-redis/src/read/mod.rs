//! Reads: calls of `read.lua`, each for one shard or, outside of a cluster, for many of one node.
//!
//! [`Reader`] makes the calls; `joined` divides queries into calls, `ask` writes them, `answer`
//! reads replies. `order.lua` finds positions in a window's order, `windows.lua` returns the
//! windows of a shard.

mod answer;
mod ask;
mod joined;
#[cfg(test)]
mod tests;

use bytes::Bytes;
use futures::future::try_join_all;
use tokio::time::Instant;

use crate::boards::keys::ShardKeys;
use crate::boards::parts::Parts;
use crate::boards::registry::activity_text;
use crate::boards::wire::Unpack;
pub(crate) use answer::counts;
use board::{Kind, ShardCount, Window};
use joined::ReadCall;
pub(crate) use joined::work_of;
use redis_nodes::{Call, Effect, FunctionReply, Location};
use shard_store::{BoardRecord, Groups, ShardQuery, ShardReading, StoreError, WindowCount};

/// The number of windows of a shard that one call counts.
const COUNTED_WINDOWS_MAX: usize = 1000;

/// Reads shards.
#[derive(Debug)]
pub(super) struct Reader {
    parts: Parts,
}

impl Reader {
    pub(super) fn new(parts: &Parts) -> Self {
        let parts = parts.clone();
        Self { parts }
    }

    /// Reads shards, each at one moment.
    pub(super) async fn read(
        &self,
        board: &BoardRecord,
        queries: &[ShardQuery],
    ) -> Result<Vec<ShardReading>, StoreError> {
        let kind = self.parts.registry.kind_of(board).await?;
        check_shards(&kind, board)?;
        let shards = queries.iter().map(|asked| asked.shard);
        let places = self.parts.incarnations.places(board, shards).await?;
        let is_joined = |place| self.parts.servers.takes_any_slot(place);
        let calls = joined::calls(queries, &places, is_joined);
        let mut readings = vec![None; queries.len()];
        let answers = calls
            .into_iter()
            .map(|call| self.read_call(board, &kind, call));
        for (index, reading) in try_join_all(answers).await?.into_iter().flatten() {
            readings[index] = Some(reading);
        }
        Ok(readings.into_iter().flatten().collect())
    }

    /// Reads one shard.
    #[cfg(test)]
    pub(super) async fn read_one(
        &self,
        board: &BoardRecord,
        shard: u16,
        query: &shard_store::Query,
    ) -> Result<ShardReading, StoreError> {
        let query = query.clone();
        let mut readings = self.read(board, &[ShardQuery { shard, query }]).await?;
        Ok(readings.remove(0))
    }

    /// Returns the readings of a call, with the indexes of their queries.
    async fn read_call(
        &self,
        board: &BoardRecord,
        kind: &Kind,
        call: ReadCall<'_>,
    ) -> Result<Vec<(usize, ShardReading)>, StoreError> {
        let mut left = call.asked;
        let mut readings = Vec::with_capacity(left.len());
        while !left.is_empty() {
            let counts = left[0].query.groups == Groups::Count;
            let keys = left.iter().flat_map(|asked| {
                let keys = ShardKeys::new(board, asked.shard);
                let window = asked.query.window;
                let values = counts.then(|| keys.values(window));
                let own = [keys.meta(), keys.scores(window), keys.rank(window)];
                own.into_iter().chain(values)
            });
            let shards: Vec<u16> = left.iter().map(|asked| asked.shard).collect();
            let args = ask::args(kind, board, &left);
            let seen = self
                .look_at(board, &shards, call.place, "read", keys.collect(), args)
                .await?;
            let mut answer = Unpack::new(&seen.payload);
            let mut again = Vec::new();
            for mut asked in left {
                let (reading, is_short) =
                    answer::reading(kind.rules(), board, asked, seen.epoch, &mut answer)?;
                if is_short {
                    // The caller that marked it refills it, unless it went away, or its reply was lost.
                    self.parts.incarnations.due(board);
                }
                match asked.unless {
                    // The function compares counters only. Another version with the same counter
                    // requires a loss of data in between.
                    Some(known) if reading.parts.is_none() && reading.version != known => {
                        asked.unless = None;
                        again.push(asked);
                    }
                    _ => readings.push((asked.index, reading)),
                }
            }
            answer.end()?;
            left = again;
        }
        Ok(readings)
    }

    /// Returns the windows in which the shard has members.
    pub(super) async fn windows(
        &self,
        board: &BoardRecord,
        shard: u16,
    ) -> Result<Vec<WindowCount>, StoreError> {
        let keys = ShardKeys::new(board, shard);
        let seen = activity_text(&board.activity).into();
        let mut windows = self.known_windows(board, shard, Some(seen)).await?;
        windows.sort_unstable();
        let mut counts = Vec::new();
        for windows in windows.chunks(COUNTED_WINDOWS_MAX) {
            let ranks = windows.iter().map(|window| keys.rank(*window)).collect();
            let seen = self.look(board, shard, "count", ranks, Vec::new()).await?;
            let members = answer::counts(&seen.payload, windows.len())?;
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
    /// members or without. With an activity, the shard refuses callers that have seen another one.
    pub(super) async fn known_windows(
        &self,
        board: &BoardRecord,
        shard: u16,
        seen: Option<Bytes>,
    ) -> Result<Vec<Window>, StoreError> {
        let meta = vec![ShardKeys::new(board, shard).meta()];
        let args = seen.into_iter().collect();
        let answer = self.look(board, shard, "windows", meta, args).await?;
        Ok(answer::windows(&answer.payload)?)
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
        let place = self.parts.incarnations.place(board, shard).await?;
        self.look_at(board, &[shard], place, function, keys, args)
            .await
    }

    async fn look_at(
        &self,
        board: &BoardRecord,
        shards: &[u16],
        place: Location,
        function: &'static str,
        keys: Vec<Bytes>,
        args: Vec<Bytes>,
    ) -> Result<FunctionReply, StoreError> {
        let incarnations = &self.parts.incarnations;
        let until = Instant::now() + self.parts.settings.read_deadline;
        let call = Call::new(function, Effect::Read, keys, args, until);
        let answer = incarnations.call(board, shards, place, &call).await?;
        answer.map_err(|refusal| incarnations.refused(board, refusal))
    }
}

/// Rejects a board whose distinct values cannot be counted: settings of a board that were made before
/// its kind got dense ranks may have more shards than one.
pub(super) fn check_shards(kind: &Kind, board: &BoardRecord) -> Result<(), StoreError> {
    if kind.is_dense() && board.shards != ShardCount::ONE {
        return Err(StoreError::Unavailable(format!(
            "{}: boards with dense ranks have one shard on Redis, and its settings have {}: set them again, or \
             delete the board",
            board.name,
            board.shards.get(),
        )));
    }
    Ok(())
}
