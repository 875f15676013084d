//! A board of ours on a Redis of its own, written to through the store and over HTTP.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use benches::figures::number;
use benches::redis::Redis;
use benches::sample::{Sample, gifts, now, packed_gifts};
use board::Period;
use futures::executor::block_on;
use store_redis::{RedisSettings, RedisStore, RedisUrl};

use crate::served::{BATCH, CONNECTIONS, Served};
use crate::writes::{CHURN, ROUND};

/// Shards of the board.
pub(crate) const SHARDS: u64 = 16;

/// What a board is measured with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    One,
    Five,
    Ids,
    Packed,
}

impl Case {
    fn windows(self) -> &'static [Period] {
        match self {
            Self::One | Self::Ids | Self::Packed => &[Period::All],
            Self::Five => &[
                Period::Hour,
                Period::Day,
                Period::Week,
                Period::Month,
                Period::All,
            ],
        }
    }
}

/// The board, and the two ways to it.
pub(crate) struct Board {
    served: Served,
    sample: Sample,
    redis: Redis,
    /// The hour, a window, that it was filled in.
    hour: i64,
    /// Bytes of Redis by member, when each has contributed once.
    pub(crate) bytes: f64,
    /// The same after many more contributions.
    pub(crate) bytes_after: f64,
}

impl Board {
    /// One on which every member stands, in a Redis that was in use for some time.
    pub(crate) fn filled(megaboard: &Path, members: u64, case: Case) -> io::Result<Self> {
        loop {
            let hour = hour();
            let board = Self::fill(megaboard, members, case, hour)?;
            if case != Case::Five || board.is_whole() {
                return Ok(board);
            }
            eprintln!("the hour has turned, which empties a window: filled again");
        }
    }

    fn fill(megaboard: &Path, members: u64, case: Case, hour: i64) -> io::Result<Self> {
        let mut redis = Redis::start()?;
        let url = format!("redis://{}", redis.address());
        let at: RedisUrl = url.parse().map_err(io::Error::other)?;
        let settings = RedisSettings::default();
        let store = block_on(RedisStore::open(&at, &settings)).map_err(io::Error::other)?;
        let store = Arc::new(store);
        let kind = match case {
            Case::Packed => packed_gifts(SHARDS),
            Case::One | Case::Five | Case::Ids => gifts(case.windows(), SHARDS),
        };
        let mut sample = Sample::on(store, kind, members, case == Case::Ids);
        let served = Served::start(megaboard, &url, "", members, case == Case::Ids)?;
        let empty = redis.memory_bytes()?;
        sample.fill();
        let bytes = (redis.memory_bytes()? - empty) / number(members);
        let mut board = Self {
            served,
            sample,
            redis,
            hour,
            bytes,
            bytes_after: 0.0,
        };
        board.apply(1000, CHURN);
        board.bytes_after = (board.redis.memory_bytes()? - empty) / number(members);
        Ok(board)
    }

    /// Whether no window was emptied since: the hour is the same.
    pub(crate) fn is_whole(&self) -> bool {
        self.hour == hour()
    }

    /// Microseconds of Redis's CPU a contribution, this many a call to a shard, one call at a time.
    pub(crate) fn direct(&mut self, len: usize) -> io::Result<f64> {
        let begun = self.redis.cpu_us()?;
        self.apply(len, ROUND);
        Ok((self.redis.cpu_us()? - begun) / number(ROUND))
    }

    /// The same over HTTP: requests of a thousand lines, several at once.
    pub(crate) fn served(&mut self) -> io::Result<f64> {
        let begun = self.redis.cpu_us()?;
        self.served.send(ROUND / CONNECTIONS / BATCH)?;
        Ok((self.redis.cpu_us()? - begun) / number(ROUND))
    }

    fn apply(&mut self, len: usize, contributions: u64) {
        for _ in 0..contributions / len as u64 {
            let now = now();
            let (shard, items) = self.sample.batch(len, now);
            self.sample.apply(shard, &items, now);
        }
    }
}

/// The hour of the clock.
fn hour() -> i64 {
    const HOUR: Duration = Duration::from_hours(1);
    now().millis() / i64::try_from(HOUR.as_millis()).unwrap_or(i64::MAX)
}
