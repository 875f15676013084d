//! A board of Megaboard on a separate Redis, written through the store and over HTTP.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use benches::figures::number;
use benches::home::BATCH;
use benches::redis::Redis;
use benches::sample::{Amounts, Sample, gifts, gifts_by, now, packed_gifts};
use board::{Mode, Period};
use clap::ValueEnum;
use futures::executor::block_on;
use store_redis::{RedisSettings, RedisStore, RedisUrl};

use crate::served::{CONNECTIONS, Served};

/// The number of shards of the board.
pub(crate) const SHARDS: u64 = 16;

/// The number of measured contributions in one round.
pub(crate) const ROUND: u64 = 20_000;

/// The number of contributions of random members before the first round, since the memory layout right after loading is
/// better than in normal use.
pub(crate) const CHURN: u64 = 300_000;

/// The properties of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub(crate) enum Case {
    /// A sum in one window.
    One,
    /// The same, and every contribution has an id.
    Ids,
    /// The best value of a member.
    Best,
    /// The latest value of a member.
    Latest,
    /// A packed sum.
    Packed,
    /// A packed sum of which half the contributions take something.
    Spending,
    /// A sum in five windows.
    Five,
}

impl Case {
    fn windows(self) -> &'static [Period] {
        match self {
            Self::One | Self::Ids | Self::Best | Self::Latest | Self::Packed | Self::Spending => {
                &[Period::All]
            }
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

/// The board, with access through the store (`sample`) and over HTTP (`served`).
pub(crate) struct Board {
    served: Served,
    sample: Sample,
    redis: Redis,
    /// The hour in which the board was filled, which is a window.
    hour: i64,
    /// Memory of Redis per member after one contribution of each, in bytes.
    pub(crate) bytes: f64,
    /// Memory of Redis per member after further contributions, in bytes.
    pub(crate) bytes_after: f64,
}

impl Board {
    /// Creates a board with all members, and sends further contributions.
    pub(crate) fn filled(megaboard: &Path, members: u64, case: Case) -> io::Result<Self> {
        loop {
            let hour = hour();
            let board = Self::fill(megaboard, members, case, hour)?;
            if case != Case::Five || board.is_complete() {
                return Ok(board);
            }
            eprintln!("a new hour has begun, so a window is empty: filling again");
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
            Case::Packed | Case::Spending => packed_gifts(SHARDS),
            Case::Best => gifts_by(Mode::Best, SHARDS),
            Case::Latest => gifts_by(Mode::Latest, SHARDS),
            Case::One | Case::Five | Case::Ids => gifts(case.windows(), SHARDS),
        };
        let mut sample = Sample::on(store, kind, members, case == Case::Ids);
        sample.amounts = match case {
            Case::Best | Case::Latest => Amounts::Attempts,
            Case::Spending => Amounts::Spending,
            Case::One | Case::Five | Case::Ids | Case::Packed => Amounts::Points,
        };
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

    /// Returns whether all windows have all members: it is the same hour.
    pub(crate) fn is_complete(&self) -> bool {
        self.hour == hour()
    }

    /// Returns the CPU time of Redis per contribution in microseconds, with `len` contributions per call to a shard,
    /// one call after the other.
    pub(crate) fn direct(&mut self, len: usize) -> io::Result<f64> {
        let begun = self.redis.cpu_us()?;
        self.apply(len, ROUND);
        Ok((self.redis.cpu_us()? - begun) / number(ROUND))
    }

    /// Returns the CPU time of Redis per contribution in microseconds, over HTTP, with concurrent requests.
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

/// Returns the current hour.
fn hour() -> i64 {
    const HOUR: Duration = Duration::from_hours(1);
    now().millis() / i64::try_from(HOUR.as_millis()).unwrap_or(i64::MAX)
}
