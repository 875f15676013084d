//! The time of a board: its rule, and what it admits at its edges.

use std::time::Duration;

use board::limits::{KEEP_MAX, NAME_CLOSED_MAX, SETTINGS_KEPT_MIN};
use board::{Activity, ActivityChangeError, ActivityError, ActivityRejection, Timestamp};
use proptest::prelude::*;

const MS: Duration = Duration::from_millis(1);
const MICROSECOND: Duration = Duration::from_micros(1);
const WEEK: Duration = Duration::from_hours(7 * 24);

fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

fn starts_at() -> Timestamp {
    at("2026-11-20T20:00:00Z")
}

fn ends_at() -> Timestamp {
    at("2026-11-20T20:15:00Z")
}

fn battle() -> Activity {
    Activity::new(Some(starts_at()), Some(ends_at()), Some(WEEK)).unwrap()
}

#[test]
fn a_span_follows_its_rule() {
    let (start, end) = (Some(starts_at()), Some(ends_at()));
    let refused = [
        (
            Activity::new(end, start, None),
            ActivityError::EndsBeforeItStarts {
                starts_at: ends_at(),
                ends_at: starts_at(),
            },
        ),
        (
            Activity::new(start, start, None),
            ActivityError::EndsBeforeItStarts {
                starts_at: starts_at(),
                ends_at: starts_at(),
            },
        ),
        (
            Activity::new(start, None, Some(WEEK)),
            ActivityError::ExpiresWithoutEnd,
        ),
        (
            Activity::new(None, end, Some(Duration::ZERO)),
            ActivityError::ExpiresOutOfRange(Duration::ZERO),
        ),
        (
            Activity::new(None, end, Some(KEEP_MAX + MS)),
            ActivityError::ExpiresOutOfRange(KEEP_MAX + MS),
        ),
        (
            Activity::new(None, Some(Timestamp::LATEST), Some(MS)),
            ActivityError::ExpiresTooLate(MS),
        ),
    ];
    for (made, expected) in refused {
        let error = made.unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("ends_at: ") || text.starts_with("expires_after: "),
            "{text}"
        );
        assert_eq!(error, expected);
    }
    assert_eq!(Activity::new(None, None, None), Ok(Activity::ALWAYS));
    assert!(Activity::default().is_always() && !battle().is_always());
    assert_eq!(battle().expires_at(), Some(ends_at().plus(WEEK)));
}

#[test]
fn the_start_is_inclusive_and_the_end_exclusive() {
    let now = starts_at();
    let battle = battle();
    let outside = |at| {
        Err(ActivityRejection::Outside {
            at,
            activity: battle,
        })
    };
    for (moment, expected) in [
        (starts_at().minus(MS), outside(starts_at().minus(MS))),
        (starts_at(), Ok(())),
        (ends_at().minus(MS), Ok(())),
        (ends_at(), outside(ends_at())),
    ] {
        assert_eq!(battle.admit(moment, now), expected, "{moment}");
    }
    // What comes late does not count, whenever it happened.
    assert_eq!(battle.admit(starts_at(), ends_at().minus(MS)), Ok(()));
    let late = battle.admit(starts_at(), ends_at());
    let expected = ActivityRejection::Over {
        now: ends_at(),
        activity: battle,
    };
    assert_eq!(late, Err(expected.clone()));
    assert_eq!(
        expected.to_string(),
        "ends_at: the server's time is 2026-11-20T20:15:00.000000Z, and the board's activity, \
         from 2026-11-20T20:00:00.000000Z until 2026-11-20T20:15:00.000000Z, is over"
    );
}

#[test]
fn a_board_ends_and_expires_on_time() {
    let (battle, gone) = (battle(), ends_at().plus(WEEK));
    assert!(!battle.ended_or_expired_since(starts_at(), ends_at().minus(MS)));
    assert!(battle.ended_or_expired_since(ends_at().minus(MS), ends_at()));
    assert!(!battle.ended_or_expired_since(ends_at(), gone.minus(MS)));
    assert!(battle.ended_or_expired_since(gone.minus(MS), gone));
    assert!(battle.has_expired(gone) && !battle.has_expired(gone.minus(MS)));
    assert!(!Activity::ALWAYS.ended_or_expired_since(starts_at(), gone));
}

#[test]
fn settings_outlast_the_time_that_they_name() {
    let set_at = at("2026-11-01T00:00:00Z");
    let kept = |starts_at, ends_at, expires_after| {
        let activity = Activity::new(starts_at, ends_at, expires_after).unwrap();
        activity.settings_kept_until(set_at)
    };
    let (start, end) = (Some(starts_at()), Some(ends_at()));
    assert_eq!(kept(None, None, None), set_at.plus(SETTINGS_KEPT_MIN));
    assert_eq!(kept(start, None, None), starts_at().plus(SETTINGS_KEPT_MIN));
    assert_eq!(kept(start, end, None), ends_at().plus(SETTINGS_KEPT_MIN));
    assert_eq!(kept(start, end, Some(MS)), ends_at().plus(MS));
    let past = Some(set_at.minus(WEEK));
    assert_eq!(kept(None, past, None), set_at.plus(SETTINGS_KEPT_MIN));
}

