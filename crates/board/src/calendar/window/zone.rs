//! [`Zone`]: a time zone as a table of [`Stretch`]es between clock changes, so that finding a
//! window is a binary search and arithmetic.
//!
//! ```text
//!   offset   +1 h      +2 h           +1 h
//!            ──────────┬──────────────┬─────────────►  instants
//!                    spring         autumn
//!   local    .. 01:59  03:00 .. 02:59  02:00 ..        02:xx occurs twice: `reached` is 03:00
//!   there
//! ```
//!
//! The table relies on two facts. First, the rules that hold from 2100 on are those of the
//! Gregorian calendar, which repeats every 400 years, weekdays included: later times are moved back
//! by whole cycles. Second, the latest local time that a clock has shown so far (`reached`) never
//! goes back, even though the clock does. Days, their parts and longer windows are computed from
//! `reached`, so that a day is one contiguous span even where the clock is set back over midnight.
//!
//! Not here: periods and their names.

use jiff::tz::TimeZone;

use crate::calendar::Timestamp;
use crate::calendar::timestamp::civil::{CYCLE_DAYS, DAY_MS, HOUR_MS, new_year};

/// Before every local and every UTC time, and far enough from the end of `i64` to add to.
const NEVER: i64 = i64::MIN / 4;

const CYCLE_MS: i64 = CYCLE_DAYS * DAY_MS;
/// Start and end of the cycle of local or UTC time; the table extends two years further.
const CYCLE_START: i64 = new_year(2100);
pub(super) const CYCLE_END: i64 = CYCLE_START + CYCLE_MS;
const TABLE_END: i64 = new_year(2502);

/// The first instant that is represented; earlier ones are clamped to it. Before any year of four
/// digits.
const FIRST_INSTANT: i64 = new_year(-1);
const YEAR_10000: i64 = new_year(10_000);

/// Clock changes before this are ignored when deciding whether a zone has whole hours.
const WHOLE_HOURS_SINCE: i64 = new_year(2020);

/// Moves a UTC or local time into the table, by whole cycles. Returns the time and the distance
/// moved.
pub(super) const fn into_cycle(ms: i64) -> (i64, i64) {
    if ms < CYCLE_END {
        return (ms, 0);
    }
    let moved = (ms - CYCLE_START) / CYCLE_MS * CYCLE_MS;
    (ms - moved, moved)
}

/// Time between two changes of a clock's offset.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// Its first instant.
    start: i64,
    /// Local time minus UTC.
    offset: i64,
    /// All local times below this one were shown, or skipped, before this stretch. Increases from
    /// one stretch to the next.
    reached: i64,
}

/// A time zone; two are equal if their names are. Times are milliseconds, moved into the table by
/// [`into_cycle`] unless stated otherwise.
pub(super) struct Zone {
    pub(super) name: String,
    /// Whether no clock change since 2020 is a fraction of an hour.
    pub(super) has_whole_hours: bool,
    /// The last instant (not moved) that is represented; later ones are clamped to it: the end of
    /// 9999, in UTC or by the local clock, whichever comes first.
    pub(super) last_instant: i64,
    /// Sorted, never empty; the first one starts at `NEVER`.
    stretches: Box<[Stretch]>,
}

impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Zone {}

impl Zone {
    /// Creates a zone whose clock never changes.
    pub(super) fn fixed(name: String, offset: i64) -> Self {
        Self::from_stretches(
            name,
            vec![Stretch {
                start: NEVER,
                offset,
                reached: NEVER,
            }],
        )
    }

    /// Loads the clock changes of a zone from 1970 on. Earlier times have the offset of 1970.
    pub(super) fn from_jiff(name: String, time_zone: &TimeZone) -> Self {
        let epoch = jiff::Timestamp::UNIX_EPOCH;
        let mut offset = offset_ms(time_zone.to_offset(epoch));
        let mut stretches = vec![Stretch {
            start: NEVER,
            offset,
            reached: NEVER,
        }];
        let mut reached = NEVER;
        for transition in time_zone.following(epoch) {
            let start = transition.timestamp().as_millisecond();
            if start >= TABLE_END {
                break;
            }
            let before = offset;
            offset = offset_ms(transition.offset());
            // Some transitions only change the zone's abbreviation.
            if offset != before {
                reached = reached.max(start + before);
                stretches.push(Stretch {
                    start,
                    offset,
                    reached,
                });
            }
        }
        Self::from_stretches(name, stretches)
    }

