//! [`Snapshot`]: a merged top, ready to be served.
//!
//! It has the entries as bytes, and keeps the complete responses to the first forms that are requested:
//! a popular board gets the same requests again and again.

use std::sync::OnceLock;

use board::{Activity, Incarnation, Kind, RankStyle, Timestamp, Window};
use bytes::Bytes;
use tokio::time::Instant;

use super::kept::{KeptResponses, TopForm, TopResponse};
use crate::version::Version;

/// One window of one incarnation of a board.
pub(crate) type Key = (Incarnation, Window);

/// The wire form of merged entries: joined by commas, with the end of each.
#[derive(Debug, Clone, Default)]
pub struct Rendered {
    /// All entries.
    pub bytes: Bytes,
    /// The end of each entry in `bytes`, comma excluded.
    pub ends: Vec<u32>,
}

impl Rendered {
    /// Joins parts that follow one another.
    pub(super) fn joined(parts: Vec<Self>) -> Self {
        let mut parts = parts.into_iter();
        let first = parts.next().unwrap_or_default();
        if parts.len() == 0 {
            return first;
        }
        let (mut bytes, mut ends) = (first.bytes.to_vec(), first.ends);
        for part in parts {
            bytes.push(b',');
            let start = u32::try_from(bytes.len()).expect("a top is far smaller than 4 GiB");
            bytes.extend_from_slice(&part.bytes);
            ends.extend(part.ends.iter().map(|end| start + end));
        }
        Self {
            bytes: bytes.into(),
            ends,
        }
    }

    /// Returns the first `n` entries, or all if there are fewer. A slice: nothing is copied.
    #[must_use]
    pub fn first(&self, n: usize) -> Bytes {
        let end = n
            .min(self.ends.len())
            .checked_sub(1)
            .map_or(0, |last| self.ends[last] as usize);
        self.bytes.slice(..end)
    }
}

/// The settings of a kind that determine the contents of a snapshot. They may change while the kind
/// has boards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(super) top: usize,
    pub(super) ranks: RankStyle,
    /// The hidden members, as a [`Hidden::digest`](board::Hidden::digest).
    pub(super) hidden: u64,
}

impl Shape {
    pub(crate) fn of(kind: &Kind) -> Self {
        Self {
            top: kind.top(),
            ranks: kind.rank_style(),
            hidden: kind.hidden().digest(),
        }
    }
}

/// The requirements of a read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Need {
    /// The merge must not have begun before this.
    pub(crate) not_before: Instant,
    /// Nor before this, by the server's clock.
    pub(crate) since: Option<Timestamp>,
    /// The merge must be this server's own: those of others are timed by another clock.
    pub(crate) fresh: bool,
}

/// The top of one window at `as_of`.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The text of `vector`.
    pub version: String,
    /// When the merge began.
    pub as_of: Timestamp,
    /// The period in which the board accepts contributions.
    pub activity: Activity,
    /// Members ranked in the window.
    pub members: u64,
    /// The entries.
    pub rendered: Rendered,
    /// If the entries have profiles of their members: a digest of the profiles.
    pub profiles: Option<u64>,
    pub(crate) vector: Version,
    pub(crate) shape: Shape,
    /// When the merge began, by a clock that does not step.
    pub(crate) began: Instant,
    /// The window had closed, but its contents are not known to be durable: `as_of` is the moment
    /// before that. Also the absence of a board that has expired and is not deleted yet.
    pub(crate) unsettled: bool,
    /// For a board not yet created, which is one snapshot for all windows: set once that is known
    /// to be durable.
    pub(crate) durable: OnceLock<()>,
    /// Whether another server merged it: then `began` is by the store's clock, and never too late.
    pub(crate) taken: bool,
    /// The responses that were made from it.
    pub(crate) kept: KeptResponses,
}

impl Snapshot {
    /// Returns the snapshot of a board without contributions.
    pub(crate) fn uncreated(
        kind: &Kind,
        activity: Activity,
        as_of: Timestamp,
        began: Instant,
    ) -> Self {
        Self {
            version: Version::UNCREATED.text(),
            as_of,
            activity,
            members: 0,
            rendered: Rendered::default(),
            profiles: None,
            vector: Version::UNCREATED,
            shape: Shape::of(kind),
            began,
            unsettled: false,
            durable: OnceLock::new(),
            taken: false,
            kept: KeptResponses::of(0),
        }
    }

    /// Returns the response in this form: the kept one, or one that `make` makes now.
    pub fn response(&self, form: TopForm, make: impl Fn() -> TopResponse) -> TopResponse {
        self.kept.get(form, make)
    }

    /// Returns whether the window of this board, or of an earlier board of its name, may have had
    /// members. False if nothing was ever written to it.
    #[must_use]
    pub fn may_have_had_members(&self) -> bool {
        self.vector.may_have_had_members()
    }

    /// Returns whether it is recent enough, and the board has not ended or expired since.
    pub(crate) fn is_of_now(&self, need: Need, now: Timestamp) -> bool {
        let late_enough = self.began >= need.not_before && self.is_since(need);
        late_enough && !self.activity.ended_or_expired_since(self.as_of, now)
    }

    fn is_since(&self, need: Need) -> bool {
        need.since.is_none_or(|since| self.as_of >= since)
    }

    /// Returns whether it can be used for a read of this kind.
    pub(crate) fn serves(&self, kind: &Kind, need: Need) -> bool {
        self.is_since(need) && self.is_young(kind, need)
    }

