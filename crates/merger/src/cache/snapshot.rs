//! One merged top, ready to be served.
//!
//! A [`Snapshot`] holds the entries as bytes, and the whole [`TopAnswer`] to whatever is asked of it
//! first: a board that many look at is asked the same again and again.

use std::sync::OnceLock;

use board::{Activity, Kind, RankStyle, Timestamp, Window};
use bytes::Bytes;
use tokio::time::Instant;

use crate::version::Version;

/// The wire form of merged entries: joined by commas, and where each ends.
#[derive(Debug, Clone, Default)]
pub struct Rendered {
    /// All entries.
    pub bytes: Bytes,
    /// The end of each entry in `bytes`, comma excluded.
    pub ends: Vec<u32>,
}

impl Rendered {
    /// The first `n` entries, or all there are. A slice: nothing is copied.
    #[must_use]
    pub fn first(&self, n: usize) -> Bytes {
        let end = n
            .min(self.ends.len())
            .checked_sub(1)
            .map_or(0, |last| self.ends[last] as usize);
        self.bytes.slice(..end)
    }
}

/// What tells one answer made of a snapshot from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopForm {
    /// The window: that a board has not been created yet is one snapshot for all of them.
    pub window: Window,
    /// Entries at most.
    pub n: usize,
    /// The window is closed.
    pub is_final: bool,
    /// The store could not be reached.
    pub stale: bool,
    /// Only so many of the board are ranked, by its kind.
    pub listed: Option<u64>,
}

/// A whole answer made of a snapshot. Cheap to clone.
#[derive(Debug, Clone)]
pub struct TopAnswer {
    /// The body.
    pub body: Bytes,
    /// The entity tag, ASCII.
    pub etag: Bytes,
}

/// What of a kind decides what a snapshot of a board holds. Both may change while it has boards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(super) top: usize,
    pub(super) ranks: RankStyle,
    /// Whom it does not show, as [`Hidden::digest`](board::Hidden::digest) tells it.
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

/// What a read will do with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Need {
    /// A merge that began no earlier than this.
    pub(crate) not_before: Instant,
    /// And by the server's clock no earlier than this.
    pub(crate) since: Option<Timestamp>,
    /// One of this server's own: its look at the shards is not told by another's clock.
    pub(crate) fresh: bool,
}

/// The top of one window as it was when `as_of` was the time.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The text of `vector`.
    pub version: String,
    /// When the merge began.
    pub as_of: Timestamp,
    /// The board's time.
    pub activity: Activity,
    /// Members ranked in the window.
    pub members: u64,
    /// The entries.
    pub rendered: Rendered,
    pub(crate) vector: Version,
    pub(crate) shape: Shape,
    /// When the merge began, by a clock that does not step.
    pub(crate) began: Instant,
    /// The window had closed, and what it holds is not known to be durable: `as_of` is the moment before that.
    pub(crate) unsettled: bool,
    /// Of a board not yet created, which is one snapshot for all windows: set once that is known to be durable.
    pub(crate) durable: OnceLock<()>,
    /// Whether another server merged it: then `began` is by the store's clock, and never too late.
    pub(crate) taken: bool,
    /// The answer to what was asked first.
    pub(crate) kept: OnceLock<(TopForm, TopAnswer)>,
}

impl Snapshot {
    /// Of a board that nobody has contributed to.
    pub(crate) fn uncreated(
        kind: &Kind,
        activity: Activity,
        as_of: Timestamp,
        began: Instant,
    ) -> Self {
        Self {
            version: Version::UNCREATED.to_string(),
            as_of,
            activity,
            members: 0,
            rendered: Rendered::default(),
            vector: Version::UNCREATED,
            shape: Shape::of(kind),
            began,
            unsettled: false,
            durable: OnceLock::new(),
            taken: false,
            kept: OnceLock::new(),
        }
    }

    /// The answer in this form: the one that is kept, or one that `make` makes now.
    pub fn answer(&self, form: TopForm, make: impl Fn() -> TopAnswer) -> TopAnswer {
        let (kept_form, kept) = self.kept.get_or_init(|| (form, make()));
        if *kept_form == form {
            kept.clone()
        } else {
            make()
        }
    }

