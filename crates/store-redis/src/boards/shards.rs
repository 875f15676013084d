//! Calls to all shards of one incarnation of a board: [`Shards`], for the sweep and for callers
//! that finish its work.
//!
//! Each call concerns one shard; [`Shards::each`] makes it for all of them, some at a time. All can
//! be repeated: what was already done is not done again.

use std::time::Duration;

use board::{Activity, Period, Timestamp, Window};
use bytes::Bytes;
use futures::stream::{self, StreamExt, TryStreamExt};
use tokio::time::Instant;

use crate::boards::keys::{ShardKeys, watermark_place, window_name, window_named};
use crate::boards::registry::activity_text;
use crate::boards::session::Session;
use crate::boards::spread;
use crate::boards::wire::{Garbled, Unpack, millis};
use redis_nodes::{Call, CallError, Effect, Location, Nodes, ServerId};
use shard_store::{BoardRecord, StoreError};

/// The number of shards of one board that are called at once.
const CALLS_AT_ONCE: usize = 32;

/// A freeze of a board's shards, while something is decided about the board.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Freeze {
    /// How long it lasts, by the node's clock: if a server ends meanwhile, callers wait so long.
    pub(crate) lasts: Duration,
    /// How long after the first freeze the decision may be taken. The rest is a margin for clocks that are read at
    /// different times.
    pub(crate) decided: Duration,
}

impl Freeze {
    /// What is tried first.
    pub(crate) const SHORT: Self = Self {
        lasts: Duration::from_secs(2),
        decided: Duration::from_secs(1),
    };

    /// If that was too short: for many shards on distant nodes, and nodes with much to do.
    pub(crate) const LONG: Self = Self {
        lasts: Duration::from_secs(10),
        decided: Duration::from_secs(5),
    };
}

/// The number of windows that one call drops.
const WINDOWS_AT_ONCE: usize = 32;

/// How long a tombstone is kept. A server that has not learned of it uses an incarnation for at
/// most half as long ([`Incarnations`](crate::boards::incarnations::Incarnations)); an incarnation without
/// a record is dead anyway.
const TOMBSTONE_KEPT: Duration = Duration::from_hours(24);

/// How often a shard is called again for windows that were opened while it was ended.
const TOMBSTONE_TRIES_MAX: usize = 1_000;

/// The shards of one incarnation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shards<'a> {
    pub(crate) nodes: &'a Nodes,
    pub(crate) board: &'a BoardRecord,
    /// The independent servers over which they are spread; none on other topologies.
    pub(crate) servers: &'a [ServerId],
    /// The deadline of the calls.
    pub(crate) until: Instant,
    /// Whether the calls wait for a node that is unavailable until their deadline. Those that a request waits for do
    /// not.
    pub(crate) waits: bool,
}

/// What a shard may hold that is frozen while the end of its board is decided.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Spent<'a> {
    /// No window, and the ids that were seen.
    Nothing(&'a Survey),
    /// No window but that without bounds, empty, and the ids that were seen.
    IdleWindow(&'a Survey),
    /// Anything, if nothing was written after this time.
    UnwrittenSince(Timestamp),
}

/// The content of a shard.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// The latest time of a batch that applied anything.
    pub(crate) written: Option<Timestamp>,
    /// The generations of its ids, as the function returns them.
    pub(crate) ids: Bytes,
    /// The number of members ranked in the window without bounds.
    pub(crate) ranked: u64,
    pub(crate) windows: Vec<Window>,
    /// The windows whose lists may lack members.
    pub(crate) short: Vec<Window>,
}

