//! The text form of encodings: how [`Encoding`] is parsed and displayed.
//!
//! | text | parameters |
//! | --- | --- |
//! | `plain` | |
//! | `decimal` | `digits=10` of the time left, `until=9999999999`, `unit=s` |
//! | `binary` | 21 bits over 32: `bits(21/32, until=4294967295, unit=s)` |
//! | `bits(22/22/20)` | widths in bits, from the highest; `until` makes the last a time; `unit=s` |
//! | `fraction(base=317242022400)` | `base`, `unit=s` |
//! | `time-left(ends=1765324800, digits=6)` | `ends`, `digits`, `unit=s` |
//! | `time-member` | `offset=Z` of the clock, `score=plain` or `negated` |
//! | `two-sets(time-key=KEY)` | `time-key`, `unit=s` |
//!
//! `base`, `ends` and `until` are moments: RFC 3339, or a count of units (`s` or `ms`) since 1970.

use std::fmt;
use std::str::FromStr;

use board::limits::FIELDS_MAX;

use crate::bits::{Bits, EXACT_BITS, PACKED_BITS_MAX};
use crate::countdown::{Countdown, Unit};
use crate::decimal::{DIGITS_MAX, Decimal};
use crate::encoding::Encoding;
use crate::error::EncodingError;
use crate::fraction::Fraction;
use crate::parameters::{Parameters, number, wrong};
use crate::time_left::TimeLeft;
use crate::time_member::TimeMember;
use crate::two_sets::TwoSets;

/// Default digits of a decimal split: seconds until the year 2286.
const DECIMAL_DIGITS: u32 = 10;

impl FromStr for Encoding {
    type Err = EncodingError;

    fn from_str(text: &str) -> Result<Self, EncodingError> {
        let (name, mut parameters) = Parameters::split(text)?;
        match name {
            "plain" => parameters.end("plain", "none").map(|()| Self::Plain),
            "binary" => {
                let known = "none: bits(21/32, until=...) has others";
                parameters.end("binary", known)?;
                Ok(Self::Bits(Bits::binary()))
            }
            "decimal" => decimal(parameters).map(Self::Decimal),
            "bits" => bits(parameters).map(Self::Bits),
            "fraction" => fraction(parameters).map(Self::Fraction),
            "time-left" => time_left(parameters).map(Self::TimeLeft),
            "time-member" => time_member(parameters).map(Self::TimeMember),
            "two-sets" => {
                let time_key = parameters.take("time-key").ok_or(EncodingError::Missing {
                    encoding: "two-sets",
                    parameter: "time-key=KEY, the sorted set of the times",
                })?;
                let unit = parameters.unit()?;
                parameters.end("two-sets", "time-key and unit")?;
                let time_key = time_key.to_owned();
                Ok(Self::TwoSets(TwoSets { time_key, unit }))
            }
            _ => Err(EncodingError::Unknown(text.to_owned())),
        }
    }
}

fn decimal(mut parameters: Parameters<'_>) -> Result<Decimal, EncodingError> {
    let digits = parameters
        .number("digits", DIGITS_MAX)?
        .unwrap_or(DECIMAL_DIGITS);
    let unit = parameters.unit()?;
    let until = parameters.moment("until", unit)?;
    parameters.end("decimal", "digits, until and unit")?;
    let decimal = Decimal::new(digits, until.unwrap_or(10_i64.pow(digits) - 1), unit);
    check_times("until", &decimal.countdown).map(|()| decimal)
}

fn bits(mut parameters: Parameters<'_>) -> Result<Bits, EncodingError> {
    let missing = EncodingError::Missing {
        encoding: "bits",
        parameter: "widths: bits(22/22/20), the highest field first",
    };
    let text = parameters
        .take("widths")
        .or_else(|| parameters.take(""))
        .ok_or(missing)?;
    let unit = parameters.unit()?;
    let until = parameters.moment("until", unit)?;
    parameters.end("bits", "widths, until and unit")?;
    let widths: Result<Vec<u32>, _> = text
        .split('/')
        .map(|width| number("widths", width.trim(), EXACT_BITS))
        .collect();
    let widths = widths?;
    let sum: u32 = widths.iter().sum();
    if sum > PACKED_BITS_MAX {
        let reason = format!("has {sum} bits, more than the {PACKED_BITS_MAX} of an integer");
        return Err(wrong("widths", text, &reason));
    }
    let bits = Bits::new(widths, until.map(|until| (until, unit)));
    if !(1..=FIELDS_MAX).contains(&bits.fields()) {
        let reason = format!("has {} values, not 1 to {FIELDS_MAX}", bits.fields());
        return Err(wrong("widths", text, &reason));
    }
    match &bits.countdown {
        Some(countdown) => check_times("until", countdown).map(|()| bits),
        None => Ok(bits),
    }
}

