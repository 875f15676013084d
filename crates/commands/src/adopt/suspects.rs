//! What scores and members look like that would be copied as they are: [`check_scores`], [`check_members`].

use std::collections::HashSet;

use board::Timestamp;

use super::fit::{fitting_with_time, is_time};
use super::page::SetEntry;

/// Fewer entries than this may look like those of an encoding by chance.
const PACKED_MIN: usize = 10;

/// The digits of a time that is counted back from a moment that is not in the scores, the most first.
const DIGITS: [u32; 8] = [12, 11, 10, 9, 8, 7, 6, 5];

/// The least number of scores above the digits.
const SCORES_MIN: usize = 3;

/// Returns an error if all of the best entries look like those of an encoding with times.
pub(super) fn check_scores(best: &[SetEntry], now: Timestamp) -> Result<(), String> {
    if best.len() < PACKED_MIN {
        return Ok(());
    }
    let count = best.len();
    let looks = match fitting_with_time(best, now) {
        none if none.is_empty() => match suspected(best, now) {
            Some(suspected) => format!("look like {suspected}"),
            None => return Ok(()),
        },
        fitting => format!("fit {fitting}: choose with --encoding"),
    };
    Err(format!(
        "the scores look packed: all of the best {count} entries {looks}; --encoding plain copies the scores as they \
         are; nothing was changed"
    ))
}

/// Returns the encoding that all entries look like, of those that cannot be tried, and what to do about it.
fn suspected(best: &[SetEntry], now: Timestamp) -> Option<String> {
    let scores: Option<Vec<i64>> = best.iter().map(whole).collect();
    let scores = scores?;
    for (name, step, unit, fields) in [
        ("score << 32 | seconds", 1 << 32, 1_000, "bits(32/32)"),
        ("score * 10^10 + seconds", 10_i64.pow(10), 1_000, ""),
        ("score * 10^13 + milliseconds", 10_i64.pow(13), 1, ""),
    ] {
        let is_packed = |score: &i64| {
            let at = Timestamp::from_millis(score % step * unit);
            *score >= step && is_time(at, now)
        };
        if scores.iter().all(is_packed) {
            let advice = if fields.is_empty() {
                String::new()
            } else {
                format!(": `{fields}` copies both numbers to a kind with two fields")
            };
            return Some(format!(
                "{name}, with a time that counts up, by which the later of two comes first; no encoding here has it{advice}"
            ));
        }
    }
    let digits = DIGITS
        .into_iter()
        .find(|digits| is_counted_back(&scores, *digits))?;
    Some(format!(
        "score * 10^{digits} + (A - seconds), where A is the moment from which the time counts back: choose with \
         --encoding 'decimal(digits={digits}, until=A)'"
    ))
}

/// Returns whether the lowest digits of all scores are within a quarter of their range, as the times of an activity
/// are, though the digits above them are several scores. Those of other numbers are within it by chance.
fn is_counted_back(scores: &[i64], digits: u32) -> bool {
    let step = 10_i64.pow(digits);
    let lows = || scores.iter().map(|score| score % step);
    let (Some(least), Some(most)) = (lows().min(), lows().max()) else {
        return false;
    };
    let highs: HashSet<i64> = scores.iter().map(|score| score / step).collect();
    let times: HashSet<i64> = lows().collect();
    highs.len() >= SCORES_MIN
        && !highs.contains(&0)
        && (most - least) < step / 4
        && times.len() > scores.len() / 2
        && lows().any(|low| low % 10 != 0)
}

/// Returns a score that is a whole number from 0 on.
#[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^63")]
fn whole(entry: &SetEntry) -> Option<i64> {
    const MAX: f64 = 9_223_372_036_854_775_808.0;
    let number = entry.score.number()?;
    (number.fract() == 0.0 && (0.0..MAX).contains(&number)).then_some(number as i64)
}

/// Returns an error if more than half of the members look serialised.
pub(super) fn check_members(best: &[SetEntry]) -> Result<(), String> {
    for (by, is_serialised) in SERIALISERS {
        let mut serialised = best.iter().filter(|entry| is_serialised(&entry.member));
        let first = serialised.next();
        let count = serialised.count() + 1;
        if let Some(first) = first.filter(|_| 2 * count > best.len()) {
            return Err(format!(
                "the members look serialised by {by}: {count} of the best {}, such as {}; let the writers store plain \
                 names; --encoding plain copies those that are UTF-8 as they are; nothing was changed",
                best.len(),
                first.shown()
            ));
        }
    }
    Ok(())
}