impl Shards<'_> {
    fn place(self, shard: u16) -> Location {
        spread::place(self.board, self.servers, shard)
    }

    fn keys(self, shard: u16) -> ShardKeys {
        ShardKeys::new(self.board, shard)
    }

    /// Calls a function for all shards, some at a time, until one fails.
    pub(crate) async fn each<T, F>(self, make: impl Fn(u16) -> F) -> Result<Vec<T>, StoreError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        let shards = 0..self.board.shards.get();
        let calls = stream::iter(shards).map(make).buffered(CALLS_AT_ONCE);
        calls.try_collect().await
    }

    /// Returns the shards whose nodes are connected, and the others.
    pub(crate) fn by_connection(self) -> (Vec<u16>, Vec<u16>) {
        let shards = 0..self.board.shards.get();
        shards.partition(|shard| self.nodes.is_connected(self.place(*shard)))
    }

    /// Returns an error if some node of the board is not connected.
    pub(crate) fn check_connected(self) -> Result<(), StoreError> {
        let (_, away) = self.by_connection();
        away.first()
            .map_or(Ok(()), |shard| Err(not_connected(*shard)))
    }

    /// Returns the content of a shard.
    pub(crate) async fn survey(self, shard: u16) -> Result<Survey, StoreError> {
        let of = self.keys(shard);
        let keys = vec![of.meta(), of.rank(Window::ALL_TIME)];
        let answer = self.call("survey", shard, keys, Vec::new(), Effect::Read);
        Ok(survey(&answer.await?)?)
    }

    /// Drops windows, and keeps them closed, whether or not the shard has them.
    pub(crate) async fn drop_windows(self, shard: u16, gone: &[Window]) -> Result<(), StoreError> {
        let of = self.keys(shard);
        for gone in gone.chunks(WINDOWS_AT_ONCE) {
            let windows = gone.iter().flat_map(|window| of.window(*window));
            let keys = std::iter::once(of.meta()).chain(windows).collect();
            let names = gone.iter().map(|window| window_name(*window).into());
            let args = std::iter::once(watermark(gone)).chain(names).collect();
            self.call("drop", shard, keys, args, Effect::Write).await?;
        }
        Ok(())
    }

    /// Sets the time to live of windows' keys, in milliseconds; 0: they do not expire.
    pub(crate) async fn renew_windows(
        self,
        shard: u16,
        ttls: &[(Window, i64)],
    ) -> Result<(), StoreError> {
        let of = self.keys(shard);
        for ttls in ttls.chunks(WINDOWS_AT_ONCE) {
            let keys = ttls.iter().flat_map(|(window, _)| of.window(*window));
            let args = ttls.iter().map(|(_, ttl_ms)| ttl_ms.to_string().into());
            let (keys, args) = (keys.collect(), args.collect());
            self.call("renew", shard, keys, args, Effect::Write).await?;
        }
        Ok(())
    }

    /// Empties the window without bounds, unless something was written past `bound`.
    pub(crate) async fn empty(
        self,
        shard: u16,
        bound: Timestamp,
        session: &Session,
    ) -> Result<(), StoreError> {
        let of = self.keys(shard);
        let window = of.window(Window::ALL_TIME);
        let keys = std::iter::once(of.meta()).chain(window).collect();
        let caller = Bytes::from(session.next_name(' '));
        let args = vec![bound.millis().to_string().into(), caller];
        self.call("empty", shard, keys, args, Effect::Write).await?;
        Ok(())
    }

    /// Empties it on all shards.
    pub(crate) async fn empty_all(
        self,
        bound: Timestamp,
        session: &Session,
    ) -> Result<(), StoreError> {
        let done = self.each(|shard| self.empty(shard, bound, session)).await;
        done.map(drop)
    }

    /// Freezes a shard that holds nothing else. Returns whether it did. `SettingsChanged`: a change of the
    /// activity was left undecided.
    pub(crate) async fn freeze(
        self,
        shard: u16,
        token: &Bytes,
        spent: Spent<'_>,
        freeze: Freeze,
    ) -> Result<bool, StoreError> {
        let flag = Bytes::from_static;
        let [ids, idle, bound] = match spent {
            Spent::Nothing(seen) => [seen.ids.clone(), flag(b"0"), Bytes::new()],
            Spent::IdleWindow(seen) => [seen.ids.clone(), flag(b"1"), Bytes::new()],
            Spent::UnwrittenSince(bound) => {
                [Bytes::new(), flag(b"0"), bound.millis().to_string().into()]
            }
        };
        let of = self.keys(shard);
        let keys = vec![of.meta(), of.rank(Window::ALL_TIME)];
        let args = vec![token.clone(), millis(freeze.lasts), ids, idle, bound];
        match self
            .try_call("freeze", shard, keys, args, Effect::Write)
            .await
        {
            Err(CallError::Refused(refusal)) if refusal.code == "KEPT" => Ok(false),
            Err(CallError::Refused(refusal)) if refusal.code == "THAW" => {
                Err(StoreError::SettingsChanged)
            }
            answer => answer.map(|_| true).map_err(failed),
        }
    }

    /// Freezes a shard while a change of the board's activity is decided: readers wait, too.
    pub(crate) async fn hold(
        self,
        shard: u16,
        token: &Bytes,
        freeze: Freeze,
    ) -> Result<(), StoreError> {
        let keys = vec![self.keys(shard).meta()];
        let args = vec![token.clone(), millis(freeze.lasts)];
        self.call("hold", shard, keys, args, Effect::Write).await?;
        Ok(())
    }

    /// Returns the freeze of a shard that has expired, as text, if it has one.
    pub(crate) async fn freeze_of(self, shard: u16) -> Result<Bytes, StoreError> {
        let keys = vec![self.keys(shard).meta()];
        self.call("freeze_of", shard, keys, Vec::new(), Effect::Read)
            .await
    }

    /// Removes the freeze of this token; or this freeze, if it has expired. If a change of the
    /// board's activity was being decided, the activity is the one given.
    pub(crate) async fn thaw(
        self,
        shard: u16,
        token: &Bytes,
        activity: Option<&Activity>,
    ) -> Result<(), StoreError> {
        let keys = vec![self.keys(shard).meta()];
        let activity = activity.map(|activity| activity_text(activity).into());
        let args = std::iter::once(token.clone()).chain(activity).collect();
        self.call("thaw", shard, keys, args, Effect::Write).await?;
        Ok(())
    }

    /// Ends these shards permanently, independently of one another; the first failure is returned.
    pub(crate) async fn tombstones(self, shards: &[u16]) -> Result<(), StoreError> {
        let ends = shards.iter().copied().map(|shard| self.tombstone(shard));
        let ended = stream::iter(ends).buffer_unordered(CALLS_AT_ONCE);
        let ended: Vec<Result<(), StoreError>> = ended.collect().await;
        ended.into_iter().collect()
    }

    /// Ends a shard permanently.
    async fn tombstone(self, shard: u16) -> Result<(), StoreError> {
        let of = self.keys(shard);
        let mut left: Vec<Window> = Vec::new();
        for _ in 0..TOMBSTONE_TRIES_MAX {
            left.truncate(WINDOWS_AT_ONCE);
            let windows = left.iter().flat_map(|window| of.window(*window));
            let keys = [of.meta(), of.ids(0), of.ids(1)].into_iter().chain(windows);
            let kept = millis(TOMBSTONE_KEPT);
            let names = left.iter().map(|window| window_name(*window).into());
            let args = std::iter::once(kept).chain(names);
            let answer = self.call(
                "tombstone",
                shard,
                keys.collect(),
                args.collect(),
                Effect::Write,
            );
            let answer = answer.await?;
            left = take_windows(&mut Unpack::new(&answer)).map_err(Garbled::in_doubt)?;
            if left.is_empty() {
                return Ok(());
            }
        }
        Err(StoreError::Unavailable(
            "a shard has too many windows".to_owned(),
        ))
    }

    async fn call(
        self,
        function: &'static str,
        shard: u16,
        keys: Vec<Bytes>,
        args: Vec<Bytes>,
        effect: Effect,
    ) -> Result<Bytes, StoreError> {
        let answer = self.try_call(function, shard, keys, args, effect).await;
        answer.map_err(failed)
    }

    async fn try_call(
        self,
        function: &'static str,
        shard: u16,
        keys: Vec<Bytes>,
        args: Vec<Bytes>,
        effect: Effect,
    ) -> Result<Bytes, CallError> {
        let call = Call {
            waits_until: self.waits.then_some(self.until),
            ..Call::new(function, effect, keys, args, self.until)
        };
        let answer = self.nodes.call(self.place(shard), &call).await?;
        Ok(answer.payload)
    }
}

