//! `[embedded]`: settings of a store in a folder, other than its path.

use std::ops::RangeInclusive;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use store_local::LocalSettings;

use super::bounds::{span_within, within};

/// The section. Settings that are absent have the defaults of [`LocalSettings`].
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct EmbeddedSection {
    #[serde(deserialize_with = "bytes")]
    snapshot_after_bytes: Option<u64>,
    #[serde(deserialize_with = "pause")]
    clock_pause: Option<Duration>,
}

/// Minimum size of the journal between two snapshots: with less, the disk would be busy with snapshots only.
const SNAPSHOT_AFTER_BYTES_MIN: u64 = 64 << 10;

/// The bounds of the pause.
const CLOCK_PAUSES: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_hours(7 * 24);

fn bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    within(deserializer, SNAPSHOT_AFTER_BYTES_MIN..=u64::MAX).map(Some)
}

fn pause<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    span_within(deserializer, &CLOCK_PAUSES).map(Some)
}

impl EmbeddedSection {
    /// Returns these settings, changed by those of the section.
    pub(crate) fn settings(&self) -> LocalSettings {
        let default = LocalSettings::default();
        let after_bytes = self.snapshot_after_bytes;
        LocalSettings {
            snapshot_after_bytes: after_bytes.unwrap_or(default.snapshot_after_bytes),
            clock_pause: self.clock_pause.unwrap_or(default.clock_pause),
            ..default
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Result<LocalSettings, toml::de::Error> {
        toml::from_str::<EmbeddedSection>(text).map(|section| section.settings())
    }

    #[test]
    fn absent_settings_have_their_defaults() {
        let (parsed, default) = (settings("").unwrap(), LocalSettings::default());
        assert_eq!(parsed.snapshot_after_bytes, default.snapshot_after_bytes);
        assert_eq!(parsed.clock_pause, Duration::from_mins(10));
        let parsed = settings("snapshot_after_bytes = 1_000_000\nclock_pause = \"0s\"").unwrap();
        assert_eq!(parsed.snapshot_after_bytes, 1_000_000);
        assert_eq!(parsed.clock_pause, Duration::ZERO);
    }

    #[test]
    fn unknown_settings_are_rejected() {
        for wrong in [
            "clock_pause = \"soon\"",
            "clock_pause = \"8d\"",
            "pause = 1",
            "snapshot_after_bytes = 1",
        ] {
            assert!(settings(wrong).is_err(), "{wrong}");
        }
    }
}