    fn from_stretches(name: String, stretches: Vec<Stretch>) -> Self {
        let has_whole_hours = stretches.windows(2).all(|pair| {
            pair[1].start < WHOLE_HOURS_SINCE || (pair[1].offset - pair[0].offset) % HOUR_MS == 0
        });
        let mut zone = Self {
            name,
            has_whole_hours,
            last_instant: 0,
            stretches: stretches.into(),
        };
        // In the rules that hold by then, no clock changes on the last day of a year.
        let (last, _) = into_cycle(Timestamp::LATEST.millis());
        let last_local = YEAR_10000 - 1 - zone.offset_at(last);
        zone.last_instant = last_local.min(Timestamp::LATEST.millis());
        zone
    }

    /// Clamps an instant to the represented range. Not moved.
    pub(super) fn clamp(&self, at: i64) -> i64 {
        at.clamp(FIRST_INSTANT, self.last_instant)
    }

    /// Returns local time minus UTC.
    pub(super) fn offset_at(&self, at: i64) -> i64 {
        self.stretches[self.index_at(at)].offset
    }

    /// Returns the local hour around an instant, cut where the clock changes within it.
    pub(super) fn hour_around(&self, at: i64) -> (i64, i64) {
        let index = self.index_at(at);
        let Stretch { start, offset, .. } = self.stretches[index];
        let hour = (at + offset).div_euclid(HOUR_MS) * HOUR_MS - offset;
        (hour.max(start), (hour + HOUR_MS).min(self.end_of(index)))
    }

    /// Returns the span around an instant whose local bounds `bounds` computes: it is called with the
    /// latest local time that was shown by then, and returns the start of the span around it and the
    /// start of the next one.
    pub(super) fn around(&self, at: i64, bounds: impl Fn(i64) -> (i64, i64)) -> (i64, i64) {
        let index = self.index_at(at);
        let Stretch {
            offset, reached, ..
        } = self.stretches[index];
        let (first, next) = bounds((at + offset).max(reached - 1));
        (
            self.reaches_from(index, first),
            self.reaches_from(index, next),
        )
    }

    /// Returns the first instant at which the clock shows this local time or a later one.
    pub(super) fn reaches(&self, local: i64) -> i64 {
        self.reaches_from(self.index_at(local), local)
    }

    /// Finds it from the stretch `index` on; a nearby one is fastest.
    fn reaches_from(&self, mut index: usize, local: i64) -> i64 {
        while self.stretches[index].reached > local {
            index -= 1;
        }
        while self
            .stretches
            .get(index + 1)
            .is_some_and(|next| next.reached <= local)
        {
            index += 1;
        }
        let Stretch { start, offset, .. } = self.stretches[index];
        start.max(local - offset)
    }

    /// Returns the first instant and the offset of each time the clock shows this local hour, at
    /// least in part.
    pub(super) fn occurrences(&self, local_hour: i64) -> impl Iterator<Item = (i64, i64)> {
        // No offset is as long as a day.
        let near = self.index_at(local_hour - DAY_MS);
        self.stretches[near..]
            .iter()
            .zip(near..)
            .take_while(move |(stretch, _)| stretch.start < local_hour + DAY_MS)
            .filter_map(move |(stretch, index)| {
                let start = stretch.start.max(local_hour - stretch.offset);
                let end = self
                    .end_of(index)
                    .min(local_hour + HOUR_MS - stretch.offset);
                (start < end).then_some((start, stretch.offset))
            })
    }

    fn index_at(&self, at: i64) -> usize {
        self.stretches
            .partition_point(|stretch| stretch.start <= at)
            .saturating_sub(1)
    }

    fn end_of(&self, index: usize) -> i64 {
        self.stretches
            .get(index + 1)
            .map_or(i64::MAX, |next| next.start)
    }
}

