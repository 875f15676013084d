//! The memory budget of a server: [`MemoryBudget`].
//!
//! It divides the memory limit into shares, each for one purpose, which one list declares. A share is reserved: it is
//! never used for another purpose, so probes and scrapes are served while all other shares are full. What is held of a
//! [`Share`] is counted there; caches, replies of Redis and remembered ids are counted where they are held, and have
//! only their limit from here.
//!
//! **Invariant:** the parts of all shares, without that of remembered ids, sum to at most 1. These ids belong to the
//! boards of a store, which use the memory that remains: a store refuses boards by the resident memory of the process.

use std::fmt;

use metering::{
    Collector, DescriptorEncoder, Labels, Registry, ScrapedMetric, Unit, as_float, encode_each,
    labels,
};
use wire::BOARDS_MAX;

use crate::body::memory_of_body;
use crate::share::Share;

/// The memory of one write with its future and its outcome, rounded up.
pub const WRITE_BYTES: usize = 2 << 10;

/// The default limit of a JSON body.
const BODY_BYTES_MAX: usize = 16 << 20;

/// The default limit of the unread responses to an address is one part in this many of all.
const ADDRESS_PART: usize = 4;

const MIB: usize = 1 << 20;

const HALF: Option<u64> = Some(2);
const EIGHTH: Option<u64> = Some(8);
const SIXTEENTH: Option<u64> = Some(16);

/// Returns a part of the memory limit: at most `max`, which is also the share of a server without a limit.
fn part_of(limit_bytes: Option<u64>, part: Option<u64>, max: usize) -> usize {
    let bytes = limit_bytes.zip(part).map(|(limit, part)| limit / part);
    let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
    bytes.map_or(max, |bytes| bytes.min(max))
}

/// Settings of a [`MemoryBudget`], in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct MemorySettings {
    /// The memory limit of the process, if it has one.
    pub limit: Option<u64>,
    /// The maximum of one JSON body.
    pub body: Option<usize>,
    /// The maximum of the share of responses.
    pub responses: Option<usize>,
    /// The limit of unread responses to one address.
    pub responses_per_address: Option<usize>,
    /// The share of remembered ids.
    pub remembered_ids: Option<usize>,
}