fn fraction(mut parameters: Parameters<'_>) -> Result<Fraction, EncodingError> {
    let unit = parameters.unit()?;
    let base = parameters
        .moment("base", unit)?
        .ok_or(EncodingError::Missing {
            encoding: "fraction",
            parameter: "base=MOMENT, such as base=317242022400",
        })?;
    parameters.end("fraction", "base and unit")?;
    let fraction = Fraction::new(base, unit);
    check_times("base", &fraction.countdown).map(|()| fraction)
}

fn time_left(mut parameters: Parameters<'_>) -> Result<TimeLeft, EncodingError> {
    let missing = |parameter| EncodingError::Missing {
        encoding: "time-left",
        parameter,
    };
    let unit = parameters.unit()?;
    let ends = parameters.moment("ends", unit)?;
    let ends = ends.ok_or_else(|| missing("ends=MOMENT, the activity's end"))?;
    let digits = parameters.number("digits", DIGITS_MAX)?;
    let digits = digits.ok_or_else(|| missing("digits=N, those of the activity's length"))?;
    parameters.end("time-left", "ends, digits and unit")?;
    let time_left = TimeLeft::new(ends, digits, unit);
    check_times("ends", &time_left.countdown).map(|()| time_left)
}

fn time_member(mut parameters: Parameters<'_>) -> Result<TimeMember, EncodingError> {
    let offset_minutes = match parameters.take("offset") {
        None | Some("Z") => 0,
        Some(text) => offset(text)
            .ok_or_else(|| wrong("offset", text, "is not an offset such as Z or +08:00"))?,
    };
    let is_negated = match parameters.take("score") {
        None | Some("plain") => false,
        Some("negated") => true,
        Some(text) => return Err(wrong("score", text, "is neither plain nor negated")),
    };
    parameters.end("time-member", "offset and score")?;
    Ok(TimeMember {
        offset_minutes,
        is_negated,
    })
}

/// Returns the minutes of `+08:00`.
fn offset(text: &str) -> Option<i32> {
    let (sign, time) = match text.split_at_checked(1)? {
        ("+", time) => (1, time),
        ("-", time) => (-1, time),
        _ => return None,
    };
    let part = |text: &str, below: i32| -> Option<i32> {
        let digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|number| digits && *number < below)
    };
    let (hours, minutes) = time.split_once(':')?;
    Some(sign * (60 * part(hours, 24)? + part(minutes, 60)?))
}

/// Checks that a board's times can be represented: if not, milliseconds were probably written as
/// seconds.
fn check_times(parameter: &'static str, countdown: &Countdown) -> Result<(), EncodingError> {
    if countdown.has_times() {
        return Ok(());
    }
    let text = countdown.until.to_string();
    let unit = countdown.unit.name();
    let reason =
        format!("{unit} since 1970: it cannot represent any time of the years 1973 to 9999");
    Err(wrong(parameter, &text, &reason))
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain => f.write_str("plain"),
            Self::Decimal(Decimal { digits, countdown }) => {
                let until = countdown.until;
                write!(
                    f,
                    "decimal(digits={digits}, until={until}{})",
                    Tail(countdown.unit)
                )
            }
            Self::Bits(bits) if *bits == Bits::binary() => f.write_str("binary"),
            Self::Bits(Bits { widths, countdown }) => {
                let widths: Vec<String> = widths.iter().map(u32::to_string).collect();
                write!(f, "bits({}", widths.join("/"))?;
                match countdown {
                    Some(it) => write!(f, ", until={}{})", it.until, Tail(it.unit)),
                    None => f.write_str(")"),
                }
            }
            Self::Fraction(Fraction { countdown: it }) => {
                write!(f, "fraction(base={}{})", it.until, Tail(it.unit))
            }
            Self::TimeLeft(TimeLeft { digits, countdown }) => {
                let ends = countdown.until;
                write!(
                    f,
                    "time-left(ends={ends}, digits={digits}{})",
                    Tail(countdown.unit)
                )
            }
            Self::TimeMember(TimeMember {
                offset_minutes: minutes,
                is_negated,
            }) => {
                let sign = if *minutes < 0 { '-' } else { '+' };
                let (hours, minutes) = (minutes.abs() / 60, minutes.abs() % 60);
                let score = if *is_negated { "negated" } else { "plain" };
                write!(
                    f,
                    "time-member(offset={sign}{hours:02}:{minutes:02}, score={score})"
                )
            }
            Self::TwoSets(TwoSets { time_key, unit }) => {
                write!(f, "two-sets(time-key={time_key}{})", Tail(*unit))
            }
        }
    }
}

/// Displays the unit if it is not the default.
struct Tail(Unit);

impl fmt::Display for Tail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Unit::Seconds => Ok(()),
            unit @ Unit::Millis => write!(f, ", unit={unit}"),
        }
    }
}
