//! Whether the encoding fits the source: [`check`], before anything is changed.

use std::time::Duration;

use board::Timestamp;
use encodings::Encoding;

use super::page::SetEntry;
use super::standing::decode;

/// The encodings that are tried if the given one does not fit, those with a time first. Others require parameters that
/// are not in the scores.
const CANDIDATES: [&str; 8] = [
    "time-member",
    "time-member(score=negated)",
    "fraction(base=317242022400)",
    "decimal",
    "decimal(digits=13, unit=ms)",
    "binary",
    "plain",
    "bits(22/22/20)",
];

/// The maximum number of encodings in an error.
const SUGGESTED_MAX: usize = 3;

/// 2000-01-01. An encoding with an earlier time is not that of the source.
const PLAUSIBLE_FROM: Timestamp = Timestamp::from_millis(946_684_800_000);

/// The server rejects times that are further ahead.
const AHEAD_MAX: Duration = Duration::from_mins(5);

/// Returns an error if more than half of the best entries cannot be read by this encoding, or have a time before
/// 2000 or in the future. The error has the encodings that fit all of them.
pub(super) fn check(encoding: &Encoding, best: &[SetEntry], now: Timestamp) -> Result<(), String> {
    let misfits = best
        .iter()
        .filter_map(|entry| Some((entry, misfit(encoding, entry, now)?)));
    let misfits: Vec<(&SetEntry, String)> = misfits.collect();
    let Some((entry, reason)) = misfits.first().filter(|_| 2 * misfits.len() > best.len()) else {
        return Ok(());
    };
    let fitting = CANDIDATES.into_iter().filter(|candidate| {
        let candidate: Encoding = candidate.parse().expect("the candidates are encodings");
        candidate.fields() == encoding.fields()
            && best
                .iter()
                .all(|entry| is_plausible(&candidate, entry, now))
    });
    let fitting: Vec<&str> = fitting.take(SUGGESTED_MAX).collect();
    let advice = match fitting.join(" or ") {
        none if none.is_empty() => format!(
            "none of {} fits all of them; `megaboard adopt --help` has the other encodings and the parameters",
            CANDIDATES.join(", ")
        ),
        fitting => format!("all of them fit {fitting}: choose with --encoding"),
    };
    Err(format!(
        "the encoding {encoding} does not fit: {} of the best {} entries cannot be read, such as {}: {reason}; \
         {advice}; nothing was changed",
        misfits.len(),
        best.len(),
        entry.shown()
    ))
}

/// Returns why an entry does not fit.
fn misfit(encoding: &Encoding, entry: &SetEntry, now: Timestamp) -> Option<String> {
    match decode(encoding, entry) {
        Err(error) => Some(error.to_string()),
        Ok(decoded) => {
            let at = decoded.at.filter(|at| !is_time(*at, now))?;
            let when = if at > now {
                "in the future"
            } else {
                "before 2000"
            };
            Some(format!("its time would be {at}, {when}"))
        }
    }
}

fn is_plausible(candidate: &Encoding, entry: &SetEntry, now: Timestamp) -> bool {
    decode(candidate, entry).is_ok_and(|decoded| match decoded.at {
        Some(at) => is_time(at, now),
        None => !candidate.has_time(),
    })
}

/// Returns whether an entry may have this time.
fn is_time(at: Timestamp, now: Timestamp) -> bool {
    (PLAUSIBLE_FROM..=now.plus(AHEAD_MAX)).contains(&at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adopt::page::Score;

    const NOW: Timestamp = Timestamp::from_millis(1_795_186_342_123);

    /// Returns entries as an encoding writes them, with the times of the last hour.
    fn written(encoding: &str) -> Vec<SetEntry> {
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