    /// Whether members may have been in the window of this board, or of one of its name before: not
    /// where nothing was ever written to it.
    #[must_use]
    pub fn may_have_had_members(&self) -> bool {
        self.vector.may_have_had_members()
    }

    /// Whether it was seen late enough, and the board's time has not turned since.
    pub(crate) fn is_of_now(&self, need: Need, now: Timestamp) -> bool {
        let late_enough = self.began >= need.not_before && self.is_since(need);
        late_enough && !self.activity.has_turned_since(self.as_of, now)
    }

    fn is_since(&self, need: Need) -> bool {
        need.since.is_none_or(|since| self.as_of >= since)
    }

    /// Whether it serves a read of this kind.
    pub(crate) fn serves(&self, kind: &Kind, need: Need) -> bool {
        self.is_since(need) && self.is_young(kind, need)
    }

    /// Whether it serves a read of this kind that has waited for it. What is not durable yet is not final for any of
    /// those who waited, instead of each waiting once more.
    pub(crate) fn serves_who_waited(&self, kind: &Kind, need: Need) -> bool {
        (self.unsettled || self.is_since(need)) && self.is_young(kind, need)
    }

    fn is_young(&self, kind: &Kind, need: Need) -> bool {
        self.began >= need.not_before
            && self.shape == Shape::of(kind)
            && !(need.fresh && self.taken)
    }

    /// The same content, seen again: here, or where it was taken from.
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
            // An answer says `as_of`.
            kept: OnceLock::new(),
            ..self.clone()
        }
    }

    /// Bytes held: those of the entries, once more in the answer that is kept, their ends, the
    /// vector, and the rest by estimate.
    pub(crate) fn weight(&self) -> u32 {
        const REST_BYTES: usize = 1024;
        let held = 2 * self.rendered.bytes.len() + 4 * self.rendered.ends.len();
        u32::try_from(held + self.vector.bytes() + REST_BYTES).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use board::{
        Calendar, FieldName, FieldRule, KindName, KindSpec, Mode, Period, Rules, Ties, WindowRule,
    };

    use super::*;

    pub(in crate::cache) fn kind() -> Kind {
        let spec = KindSpec {
            name: KindName::new("gifts").unwrap(),
            rules: Rules::new(
                vec![FieldRule::sum(FieldName::new("points").unwrap())],
                Mode::Accumulate,
                Ties::Earliest,
            )
            .unwrap(),
            rank: RankStyle::Ordinal,
            windows: vec![WindowRule::with_defaults(Period::All)],
            calendar: Calendar::utc(),
            shards: 16,
            top: 1000,
            max_staleness: Duration::from_millis(200),
            dedupe: Duration::from_hours(1),
            retain: None,
            publish: None,
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
            kept: OnceLock::new(),
        }
    }

    #[test]
    fn the_first_answer_is_kept_and_no_other_is_given_in_its_place() {
        let snapshot = snapshot();
        let form = |n| TopForm {
            window: Window::ALL_TIME,
            n,
            is_final: false,
            stale: false,
            listed: None,
        };
        let ask = |snapshot: &Snapshot, n, body: &'static str| {
            let make = || TopAnswer {
                body: Bytes::from(body),
                etag: Bytes::new(),
            };
            snapshot.answer(form(n), make).body
        };
        assert_eq!(ask(&snapshot, 100, "a hundred"), "a hundred");
        assert_eq!(ask(&snapshot, 100, "another"), "a hundred");
        assert_eq!(ask(&snapshot, 10, "ten"), "ten");
        assert_eq!(ask(&snapshot, 100, "another"), "a hundred");
        let again = snapshot.seen_again(Timestamp::LATEST, Instant::now(), false, false);
        assert_eq!(ask(&again, 100, "with another as_of"), "with another as_of");
    }

    #[test]
    fn what_was_merged_before_the_end_does_not_serve_after_it() {
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
    fn a_fresh_read_is_not_served_with_what_another_server_merged() {
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
}