#[test]
fn a_name_is_closed_to_what_was_before_the_end_or_else_the_start() {
    let (start, end) = (Some(starts_at()), Some(ends_at()));
    for (bounds, closed_to) in [
        ((None, None, None), None),
        ((start, None, None), start),
        ((None, end, None), end),
        ((start, end, Some(WEEK)), Some(ends_at().plus(WEEK))),
    ] {
        let activity = Activity::new(bounds.0, bounds.1, bounds.2).unwrap();
        let admitted_for = |span: Option<Duration>| move |at: Timestamp| Some(at.plus(span?));
        for (span, closed_for) in [
            (None, NAME_CLOSED_MAX),
            (Some(WEEK), WEEK.saturating_sub(MICROSECOND)),
            (Some(NAME_CLOSED_MAX * 2), NAME_CLOSED_MAX),
        ] {
            let now = starts_at();
            let after = activity.settings_after(admitted_for(span), now);
            let bounds_and_end =
                after.map(|(after, set_at)| (after.starts_at(), after.settings_kept_until(set_at)));
            let until = closed_to.map(|closed_to| closed_to.plus(closed_for));
            assert_eq!(bounds_and_end, until.map(|until| (closed_to, until)));
            // A later board of the name leaves it closed just as long.
            if let (Some((after, _)), Some(until)) = (after, until) {
                assert_eq!(
                    after.settings_after(admitted_for(span), until.minus(MS)),
                    activity.settings_after(admitted_for(span), now)
                );
                assert_eq!(after.settings_after(admitted_for(span), until), None);
            }
        }
    }
}

proptest! {
    /// Held against the sentence that says it: `starts_at <= at < ends_at`, and `now < ends_at`.
    #[test]
    fn what_is_admitted_is_in_the_span_and_in_time(
        starts_at in proptest::option::of(0_i64..20),
        length in proptest::option::of(1_i64..20),
        moment in -5_i64..50,
        now in -5_i64..50,
    ) {
        let time = Timestamp::from_millis;
        let ends_at = length.map(|length| starts_at.unwrap_or(0) + length);
        let activity = Activity::new(starts_at.map(time), ends_at.map(time), None).unwrap();
        let counts = starts_at.is_none_or(|starts_at| starts_at <= moment)
            && ends_at.is_none_or(|ends_at| moment < ends_at && now < ends_at);
        prop_assert_eq!(activity.admit(time(moment), time(now)).is_ok(), counts);
    }
}

#[test]
fn a_board_that_has_not_ended_may_end_at_any_time_to_come() {
    let now = ends_at().minus(MS);
    let later = ends_at().plus(WEEK);
    let held = battle();
    for (wanted, until) in [
        (Activity::ALWAYS, ends_at()),
        (Activity::new(None, Some(later), None).unwrap(), ends_at()),
        (Activity::new(Some(later), None, None).unwrap(), ends_at()),
        (
            Activity::new(None, Some(ends_at()), Some(MS)).unwrap(),
            ends_at(),
        ),
    ] {
        assert_eq!(held.check_change(&wanted, now), Ok(Some(until)));
    }
    let unbounded = Activity::ALWAYS;
    assert_eq!(unbounded.check_change(&held, now), Ok(Some(ends_at())));
    let from_now_on = Activity::new(Some(now), None, None).unwrap();
    assert_eq!(unbounded.check_change(&from_now_on, now), Ok(None));
    // It may have contributions from after that.
    let ended = Activity::new(None, Some(now), None).unwrap();
    let error = ActivityChangeError::EndsInThePast { ends_at: now, now };
    assert_eq!(unbounded.check_change(&ended, now), Err(error.clone()));
    assert!(error.to_string().starts_with("ends_at: "));
    assert_eq!(held.check_change(&ended, now), Err(error));
}

#[test]
fn a_board_that_has_ended_may_only_be_kept_longer() {
    let held = battle();
    let now = ends_at();
    let kept = |kept| Activity::new(Some(starts_at()), Some(ends_at()), kept).unwrap();
    let until = Some(ends_at().plus(WEEK));
    for wanted in [kept(None), kept(Some(WEEK)), kept(Some(WEEK + MS))] {
        assert_eq!(held.check_change(&wanted, now), Ok(until));
    }
    assert_eq!(kept(None).check_change(&kept(None), now), Ok(None));
    let ended = ActivityChangeError::Ended {
        ended_at: ends_at(),
    };
    for wanted in [
        kept(Some(Duration::from_hours(24))),
        Activity::new(Some(starts_at()), Some(ends_at().plus(MS)), Some(WEEK)).unwrap(),
        Activity::new(None, Some(ends_at()), Some(WEEK)).unwrap(),
        Activity::ALWAYS,
    ] {
        assert_eq!(held.check_change(&wanted, now), Err(ended.clone()));
    }
    assert_eq!(
        kept(None).check_change(&held, now),
        Err(ended),
        "it was kept for good"
    );
    let expired_at = ends_at().plus(WEEK);
    let expired = ActivityChangeError::Expired { expired_at };
    assert_eq!(held.check_change(&kept(None), expired_at), Err(expired));
}