fn offset_ms(offset: jiff::tz::Offset) -> i64 {
    i64::from(offset.seconds()) * 1_000
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZoneDatabase;

    use super::*;
    use crate::calendar::timestamp::civil::MINUTE_MS;

    /// Calls `check` for every zone of the database, as jiff has it and as a table.
    fn for_every_zone(mut check: impl FnMut(&TimeZone, &Zone)) {
        let database = TimeZoneDatabase::bundled();
        let mut count = 0;
        for name in database.available() {
            let time_zone = database.get(name.as_str()).unwrap();
            let zone = Zone::from_jiff(name.to_string(), &time_zone);
            check(&time_zone, &zone);
            count += 1;
        }
        assert!(count > 400, "the database has {count} zones");
    }

    fn folded_offset(zone: &Zone, at: i64) -> i64 {
        zone.offset_at(into_cycle(at).0)
    }

    #[test]
    fn offsets_match_jiff_in_every_zone_up_to_the_end() {
        let week_and_a_bit = 7 * DAY_MS + 11 * HOUR_MS + 1;
        for_every_zone(|time_zone, zone| {
            let epochs = [
                new_year(1973),
                new_year(2080),
                new_year(2495),
                new_year(9990),
            ];
            for epoch in epochs {
                for step in 0..450 {
                    let at = epoch + step * week_and_a_bit;
                    let jiff = jiff::Timestamp::from_millisecond(at).unwrap();
                    let expected = offset_ms(time_zone.to_offset(jiff));
                    assert_eq!(folded_offset(zone, at), expected, "{} at {jiff}", zone.name);
                }
            }
        });
    }

    #[test]
    fn clocks_change_when_jiff_says_in_every_zone() {
        for_every_zone(|time_zone, zone| {
            for since in [
                new_year(1973),
                new_year(2098),
                new_year(2497),
                new_year(7300),
            ] {
                let since = jiff::Timestamp::from_millisecond(since).unwrap();
                let mut before = offset_ms(time_zone.to_offset(since));
                for transition in time_zone.following(since).take(30) {
                    let at = transition.timestamp().as_millisecond();
                    let after = offset_ms(transition.offset());
                    let found = [folded_offset(zone, at - 1), folded_offset(zone, at)];
                    assert_eq!(found, [before, after], "{} at {at}", zone.name);
                    before = after;
                }
            }
        });
    }

    #[test]
    fn names_of_hours_can_express_every_offset() {
        for_every_zone(|_, zone| {
            for stretch in &zone.stretches {
                let in_use = stretch.start >= new_year(1973);
                assert!(
                    !in_use || stretch.offset % MINUTE_MS == 0,
                    "{}: {stretch:?}",
                    zone.name
                );
                assert!(stretch.offset.abs() < DAY_MS);
            }
        });
    }

    #[test]
    fn tables_are_sorted_and_small() {
        for_every_zone(|_, zone| {
            assert!(
                zone.stretches
                    .is_sorted_by(|a, b| a.start < b.start && a.reached <= b.reached)
            );
            assert!(zone.stretches.len() < 1_500, "{}", zone.name);
        });
    }

    #[test]
    fn lord_howe_alone_shifts_by_less_than_an_hour() {
        let mut without = Vec::new();
        for_every_zone(|_, zone| {
            if !zone.has_whole_hours {
                without.push(zone.name.clone());
            }
        });
        assert_eq!(without, ["Australia/LHI", "Australia/Lord_Howe"]);
    }

    #[test]
    fn moving_into_the_cycle_keeps_weekday_and_date() {
        assert_eq!(into_cycle(CYCLE_END - 1), (CYCLE_END - 1, 0));
        assert_eq!(into_cycle(CYCLE_END), (CYCLE_START, CYCLE_MS));
        let (folded, moved) = into_cycle(Timestamp::LATEST.millis());
        assert_eq!(folded + moved, Timestamp::LATEST.millis());
        assert_eq!(folded, new_year(2400) - 1);
        assert_eq!(CYCLE_DAYS % 7, 0);
    }
}
