//! `[embedded]`: what a store in a folder is told beside where it is.

use std::time::Duration;

use serde::{Deserialize, Deserializer};
use store_local::EmbeddedSettings;

/// The section, setting by setting; what is left out is as [`EmbeddedSettings`] has it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct EmbeddedSection {
    #[serde(deserialize_with = "snapshot_after_bytes")]
    snapshot_after_bytes: Option<u64>,
    #[serde(deserialize_with = "pause")]
    clock_pause: Option<Duration>,
}

/// The longest pause.
const CLOCK_PAUSE_MAX: Duration = Duration::from_hours(7 * 24);

/// The least journal behind a snapshot: below, snapshots are all that a disk does.
const SNAPSHOT_AFTER_BYTES_MIN: u64 = 64 << 10;

fn snapshot_after_bytes<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    let bytes = u64::deserialize(deserializer)?;
    if bytes < SNAPSHOT_AFTER_BYTES_MIN {
        let wrong = format!("it is less than {SNAPSHOT_AFTER_BYTES_MIN}");
        return Err(serde::de::Error::custom(wrong));
    }
    Ok(Some(bytes))
}

/// A duration as people write it: `10m`, `0s`.
fn pause<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let pause = humantime::parse_duration(&text)
        .map_err(|_| serde::de::Error::custom("it is not a duration such as 10m"))?;
    if pause > CLOCK_PAUSE_MAX {
        return Err(serde::de::Error::custom("it is more than 7 days"));
    }
    Ok(Some(pause))
}

impl EmbeddedSection {
    /// These settings, with what the section changes of them.
    pub(crate) fn settings(&self) -> EmbeddedSettings {
        let default = EmbeddedSettings::default();
        let after_bytes = self.snapshot_after_bytes;
        EmbeddedSettings {
            snapshot_after_bytes: after_bytes.unwrap_or(default.snapshot_after_bytes),
            clock_pause: self.clock_pause.unwrap_or(default.clock_pause),
            ..default
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Result<EmbeddedSettings, toml::de::Error> {
        toml::from_str::<EmbeddedSection>(text).map(|section| section.settings())
    }

    #[test]
    fn what_is_left_out_is_the_default() {
        let (told, default) = (settings("").unwrap(), EmbeddedSettings::default());
        assert_eq!(told.snapshot_after_bytes, default.snapshot_after_bytes);
        assert_eq!(told.clock_pause, Duration::from_mins(10));
        let told = settings("snapshot_after_bytes = 1_000_000\nclock_pause = \"0s\"").unwrap();
        assert_eq!(told.snapshot_after_bytes, 1_000_000);
        assert_eq!(told.clock_pause, Duration::ZERO);
    }

    #[test]
    fn what_is_no_setting_is_refused() {
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