    /// Returns whether it can be used for a read that has waited for it. If it is not durable yet,
    /// it is not final for any of the waiting reads, so that they do not all wait again.
    pub(crate) fn serves_waiting_read(&self, kind: &Kind, need: Need) -> bool {
        (self.unsettled || self.is_since(need)) && self.is_young(kind, need)
    }

    fn is_young(&self, kind: &Kind, need: Need) -> bool {
        self.began >= need.not_before
            && self.shape == Shape::of(kind)
            && !(need.fresh && self.taken)
    }

    /// Returns the same contents with the time of a later merge, here or on another server.
    pub(crate) fn seen_again(
        &self,
        as_of: Timestamp,
        began: Instant,
        unsettled: bool,
        taken: bool,
    ) -> Self {
        Self {
            as_of,
            began,
            unsettled,
            taken,
            // A response contains `as_of`.
            kept: KeptResponses::of(self.rendered.bytes.len()),
            ..self.clone()
        }
    }

    /// Returns the incarnation of the board; `None` if it is not yet created.
    #[must_use]
    pub fn incarnation(&self) -> Option<Incarnation> {
        self.vector.incarnation()
    }

    /// Returns the same top with other entries, which have profiles with this digest.
    #[must_use]
    pub fn with_profiles(&self, rendered: Rendered, profiles: u64) -> Self {
        Self {
            kept: KeptResponses::of(rendered.bytes.len()),
            rendered,
            profiles: Some(profiles),
            ..self.clone()
        }
    }

    /// Returns whether both are of one merge, with or without profiles.
    #[must_use]
    pub fn is_of_same_merge(&self, other: &Self) -> bool {
        let merge = |top: &Self| (top.began, top.as_of, top.shape, top.unsettled);
        merge(self) == merge(other) && self.version == other.version
    }

    /// Returns the bytes held: those of the entries, the most that kept responses may take, their
    /// ends, the vector, and an estimate of the remainder.
    #[must_use]
    pub fn weight(&self) -> u32 {
        const REST_BYTES: usize = 2048;
        let bytes = self.rendered.bytes.len();
        let held = bytes + KeptResponses::bytes_max(bytes) + 4 * self.rendered.ends.len();
        u32::try_from(held + self.vector.bytes() + REST_BYTES).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use board::{FieldName, FieldRule, KindName, KindSpec, Mode, Rules, Ties};

    use super::super::kept::tests::ask;
    use super::*;

    pub(in crate::cache) fn kind() -> Kind {
        let points = FieldRule::sum(FieldName::new("points").unwrap());
        let rules = Rules::new(vec![points], Mode::Accumulate, Ties::Earliest).unwrap();
        let spec = KindSpec {
            shards: 16,
            ..KindSpec::new(KindName::new("gifts").unwrap(), rules)
        };
        Kind::new(spec).unwrap()
    }

    fn snapshot() -> Snapshot {
        Snapshot {
            version: "1".to_owned(),
            as_of: Timestamp::EARLIEST,
            activity: Activity::ALWAYS,
            members: 0,
            rendered: Rendered::default(),
            profiles: None,
            vector: Version::UNCREATED,
            shape: Shape {
                top: 1000,
                ranks: RankStyle::Ordinal,
                hidden: 0,
            },
            began: Instant::now(),
            unsettled: false,
            durable: OnceLock::new(),
            taken: false,
            kept: KeptResponses::of(0),
        }
    }

    #[test]
    fn a_merge_before_the_end_is_not_used_after_it() {
        let kind = kind();
        let snapshot = snapshot();
        let need = |since| Need {
            not_before: snapshot.began,
            since: Some(since),
            fresh: false,
        };
        let later = snapshot.as_of.plus(Duration::from_millis(1));
        assert!(snapshot.serves(&kind, need(snapshot.as_of)));
        assert!(!snapshot.serves(&kind, need(later)));
    }

    #[test]
    fn a_fresh_read_does_not_use_merges_of_other_servers() {
        let kind = kind();
        let own = snapshot();
        let taken = Snapshot {
            taken: true,
            ..snapshot()
        };
        let not_before = own.began.min(taken.began);
        let need = |fresh| Need {
            not_before,
            since: None,
            fresh,
        };
        assert!(own.serves(&kind, need(true)) && own.serves(&kind, need(false)));
        assert!(taken.serves(&kind, need(false)) && !taken.serves(&kind, need(true)));
    }

    fn body(snapshot: &Snapshot, body: &'static str) -> Bytes {
        ask(&snapshot.kept, 100, body).body
    }

    #[test]
    fn a_snapshot_seen_again_has_the_times_and_responses_of_its_later_merge() {
        let first = snapshot();
        assert_eq!(body(&first, "of the first"), "of the first");
        let as_of = first.as_of.plus(Duration::from_millis(1));
        let began = first.began + Duration::from_millis(1);
        let again = first.seen_again(as_of, began, true, true);
        assert_eq!((again.as_of, again.began), (as_of, began));
        assert!(again.unsettled && again.taken);
        assert_eq!(body(&again, "of the later"), "of the later");
        assert_eq!(body(&first, "of the later"), "of the first");
    }

    #[test]
    fn a_top_with_profiles_has_entries_and_responses_of_its_own() {
        let plain = snapshot();
        assert_eq!(body(&plain, "plain"), "plain");
        let rendered = Rendered {
            bytes: Bytes::from("{}"),
            ..Rendered::default()
        };
        let shown = plain.with_profiles(rendered, 7);
        assert_eq!(shown.profiles, Some(7));
        assert_eq!(shown.rendered.bytes, "{}");
        assert_eq!(body(&shown, "with profiles"), "with profiles");
        assert!(shown.is_of_same_merge(&plain));
    }
}
