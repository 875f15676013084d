//! The settings of one board, and its time in responses.

use board::{Activity, ShardCount, Timestamp};
use serde::{Deserialize, Serialize};
use shard_store::BoardSettings;

use crate::duration::{duration, duration_text};
use crate::entry::text_of;
use crate::error::ShapeError;
use crate::scalar::Moment;

/// The settings of one board, at least one of them. A missing setting is reset to that of the kind; a missing number of
/// shards of a board with contributions stays as it is.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = BoardSettings))]
#[serde(
    deny_unknown_fields,
    expecting = "an object with shards, starts_at, ends_at, expires_after, idle"
)]
#[derive(Debug)]
pub struct SettingsShape {
    /// A power of two.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 4096, example = 64))]
    shards: Option<u64>,
    /// Contributions with an earlier time are rejected.
    starts_at: Option<Moment>,
    /// Contributions from this time on are rejected, and the board is final.
    ends_at: Option<Moment>,
    /// How long the board is kept after `ends_at`.
    #[cfg_attr(feature = "schema", schema(example = "7d"))]
    expires_after: Option<String>,
    /// After how long without a write the board is deleted, with all its windows; at least `dedupe` of its kind. Excludes
    /// `ends_at`.
    #[cfg_attr(feature = "schema", schema(example = "30d"))]
    idle: Option<String>,
}

/// The time in which a board accepts contributions, if it is limited.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Span))]
pub struct SpanShape {
    /// Contributions with an earlier time are rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, format = DateTime))]
    starts_at: Option<String>,
    /// Contributions from this time on are rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, format = DateTime))]
    ends_at: Option<String>,
}

/// How long a board is kept, if that is limited.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Expiry))]
pub struct ExpiryShape {
    /// How long the board is kept after its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, example = "7d"))]
    expires_after: Option<String>,
    /// When the board expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, format = DateTime))]
    expires_at: Option<String>,
    /// After how long without a write the board is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, example = "30d"))]
    idle: Option<String>,
}

impl SettingsShape {
    /// Returns the settings. A missing number of shards is `of_kind`, a missing time is unlimited.
    pub fn settings(&self, of_kind: ShardCount) -> Result<BoardSettings, ShapeError> {
        let Self {
            shards,
            starts_at,
            ends_at,
            expires_after,
            idle,
        } = self;
        let nothing = shards.is_none() && starts_at.is_none() && ends_at.is_none();
        if nothing && expires_after.is_none() && idle.is_none() {
            let detail = "shards: is missing: one of shards, starts_at, ends_at, expires_after and idle is required";
            return Err(ShapeError::invalid(detail));
        }
        let shards = shards.map(|number| {
            let detail = || format!("shards: {number} is not a power of two from 1 to 4096");
            ShardCount::new(number).ok_or_else(|| ShapeError::invalid(detail()))
        });
        let span = |name: &str, text: &Option<String>| {
            let span = text.as_ref().map(|text| duration(name, text));
            span.transpose()
        };
        let (expires_after, idle) = (span("expires_after", expires_after)?, span("idle", idle)?);
        let moment = |moment: &Option<Moment>| moment.as_ref().map(|moment| moment.0);
        let activity = Activity::new(moment(starts_at), moment(ends_at), expires_after);
        let activity = activity.and_then(|activity| activity.with_idle(idle));
        Ok(BoardSettings {
            shards: shards.transpose()?.unwrap_or(of_kind),
            activity: activity.map_err(|error| ShapeError::invalid(error.to_string()))?,
        })
    }
}

fn text(at: Option<Timestamp>) -> Option<String> {
    at.map(text_of)
}

impl From<&Activity> for SpanShape {
    fn from(activity: &Activity) -> Self {
        Self {
            starts_at: text(activity.starts_at()),
            ends_at: text(activity.ends_at()),
        }
    }
}

impl From<&Activity> for ExpiryShape {
    fn from(activity: &Activity) -> Self {
        Self {
            expires_after: activity.expires_after().map(duration_text),
            expires_at: text(activity.expires_at()),
            idle: activity.idle().map(duration_text),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(shape: serde_json::Value) -> Result<BoardSettings, ShapeError> {
        let shape: SettingsShape = serde_json::from_value(shape).unwrap();
        shape.settings(ShardCount::new(16).unwrap())
    }

    #[test]
    fn missing_settings_have_defaults() {
        let plain = settings(json!({"shards": 4})).unwrap();
        assert_eq!(plain, ShardCount::new(4).unwrap().into());
        let bounded = json!({"starts_at": 1_795_186_342_123_i64, "ends_at": "2026-11-21T00:00:00+08:00",
            "expires_after": "7d"});
        let bounded = settings(bounded).unwrap();
        assert_eq!(bounded.shards.get(), 16);
        let shown = serde_json::to_value((
            SpanShape::from(&bounded.activity),
            ExpiryShape::from(&bounded.activity),
        ));
        let expected = json!([
            {"starts_at": "2026-11-20T14:52:22.123000Z", "ends_at": "2026-11-20T16:00:00.000000Z"},
            {"expires_after": "7d", "expires_at": "2026-11-27T16:00:00.000000Z"},
        ]);
        assert_eq!(shown.unwrap(), expected);
        let idle = settings(json!({"idle": "30d"})).unwrap();
        let shown = serde_json::to_value(ExpiryShape::from(&idle.activity));
        assert_eq!(shown.unwrap(), json!({"idle": "30d"}));
    }

    #[test]
    fn errors_name_the_setting_and_its_value() {
        let end = "2026-11-21T00:00:00Z";
        for (shape, parts) in [
            (json!({"shards": 3}), ["shards: ", "3"]),
            (json!({}), ["shards: ", "missing"]),
            (
                json!({"starts_at": end, "ends_at": end}),
                ["ends_at: ", "2026-11-21T00:00:00.000000Z"],
            ),
            (
                json!({"expires_after": "7d"}),
                ["expires_after: ", "ends_at"],
            ),
            (
                json!({"ends_at": end, "expires_after": "soon"}),
                ["expires_after: ", "soon"],
            ),
            (
                json!({"ends_at": end, "expires_after": "0s"}),
                ["expires_after: ", "0ns"],
            ),
            (
                json!({"ends_at": end, "expires_after": "1001years"}),
                ["expires_after: ", "1000 years"],
            ),
            (json!({"idle": "never"}), ["idle: ", "never"]),
            (json!({"idle": "0s"}), ["idle: ", "0ns"]),
            (
                json!({"idle": "1d", "ends_at": end}),
                ["idle: ", "expires_after"],
            ),
        ] {
            let detail = settings(shape.clone()).unwrap_err().to_string();
            assert!(detail.starts_with(parts[0]), "{shape}: {detail}");
            assert!(detail.contains(parts[1]), "{shape}: {detail}");
        }
    }
}