/// Declares the shares, each with its part of the memory limit and its maximum: those whose bytes are counted here, in
/// metrics under their name, and those that are only limits.
macro_rules! shares {
    (
        counted { $($(#[$doc:meta])+ $name:ident: $part:expr, $max:expr;)+ }
        limits { $($(#[$limit_doc:meta])+ $limit:ident: $limit_part:expr, $limit_max:expr;)+ }
    ) => {
        /// The memory limit, divided into shares. Clones count in the same shares.
        #[derive(Debug, Clone)]
        pub struct MemoryBudget {
            settings: MemorySettings,
            $($(#[$doc])+ pub $name: Share,)+
            $($(#[$limit_doc])+ pub $limit: usize,)+
        }

        impl MemoryBudget {
            /// Creates empty shares of the size that they have unless settings change it.
            fn of(settings: MemorySettings) -> Self {
                Self {
                    settings,
                    $($name: Share::up_to(part_of(settings.limit, $part, $max)),)+
                    $($limit: part_of(settings.limit, $limit_part, $limit_max),)+
                }
            }

            /// Returns the names of the shares whose bytes are counted here, and the shares.
            fn counted(&self) -> Vec<(&'static str, &Share)> {
                vec![$((stringify!($name), &self.$name)),+]
            }

            /// Returns the names and limits of all shares.
            #[cfg(test)]
            fn limits(&self) -> Vec<(&'static str, usize)> {
                let limits = [$((stringify!($limit), self.$limit)),+];
                let counted = self.counted().into_iter();
                counted.map(|(name, share)| (name, share.bytes_max())).chain(limits).collect()
            }
        }
    };
}

shares! {
    counted {
        /// Responses of more than 16 KiB, until their connections have written them.
        responses: EIGHTH, 256 * MIB;
        /// JSON bodies, values parsed from them, and incomplete lines. At least one body fits.
        bodies: EIGHTH, 256 * MIB;
        /// Contributions that are being written. At least one fits.
        writes: EIGHTH, 256 * MIB;
        /// Events of streams.
        streams: EIGHTH, 256 * MIB;
        /// Heads, and bytes that connections have read and no request has consumed.
        read_ahead: SIXTEENTH, 128 * MIB;
        /// Details of contributions that were not applied.
        receipts: SIXTEENTH, 128 * MIB;
        /// Responses that are prepared for repeated reads.
        prepared: SIXTEENTH, 32 * MIB;
        /// Responses to scrapes: a few dozen, whatever the limit is.
        scrapes: None, 4 * MIB;
    }
    limits {
        /// Cached boards.
        cached_boards: EIGHTH, 512 * MIB;
        /// Cached tops with profiles.
        profiled_tops: SIXTEENTH, 256 * MIB;
        /// Incomplete replies of Redis.
        redis_replies: EIGHTH, 256 * MIB;
        /// Ids that the boards of a local store remember.
        remembered_ids: HALF, 2048 * MIB;
    }
}

impl Default for MemoryBudget {
    /// The budget of a server without a memory limit.
    fn default() -> Self {
        Self::new(MemorySettings::default())
    }
}

impl MemoryBudget {
    /// Divides the memory limit.
    #[must_use]
    pub fn new(settings: MemorySettings) -> Self {
        let mut budget = Self::of(settings);
        if let Some(bytes) = settings.responses {
            let bytes = part_of(settings.limit, EIGHTH, bytes);
            budget.responses = Share::up_to(bytes);
        }
        if let Some(bytes) = settings.remembered_ids {
            budget.remembered_ids = bytes;
        }
        let body_bytes_max = budget.body_bytes_max();
        for (share, least) in [
            (&mut budget.bodies, memory_of_body(body_bytes_max)),
            (&mut budget.writes, BOARDS_MAX * WRITE_BYTES),
        ] {
            *share = Share::up_to(share.bytes_max().max(least));
        }
        budget
    }

    /// Returns the maximum bytes of a JSON body.
    #[must_use]
    pub fn body_bytes_max(&self) -> usize {
        self.settings.body.unwrap_or(BODY_BYTES_MAX)
    }

    /// Returns the maximum bytes of unread responses to one address.
    #[must_use]
    pub fn responses_per_address_max(&self) -> usize {
        let default = self.responses.bytes_max() / ADDRESS_PART;
        self.settings.responses_per_address.unwrap_or(default)
    }

    /// Returns the bytes that requests, responses and streams hold. Stores count themselves what they write.
    #[must_use]
    pub fn held_bytes(&self) -> u64 {
        let counted = self.counted().into_iter();
        let held = counted.filter(|(_, share)| !share.is(&self.writes));
        held.map(|(_, share)| share.bytes() as u64).sum()
    }

    /// Registers the metrics.
    pub fn register(&self, registry: &mut Registry) {
        registry.register_collector(Box::new(self.clone()));
    }
}

impl Collector for MemoryBudget {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let counted: Vec<(Labels, &Share)> = self
            .counted()
            .into_iter()
            .map(|(name, share)| (labels([("pool", name)]), share))
            .collect();
        for (name, help, bytes_of) in [
            (
                "pool",
                "Memory that the server holds for clients, by purpose.",
                Share::bytes as fn(&Share) -> usize,
            ),
            ("pool_limit", "Limit of that memory.", Share::bytes_max),
        ] {
            let gauges = counted.iter().map(|(labels, share)| {
                let bytes = as_float(bytes_of(share) as u64);
                (labels, ScrapedMetric::gauge(move || bytes))
            });
            encode_each(&mut encoder, (name, help, Some(&Unit::Bytes)), gauges)?;
        }
        encode_each(
            &mut encoder,
            (
                "pool_refusals",
                "Times that a request or a stream was rejected, ended or shortened because of this limit.",
                None,
            ),
            counted
                .iter()
                .map(|(labels, share)| (labels, share.refusals())),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A limit of which each share is less than its maximum.
    const LIMIT: usize = 256 * MIB;

    /// Returns the rows of the documentation: name, part and maximum of each share.
    fn documented() -> Vec<[String; 3]> {
        let text = include_str!("../../../docs/operations.md");
        let rows = text
            .lines()
            .skip_while(|line| !line.starts_with("| share |"));
        let rows = rows.skip(2).take_while(|line| line.starts_with('|'));
        let rows = rows.map(|row| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let max = cells[4].split(" (").next().unwrap();
            [cells[1].trim_matches('`'), cells[3], max].map(str::to_owned)
        });
        rows.collect()
    }

    #[test]
    fn the_documentation_has_the_shares() {
        let limited = MemoryBudget::new(MemorySettings {
            limit: Some(LIMIT as u64),
            ..MemorySettings::default()
        });
        let (unlimited, limited) = (MemoryBudget::default().limits(), limited.limits());
        let shares = unlimited.into_iter().zip(limited);
        let shares = shares.map(|((name, max), (_, bytes))| {
            let part = match LIMIT / bytes {
                _ if bytes == max => "-".to_owned(),
                part => format!("1/{part}"),
            };
            let max = match max / MIB {
                mib if mib % 1024 == 0 => format!("{} GiB", mib / 1024),
                mib => format!("{mib} MiB"),
            };
            [name.to_owned(), part, max]
        });
        let mut shares: Vec<_> = shares.collect();
        let mut documented = documented();
        shares.sort();
        documented.sort();
        assert_eq!(shares, documented);
    }

    #[test]
    fn the_parts_sum_to_the_whole_without_those_of_boards() {
        let budget = MemoryBudget::new(MemorySettings {
            limit: Some(LIMIT as u64),
            ..MemorySettings::default()
        });
        // That of scrapes is no part of the limit.
        let others = budget.remembered_ids + budget.scrapes.bytes_max();
        let all: usize = budget.limits().iter().map(|(_, bytes)| bytes).sum();
        assert!(all - others <= LIMIT, "{}", all - others);
    }

    #[test]
    fn settings_change_their_shares_and_one_request_always_fits() {
        let budget = MemoryBudget::new(MemorySettings {
            limit: Some(800),
            body: Some(1000),
            responses: Some(50),
            responses_per_address: None,
            remembered_ids: Some(5000),
        });
        assert_eq!(
            (budget.streams.bytes_max(), budget.receipts.bytes_max()),
            (100, 50)
        );
        assert_eq!(
            (budget.responses.bytes_max(), budget.remembered_ids),
            (50, 5000)
        );
        assert_eq!(budget.responses_per_address_max(), 12);
        assert!(budget.bodies.bytes_max() > 1000);
        assert_eq!(budget.writes.bytes_max(), BOARDS_MAX * WRITE_BYTES);
        let settings = MemorySettings {
            limit: Some(800),
            responses: Some(5000),
            ..MemorySettings::default()
        };
        let responses = MemoryBudget::new(settings).responses.bytes_max();
        assert_eq!(responses, 100, "an eighth of the limit");
    }
}