/// What serialises members, and whether it has written one.
type Serialiser = (&'static str, fn(&[u8]) -> bool);

const SERIALISERS: [Serialiser; 3] = [
    ("PHP (`serialize`)", is_of_php),
    ("Java (`JdkSerializationRedisSerializer`)", |member| {
        member.starts_with(&[0xac, 0xed, 0x00, 0x05])
    }),
    ("JSON", |member| {
        matches!(
            member,
            [b'"', .., b'"'] | [b'{', .., b'}'] | [b'[', .., b']']
        )
    }),
];

/// Returns whether a member is like `s:5:"alice";`, `i:7;`, `a:1:{...}` or `O:4:"User":1:{...}`.
fn is_of_php(member: &[u8]) -> bool {
    let ([b's' | b'a' | b'O' | b'i' | b'd' | b'b', b':', value @ ..], Some(last)) =
        (member, member.last())
    else {
        return false;
    };
    let is_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    let length = value.iter().take_while(|byte| is_number(byte)).count();
    let after = value.get(length);
    length > 0 && matches!((after, last), (Some(b':' | b';'), b';' | b'}'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adopt::fit::CANDIDATES;
    use crate::adopt::fit::tests::{NOW, written};
    use crate::adopt::page::Score;

    fn scored(score: impl Fn(i64) -> i64) -> Vec<SetEntry> {
        let entry = |n| SetEntry::new("u".into(), Score::Text(score(n).to_string().into()));
        (0..40).map(entry).collect()
    }

    #[test]
    fn packed_scores_are_not_adopted_as_plain_ones_by_accident() {
        for encoding in CANDIDATES {
            let is_packed = encoding.parse::<encodings::Encoding>().unwrap().has_time();
            if encoding.starts_with("bits") {
                continue;
            }
            let mut best = written(encoding);
            let error = check_scores(&best, NOW).err().unwrap_or_default();
            assert_eq!(error.contains(encoding), is_packed, "{encoding}: {error}");
            best.truncate(PACKED_MIN - 1);
            assert_eq!(check_scores(&best, NOW), Ok(()), "{encoding}");
        }
        let great = |n| SetEntry::new("u".into(), Score::Number(9e15 + f64::from(n)));
        let great: Vec<SetEntry> = (0..100).map(great).collect();
        assert_eq!(check_scores(&great, NOW), Ok(()));
    }

    #[test]
    fn encodings_that_cannot_be_tried_are_suspected() {
        let seconds = NOW.millis() / 1_000;
        // Of seven days.
        let left = |n: i64| (n * 7_919_337) % 604_800;
        for (score, part) in [
            (
                scored(|n| ((n + 1) << 32) | (seconds - n * 977)),
                "score << 32 | seconds",
            ),
            (
                scored(|n| (n + 1) * 10_000_000_000 + seconds - n * 977),
                "score * 10^10 + seconds",
            ),
            (
                scored(|n| (n % 9 + 1) * 10_000_000 + left(n)),
                "'decimal(digits=7, until=A)'",
            ),
            (
                scored(|n| (n % 9 + 1) * 100_000_000 + left(n)),
                "'decimal(digits=8, until=A)'",
            ),
        ] {
            let error = check_scores(&score, NOW).unwrap_err();
            assert!(
                error.contains(part) && error.contains("--encoding plain"),
                "{error}"
            );
            assert_eq!(check_scores(&score[..PACKED_MIN - 1], NOW), Ok(()));
        }
    }

    #[test]
    fn plain_scores_are_not_suspected() {
        let mut state = 88_172_645_463_325_252_u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            i64::try_from(state >> 1).unwrap()
        };
        for most in [1_000, 1_000_000, 1_000_000_000, 9_000_000_000_000] {
            let numbers: Vec<i64> = (0..40).map(|_| random() % most).collect();
            let index = |n: i64| usize::try_from(n).unwrap();
            assert_eq!(
                check_scores(&scored(|n| numbers[index(n)]), NOW),
                Ok(()),
                "{most}"
            );
            assert_eq!(
                check_scores(&scored(|n| numbers[index(n)] * 1_000_000), NOW),
                Ok(())
            );
        }
        assert_eq!(
            check_scores(&scored(|n| 50_000_000 + n), NOW),
            Ok(()),
            "of a narrow range"
        );
    }

    #[test]
    fn serialised_members_are_named() {
        let check = |members: &[&'static [u8]]| {
            let entry =
                |member: &&'static [u8]| SetEntry::new((*member).into(), Score::Number(1.0));
            check_members(&members.iter().map(entry).collect::<Vec<_>>())
        };
        for (member, by) in [
            (&b"s:5:\"alice\";"[..], "PHP"),
            (b"i:77;", "PHP"),
            (b"a:1:{i:0;s:1:\"a\";}", "PHP"),
            (b"\xac\xed\x00\x05t\x00\x05alice", "Java"),
            (b"\"alice\"", "JSON"),
            (b"{\"id\":7}", "JSON"),
        ] {
            let error = check(&[member, member, b"u"]).unwrap_err();
            assert!(
                error.contains(by) && error.contains("2 of the best 3"),
                "{error}"
            );
            assert_eq!(check(&[member, b"u"]), Ok(()));
        }
        for plain in [
            &b"s:alice"[..],
            b"i:x;",
            b"alice",
            b"\"",
            b"b::;",
            b"s:5",
            b"user:7;",
        ] {
            assert_eq!(check(&[plain]), Ok(()));
        }
    }
}
