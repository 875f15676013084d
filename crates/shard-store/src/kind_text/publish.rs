//! The JSON form of a kind's publication.

use board::{KeyTemplate, Period, Publication, PublishAt};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::parts::{Millis, display};

/// A publication, setting by setting.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PublishText {
    /// The name of a configured server; in earlier versions its address.
    #[serde(with = "display")]
    store: PublishAt,
    #[serde(with = "display")]
    key: KeyTemplate,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    windows: Vec<PeriodText>,
    encoding: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    top: Option<u64>,
    every_ms: Millis,
}

#[derive(Debug)]
struct PeriodText(Period);

impl Serialize for PeriodText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        display::serialize(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for PeriodText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        display::deserialize(deserializer).map(Self)
    }
}

impl From<&Publication> for PublishText {
    fn from(publication: &Publication) -> Self {
        let windows = publication.windows.iter().copied();
        Self {
            store: publication.at.clone(),
            key: publication.key.clone(),
            windows: windows.map(PeriodText).collect(),
            encoding: publication.encoding.clone(),
            top: publication.top,
            every_ms: Millis(publication.every),
        }
    }
}

impl From<PublishText> for Publication {
    fn from(text: PublishText) -> Self {
        let windows = text.windows.into_iter();
        Self {
            at: text.store,
            key: text.key,
            windows: windows.map(|PeriodText(period)| period).collect(),
            encoding: text.encoding,
            top: text.top,
            every: text.every_ms.0,
        }
    }
}
