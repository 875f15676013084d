//! Every limit of the contract that this crate checks, named with its unit.

use std::time::Duration;

/// The largest magnitude of a field value, a delta or a sum: 2^53 - 1, the last integer below which
/// every JSON client reads each integer exactly (RFC 8259, section 6).
pub const VALUE_MAX: i64 = (1 << 53) - 1;

/// Bits of a packed standing: a double represents integers of this many bits exactly.
pub const PACKED_BITS: u32 = 53;

/// Kinds that a store keeps. Deleted ones count, because their records stay.
pub const KINDS_MAX: usize = 10_000;

/// Fields a kind may have.
pub const FIELDS_MAX: usize = 4;

/// Bytes of a member id or a subject.
pub const NAME_BYTES_MAX: usize = 128;

/// Characters of the name in a profile.
pub const PROFILE_NAME_CHARS_MAX: usize = 64;

/// Bytes of the URL of an avatar in a profile.
pub const PROFILE_AVATAR_BYTES_MAX: usize = 1024;

/// Bytes of the data in a profile, as JSON without white space.
pub const PROFILE_DATA_BYTES_MAX: usize = 1024;

/// Levels of arrays and objects in the data of a profile: common parsers reject much deeper ones.
pub const PROFILE_DATA_DEPTH_MAX: usize = 32;

/// Bytes of a profile: its three parts, with up to 4 bytes a character of its name, and the punctuation around them.
pub const PROFILE_BYTES_MAX: usize =
    4 * PROFILE_NAME_CHARS_MAX + PROFILE_AVATAR_BYTES_MAX + PROFILE_DATA_BYTES_MAX + 64;

/// Bytes of a contribution id.
pub const ID_BYTES_MAX: usize = NAME_BYTES_MAX;

/// Bytes of a kind's name, a DNS label.
pub const KIND_BYTES_MAX: usize = 63;

/// Bytes of a field's name.
pub const FIELD_BYTES_MAX: usize = 32;

/// Shards a board may have.
pub const SHARDS_MAX: u16 = 4096;

/// Depth of a kind's cached global board.
pub const TOP_MAX: u32 = 10_000;

/// Members that a kind may hide: a read of a shard looks up each of them that belongs to the shard.
pub const HIDDEN_MAX: usize = 1_000;

/// Members that a kind with [`Retain`](crate::Retain) may rank.
pub const RETAIN_MAX: u64 = 100_000;

/// Entries that the list of such a kind may grow to before it is trimmed.
pub const TRIM_AT_MAX: u64 = 2 * RETAIN_MAX;

/// How long settings are kept for a board that nobody contributes to.
pub const SETTINGS_KEPT_MIN: Duration = Duration::from_hours(24);

/// How long the name of a deleted board rejects contributions from before the board's end.
pub const NAME_CLOSED_MAX: Duration = Duration::from_hours(30 * 24);

/// How far ahead of the server's clock a contribution's `at` may lie.
pub const FUTURE_MAX: Duration = Duration::from_mins(5);

/// The longest dedupe span: ids are held in memory for that long.
pub const DEDUPE_MAX: Duration = Duration::from_hours(168);

/// The longest a cached board may be served without asking the shards.
pub const STALENESS_MAX: Duration = Duration::from_hours(1);

/// Bytes of the template of the key that a kind's boards are published under.
pub const KEY_TEMPLATE_BYTES_MAX: usize = 256;

/// Bytes of the name of a server that boards are published to: the limit of domain names.
pub const HOST_BYTES_MAX: usize = 253;

/// Bytes of an encoding's text.
pub const ENCODING_BYTES_MAX: usize = 128;

/// The shortest time between two publications of a window.
pub const PUBLISH_EVERY_MIN: Duration = Duration::from_millis(100);

/// The longest time between two publications of a window.
pub const PUBLISH_EVERY_MAX: Duration = Duration::from_hours(1);

/// The longest retention or grace that is not `forever`: a thousand years of 365.25 days.
pub const KEEP_MAX: Duration = Duration::from_hours(1000 * 8766);

/// How far ahead a season begins that is added or changed once its kind has boards: by then every server that writes
/// has learned of it.
pub const SEASONS_AHEAD_MIN: Duration = Duration::from_hours(24);

/// Minimum of `score_ttl`.
pub const SCORE_TTL_MIN: Duration = Duration::from_secs(1);