/// Returns the error of a shard that is skipped.
pub(crate) fn not_connected(shard: u16) -> StoreError {
    StoreError::Unavailable(format!("the node of shard {shard} is not connected"))
}

fn failed(error: CallError) -> StoreError {
    match error {
        CallError::Refused(refusal) if refusal.code == "DEAD" => StoreError::IncarnationEnded,
        error => error.into(),
    }
}

/// Returns the latest start by period, in the order of [`Period::BOUNDED`], each `-` if there is none:
/// `HOUR DAY WEEK MONTH ...`, up to the last that `gone` has.
fn watermark(gone: &[Window]) -> Bytes {
    let latest = |period| {
        let of_period = gone.iter().filter(|window| window.period() == period);
        let latest = of_period.map(|window| window.start()).max();
        latest.map_or_else(|| "-".to_owned(), |start| start.micros().to_string())
    };
    let places = gone
        .iter()
        .map(|window| usize::from(watermark_place(window.period())));
    let places = places.max().unwrap_or(0);
    let starts: Vec<_> = Period::BOUNDED[..places]
        .iter()
        .copied()
        .map(latest)
        .collect();
    starts.join(" ").into()
}

fn survey(answer: &[u8]) -> Result<Survey, Garbled> {
    let mut answer = Unpack::new(answer);
    answer.array()?;
    let written = answer.text()?;
    let written = match written {
        "" => None,
        ms => Some(ms.parse().map_err(|_| Garbled("no time"))?),
    };
    let ids = Bytes::copy_from_slice(answer.raw()?);
    let ranked = answer.count()?;
    Ok(Survey {
        written: written.map(Timestamp::from_millis),
        ids,
        ranked,
        windows: take_windows(&mut answer)?,
        short: take_windows(&mut answer)?,
    })
}

fn take_windows(answer: &mut Unpack<'_>) -> Result<Vec<Window>, Garbled> {
    let count = answer.array()?;
    let windows = (0..count).map(|_| window_named(answer.text()?).ok_or(Garbled("no window")));
    windows.collect()
}

impl Survey {
    /// Returns when the younger generation of its ids began, if it remembers any.
    pub(crate) fn ids_began(&self) -> Option<Timestamp> {
        let text = std::str::from_utf8(&self.ids).ok()?;
        let (_, began) = text.split_once(' ')?;
        began.parse().ok().map(Timestamp::from_millis)
    }
}
