//! What a published window contains: [`Content`].

use std::time::Duration;

use board::{Activity, Keep, Kind, Timestamp, Window};
use encodings::Encoding;
use wire::EntryRead;

/// The encoding of a kind that is published without a sorted set.
pub(crate) const NO_ENCODING: &str = "none";

/// The entries of a sorted set, best first.
pub(crate) type Set = Vec<(f64, String)>;

/// What readers see of a published window.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Content {
    /// Identifies the content: two contents with the same version are equal.
    pub(crate) version: String,
    /// The response to a request for the top.
    pub(crate) json: Vec<u8>,
    /// `None` if the kind has no encoding, or the encoding cannot represent an entry.
    pub(crate) set: Option<Set>,
    /// The time after which it expires; `None` if it does not expire.
    pub(crate) ttl: Option<Duration>,
}

/// Encodes the entries, or returns why one of them cannot be represented exactly.
pub(crate) fn encode_set(
    encoding: &Encoding,
    kind: &Kind,
    entries: &[EntryRead],
) -> Result<Set, String> {
    let fields = kind.rules().fields().len();
    let encoded = entries.iter().map(|entry| {
        let values = (0..fields).map(|field| Some(entry.values.get(field)?.get()));
        let values: Option<Vec<i64>> = values.collect();
        let values = values.ok_or_else(|| {
            format!(
                "member {:?} has a field without a value, which a sorted set cannot represent",
                entry.member
            )
        })?;
        let encoded = encoding.encode(&values, entry.reached_at, &entry.member);
        let encoded = encoded
            .map_err(|error| format!("member {:?} with {values:?}: {error}", entry.member))?;
        Ok((encoded.score, encoded.member.into_owned()))
    });
    encoded.collect()
}

/// Returns the time after which a window that is written now expires; `None` if it does not expire.
pub(crate) fn ttl(
    kind: &Kind,
    window: Window,
    activity: &Activity,
    now: Timestamp,
) -> Option<Duration> {
    let until = |expiry: Timestamp| {
        let ms = u64::try_from(expiry.millis() - now.millis()).unwrap_or(0);
        Duration::from_millis(ms.max(1))
    };
    let keep = kind.window_rule(window.period()).map(|rule| rule.keep);
    let of_window = match keep {
        None | Some(Keep::Forever) => None,
        Some(Keep::Idle(span)) => Some(span),
        Some(Keep::After(keep)) => {
            let end = kind.calendar().span(window).end;
            end.map(|end| until(end.plus(keep)))
        }
    };
    let of_board = activity.expires_at().map(until);
    let spans = [of_window, of_board, activity.idle_span(kind)];
    spans.into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use board::{Period, Value, Values};

    use super::*;

    fn kind(shape: &str) -> Kind {
        let shape: wire::KindShape = serde_json::from_str(shape).unwrap();
        shape.into_kind("k").unwrap()
    }

    fn entry(member: &str, values: Values) -> EntryRead {
        EntryRead {
            member: member.to_owned(),
            values,
            reached_at: Timestamp::parse_rfc3339("2026-11-20T14:52:22.123000Z").unwrap(),
        }
    }

    #[test]
    fn entries_are_encoded_or_reported() {
        let points = kind("{}");
        let of = |number| entry("u", Values::from(Value::new(number).unwrap()));
        let plain = "plain".parse().unwrap();
        assert_eq!(
            encode_set(&plain, &points, &[of(9_007_199_254_740_991), of(-3)]),
            Ok(vec![
                (9_007_199_254_740_991.0, "u".to_owned()),
                (-3.0, "u".to_owned())
            ])
        );
        let decimal = "decimal".parse().unwrap();
        assert!(encode_set(&decimal, &points, &[of(900_718)]).is_ok());
        let error = encode_set(&decimal, &points, &[of(1), of(900_719)]).unwrap_err();
        assert!(error.contains("\"u\" with [900719]"), "{error}");
        assert!(error.contains("900718"), "{error}");
        let nullable = kind(r#"{"fields": [{"name": "points", "op": "max"}]}"#);
        let error = encode_set(&plain, &nullable, &[entry("v", Values::default())]).unwrap_err();
        assert!(
            error.contains("\"v\" has a field without a value"),
            "{error}"
        );
    }

    #[test]
    fn content_expires_with_its_window() {
        let kept = kind(r#"{"windows": ["day", "all"], "keep": {"day": "2d"}}"#);
        let at = |text| Timestamp::parse_rfc3339(text).unwrap();
        let now = at("2026-11-20T12:00:00Z");
        let day = |at| kept.calendar().span_at(Period::Day, at).window;
        let hours = |hours| Some(Duration::from_hours(hours));
        assert_eq!(ttl(&kept, day(now), &Activity::ALWAYS, now), hours(12 + 48));
        assert_eq!(
            ttl(
                &kept,
                day(at("2026-11-19T12:00:00Z")),
                &Activity::ALWAYS,
                now
            ),
            hours(36)
        );
        assert_eq!(ttl(&kept, Window::ALL_TIME, &Activity::ALWAYS, now), None);
        let idle = kind(r#"{"windows": ["all"], "keep": {"all": {"idle": "7d"}}}"#);
        assert_eq!(
            ttl(&idle, Window::ALL_TIME, &Activity::ALWAYS, now),
            hours(7 * 24)
        );
        let battle = Activity::new(None, Some(now), Some(Duration::from_hours(3))).unwrap();
        assert_eq!(ttl(&kept, day(now), &battle, now), hours(3));
        assert_eq!(ttl(&kept, Window::ALL_TIME, &battle, now), hours(3));
        let idle = Activity::ALWAYS.with_idle(Some(Duration::from_hours(9)));
        assert_eq!(ttl(&kept, Window::ALL_TIME, &idle.unwrap(), now), hours(9));
    }
}
