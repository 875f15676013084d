//! Whether the encoding fits the source: [`check`], before anything is changed.

use std::time::Duration;

use board::Timestamp;
use encodings::Encoding;

use super::page::SetEntry;
use super::standing::{decode, time};

/// The encodings that are tried if the given one does not fit, those with a time first. Others require parameters that
/// are not in the scores.
pub(super) const CANDIDATES: [&str; 9] = [
    "time-member",
    "time-member(score=negated)",
    "fraction(base=317242022400)",
    "fraction(base=4102415999)",
    "decimal",
    "decimal(digits=13, unit=ms)",
    "binary",
    "plain",
    "bits(22/22/20)",
];

/// The maximum number of encodings in an error.
const SUGGESTED_MAX: usize = 3;

/// The decimals that a scale is suggested for: money has up to four.
const DECIMALS_MAX: u32 = 4;

/// 2000-01-01. An encoding with an earlier time is not that of the source.
const PLAUSIBLE_FROM: Timestamp = Timestamp::from_millis(946_684_800_000);

/// The server rejects times that are further ahead.
const AHEAD_MAX: Duration = Duration::from_mins(5);

/// Returns an error if more than half of the best entries cannot be read by this encoding, or have no time, or one
/// before 2000 or in the future. The error has the encodings that fit all of them.
pub(super) fn check(encoding: &Encoding, best: &[SetEntry], now: Timestamp) -> Result<(), String> {
    let misfits = best
        .iter()
        .filter_map(|entry| Some((entry, misfit(encoding, entry, now)?)));
    let misfits: Vec<(&SetEntry, String)> = misfits.collect();
    let Some((entry, reason)) = misfits.first().filter(|_| 2 * misfits.len() > best.len()) else {
        return Ok(());
    };
    let is_alike = |candidate: &Encoding| candidate.fields() == encoding.fields();
    let advice = match (fitting(is_alike, best, now), scale(best)) {
        (none, Some(scale)) if none.is_empty() => {
            format!("--scale {scale} makes integers of all of them")
        }
        (none, None) if none.is_empty() => format!(
            "none of {} fits all of them; `megaboard adopt --help` has the other encodings and the parameters",
            CANDIDATES.join(", ")
        ),
        (fitting, _) => format!("all of them fit {fitting}: choose with --encoding"),
    };
    Err(format!(
        "the encoding {encoding} does not fit: {} of the best {} entries cannot be read, such as {}: {reason}; \
         {advice}; nothing was changed",
        misfits.len(),
        best.len(),
        entry.shown()
    ))
}

/// Returns the candidates with one value and a time that fit all entries, joined for a message.
pub(super) fn fitting_with_time(best: &[SetEntry], now: Timestamp) -> String {
    let is_alike = |candidate: &Encoding| candidate.fields() == 1 && candidate.has_time();
    fitting(is_alike, best, now)
}

/// Returns the candidates that fit all entries, joined for a message.
fn fitting(is_alike: impl Fn(&Encoding) -> bool, best: &[SetEntry], now: Timestamp) -> String {
    let fitting = CANDIDATES.into_iter().filter(|candidate| {
        let candidate: Encoding = candidate.parse().expect("the candidates are encodings");
        is_alike(&candidate)
            && best
                .iter()
                .all(|entry| is_plausible(&candidate, entry, now))
    });
    fitting.take(SUGGESTED_MAX).collect::<Vec<_>>().join(" or ")
}

fn is_plausible(candidate: &Encoding, entry: &SetEntry, now: Timestamp) -> bool {
    decode(candidate, entry).is_ok_and(|decoded| match decoded.at {
        Some(at) => is_time(at, now),
        None => !candidate.has_time(),
    })
}

/// Returns why an entry does not fit.
fn misfit(encoding: &Encoding, entry: &SetEntry, now: Timestamp) -> Option<String> {
    let decoded = decode(encoding, entry);
    let at = decoded.and_then(|decoded| time(encoding, entry, &decoded));
    match at {
        Err(error) => Some(error.to_string()),
        Ok(Some(at)) if !is_time(at, now) => {
            let when = if at > now {
                "in the future"
            } else {
                "before 2000"
            };
            Some(format!("its time would be {at}, {when}"))
        }
        Ok(None) if matches!(encoding, Encoding::TwoSets(_)) => {
            Some("it is not in the set of times".to_owned())
        }
        Ok(None) if encoding.has_time() && !is_rounded(encoding, entry) => {
            Some("it has no fraction, so no time".to_owned())
        }
        Ok(_) => None,
    }
}

/// Returns whether a score of `fraction` is so great that its double may have lost the fraction of a time.
fn is_rounded(encoding: &Encoding, entry: &SetEntry) -> bool {
    let fraction = encoding.encode(&[0], PLAUSIBLE_FROM, "");
    let sum = |score| Some(score - 1.0 + fraction.ok()?.score >= score);
    entry.score.number().and_then(sum).unwrap_or(false)
}

/// Returns the least power of ten that makes integers of all scores, if some have decimals.
fn scale(best: &[SetEntry]) -> Option<u32> {
    let is_whole = |entry: &SetEntry, scale| {
        let number = entry.score.scaled(scale).number();
        number.is_some_and(|number| number.fract() == 0.0)
    };
    let scales = (0..=DECIMALS_MAX).map(|decimals| 10_u32.pow(decimals));
    let mut scales = scales.filter(|scale| best.iter().all(|entry| is_whole(entry, *scale)));
    scales.next().filter(|scale| *scale > 1)
}

