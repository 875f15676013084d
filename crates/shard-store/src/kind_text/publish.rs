//! The JSON form of a kind's publication.

use board::{KeyTemplate, Period, Publication, PublishAt};
use serde::{Deserialize, Serialize};

use super::parts::{Millis, Text};

/// A publication, setting by setting.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PublishText {
    /// The name of a configured server; in earlier versions its address.
    store: Text<PublishAt>,
    key: Text<KeyTemplate>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    windows: Vec<Text<Period>>,
    encoding: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    top: Option<u64>,
    every_ms: Millis,
}

impl From<&Publication> for PublishText {
    fn from(publication: &Publication) -> Self {
        let windows = publication.windows.iter().copied();
        Self {
            store: Text(publication.at.clone()),
            key: Text(publication.key.clone()),
            windows: windows.map(Text).collect(),
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
            at: text.store.0,
            key: text.key.0,
            windows: windows.map(|Text(period)| period).collect(),
            encoding: text.encoding,
            top: text.top,
            every: text.every_ms.0,
        }
    }
}
