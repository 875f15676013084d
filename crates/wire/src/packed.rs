//! The setting `packed` of a kind, its declared range: [`PackedShape`].

use board::{Packing, Timestamp};
use serde::{Deserialize, Serialize};

use crate::duration::{duration, duration_text};
use crate::entry::text_of;
use crate::error::{ShapeError, wrong};
use crate::object::not_null;

/// The range of the values of a packed kind, and the unit of its times.
///
/// `{ most = 1000000, unit = "1s", from = "2026-01-01T00:00:00Z", until = "2036-01-01T00:00:00Z" }`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Packed))]
#[serde(
    deny_unknown_fields,
    expecting = "an object with most, unit, from and until"
)]
pub(crate) struct PackedShape {
    /// The largest value; the smallest is 0.
    most: u64,
    /// The unit of times, a second or a part of it.
    #[serde(default = "one_second")]
    #[cfg_attr(feature = "schema", schema(default = "1s"))]
    unit: String,
    #[serde(
        default,
        deserialize_with = "not_null",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schema(nullable = false, format = DateTime))]
    from: Option<String>,
    #[serde(
        default,
        deserialize_with = "not_null",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schema(nullable = false, format = DateTime))]
    until: Option<String>,
}

fn one_second() -> String {
    "1s".to_owned()
}

impl PackedShape {
    /// Returns the declared range.
    pub(crate) fn packing(&self) -> Result<Packing, ShapeError> {
        let span = match (&self.from, &self.until) {
            (Some(from), Some(until)) => {
                Some((time("packed.from", from)?, time("packed.until", until)?))
            }
            (None, None) => None,
            (Some(_), None) => return Err(wrong("packed.until", "is missing: from requires it")),
            (None, Some(_)) => return Err(wrong("packed.from", "is missing: until requires it")),
        };
        Ok(Packing {
            max: self.most,
            unit: duration("packed.unit", &self.unit)?,
            span,
        })
    }
}

fn time(setting: &str, text: &str) -> Result<Timestamp, ShapeError> {
    Timestamp::parse_rfc3339(text).map_err(|error| wrong(setting, error))
}

impl From<&Packing> for PackedShape {
    fn from(packing: &Packing) -> Self {
        Self {
            most: packing.max,
            unit: duration_text(packing.unit),
            from: packing.span.map(|(from, _)| text_of(from)),
            until: packing.span.map(|(_, until)| text_of(until)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::KindShape;

    fn put(shape: &Value) -> Result<Value, String> {
        let shape: KindShape = serde_json::from_value(shape.clone()).map_err(|e| e.to_string())?;
        let kind = shape.into_kind("gifts").map_err(|e| e.to_string())?;
        let shown = serde_json::to_value(KindShape::from(&kind)).unwrap();
        let again: KindShape = serde_json::from_value(shown.clone()).unwrap();
        assert_eq!(again.into_kind("gifts").unwrap(), kind);
        Ok(shown["packed"].clone())
    }

    #[test]
    fn a_valid_range_is_shown_as_it_was_put() {
        let (from, until) = ("2026-01-01T00:00:00.000000Z", "2036-01-01T00:00:00.000000Z");
        let all = json!({"most": 1_000_000, "unit": "100ms", "from": from, "until": until});
        assert_eq!(put(&json!({"windows": ["all"], "packed": all})), Ok(all));
        // 36 bits for the value and 17 for the seconds of a day.
        let day = json!({"windows": ["day"], "packed": {"most": 68_719_476_735_u64}});
        assert_eq!(
            put(&day),
            Ok(json!({"most": 68_719_476_735_u64, "unit": "1s"}))
        );
    }

    #[test]
    fn errors_name_the_setting_that_does_not_fit() {
        let long = json!({"most": 1_000_000, "unit": "1ms", "from": "2026-01-01T00:00:00Z",
            "until": "2036-01-01T00:00:00Z"});
        let cases = [
            (
                json!({"windows": ["day"], "packed": {"most": 68_719_476_736_u64}}),
                "packed: values up to 68719476736 take 37 of 53 bits; the times of a window day in units of \
                 1000 ms take 17, and 16 are left",
            ),
            (
                json!({"windows": ["all"], "packed": long}),
                "packed: values up to 1000000 take 20 of 53 bits; the times of a window all in units of 1 ms \
                 take 39, and 33 are left",
            ),
            (
                json!({"windows": ["all"], "packed": {"most": 9}}),
                "packed: requires from and until",
            ),
            (
                json!({"windows": ["day"], "packed": {"most": 0}}),
                "packed.most: 0 is not",
            ),
            (
                json!({"windows": ["day"], "packed": {"most": 9, "unit": "7ms"}}),
                "packed.unit: 7ms",
            ),
            (
                json!({"windows": ["day"], "packed": {"most": 9, "unit": "1m"}}),
                "packed.unit: ",
            ),
            (
                json!({"windows": ["day"], "packed": {"most": 9, "until": "2036-01-01T00:00:00Z"}}),
                "packed.from: ",
            ),
            (
                json!({"windows": ["day"], "ties": "member", "packed": {"most": 9}}),
                "ties: member",
            ),
            (
                json!({"windows": ["day"], "fields": [{"name": "a"}, {"name": "b"}], "packed": {"most": 9}}),
                "packed: packed kinds have exactly one field",
            ),
            (
                json!({"mode": "best", "windows": ["day"], "retain": {"keep": 9}, "packed": {"most": 9}}),
                "retain: ",
            ),
        ];
        for (shape, expected) in cases {
            let error = put(&shape).unwrap_err();
            assert!(error.starts_with(expected), "{shape}: {error}");
        }
        for packed in [
            json!(null),
            json!(9),
            json!({}),
            json!({"most": 9, "from": null}),
        ] {
            assert!(put(&json!({"windows": ["day"], "packed": packed})).is_err());
        }
    }
}