/// Returns whether an entry may have this time.
pub(super) fn is_time(at: Timestamp, now: Timestamp) -> bool {
    (PLAUSIBLE_FROM..=now.plus(AHEAD_MAX)).contains(&at)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::adopt::page::Score;

    pub(in crate::adopt) const NOW: Timestamp = Timestamp::from_millis(1_795_186_342_123);

    /// Returns entries as an encoding writes them, with the times of the last hour.
    pub(in crate::adopt) fn written(encoding: &str) -> Vec<SetEntry> {
        let encoding: Encoding = encoding.parse().unwrap();
        let entry = |number: i64| {
            let at = NOW.minus(Duration::from_secs(number.unsigned_abs()));
            let member = format!("u{number}");
            let encoded = encoding.encode(&[800 - number], at, &member).unwrap();
            let member = encoded.member.into_owned().into_bytes().into();
            SetEntry::new(member, Score::Number(encoded.score))
        };
        (1..=100).map(entry).collect()
    }

    fn checked(encoding: &str, best: &[SetEntry]) -> Result<(), String> {
        check(&encoding.parse().unwrap(), best, NOW)
    }

    #[test]
    fn an_encoding_fits_what_it_has_written() {
        for encoding in CANDIDATES.into_iter().filter(|it| !it.starts_with("bits")) {
            assert_eq!(checked(encoding, &written(encoding)), Ok(()), "{encoding}");
        }
        assert_eq!(checked("plain", &[]), Ok(()));
    }

    #[test]
    fn an_error_has_an_example_and_the_encodings_that_fit() {
        let fraction = written("fraction(base=317242022400)");
        let error = checked("plain", &fraction).unwrap_err();
        let parts = [
            "the encoding plain does not fit: 100 of the best 100 entries cannot be read, such as \"u1\": 799.",
            " is not an integer; all of them fit fraction(base=317242022400): choose with --encoding; nothing",
        ];
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        let error = checked("decimal", &written("plain")).unwrap_err();
        assert!(
            error.contains("in the future") && error.contains("fit plain:"),
            "{error}"
        );
        let error = checked("time-member", &written("decimal")).unwrap_err();
        assert!(
            error.contains("all of them fit decimal or plain:"),
            "{error}"
        );
        let other = written("time-left(ends=1795190000, digits=6)");
        let error = checked("plain", &other).unwrap_err();
        assert!(error.contains("`megaboard adopt --help`"), "{error}");
    }

    #[test]
    fn entries_without_a_time_do_not_fit() {
        let error = checked("fraction(base=317242022400)", &written("plain")).unwrap_err();
        assert!(
            error.contains(": it has no fraction, so no time; "),
            "{error}"
        );
        assert!(error.contains("all of them fit plain:"), "{error}");
        // The doubles of so great scores have no bits left for the fraction.
        let great = |score| SetEntry::new("u".into(), Score::Number(score));
        for base in ["317242022400", "4102415999"] {
            let fraction = format!("fraction(base={base})");
            assert_eq!(checked(&fraction, &[great(9e15)]), Ok(()), "{base}");
            assert!(checked(&fraction, &[great(1e12)]).is_err(), "{base}");
        }
    }

    #[test]
    fn the_times_of_the_second_set_are_checked() {
        let at = |time_score: Option<f64>| SetEntry {
            time_score: time_score.map(Score::Number),
            ..SetEntry::new("u".into(), Score::Number(7.0))
        };
        let two_sets =
            |unit, entry| checked(&format!("two-sets(time-key=K, unit={unit})"), &[entry]);
        assert_eq!(two_sets("s", at(Some(1_679_100_000.0))), Ok(()));
        for (unit, time_score, part) in [
            ("s", None, ": it is not in the set of times; "),
            ("s", Some(9_679_100_000.0), "in the future"),
            (
                "s",
                Some(1_679_100_000_000.0),
                "outside the years 1973 to 9999",
            ),
            ("ms", Some(1_679_100_000.5), "is not an integer"),
        ] {
            let error = two_sets(unit, at(time_score)).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn scores_with_decimals_are_to_be_scaled() {
        let best = [12.5, 3.0, 0.29].map(|score| SetEntry::new("u".into(), Score::Number(score)));
        let twice = [&best[..], &best].concat();
        assert_eq!(checked("plain", &twice[..2]), Ok(()), "half of them");
        let best = [12.5, 0.29].map(|score| SetEntry::new("u".into(), Score::Number(score)));
        let error = checked("plain", &best).unwrap_err();
        assert!(
            error.contains("; --scale 100 makes integers of all of them; nothing"),
            "{error}"
        );
    }

    #[test]
    fn a_few_entries_that_do_not_fit_are_no_error() {
        let mut best = written("plain");
        let half = |entry: &SetEntry| SetEntry::new(entry.member.clone(), Score::Number(0.5));
        for entry in best.iter_mut().take(50) {
            *entry = half(entry);
        }
        assert_eq!(checked("plain", &best), Ok(()));
        best[50] = half(&best[50]);
        assert!(checked("plain", &best).is_err());
    }
}
