//! The JSON form of a kind's publication.

use board::{KeyTemplate, Period, Publication, TargetName};
use serde::{Deserialize, Serialize};

use super::parts::{Millis, Text};

/// A publication, setting by setting.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PublishText {
    target: Text<TargetName>,
    key: Text<KeyTemplate>,
    windows: Vec<Text<Period>>,
    encoding: String,
    top: Option<u64>,
    every_ms: Millis,
}

impl From<&Publication> for PublishText {
    fn from(publication: &Publication) -> Self {
        let windows = publication.windows.iter().copied();
        Self {
            target: Text(publication.target.clone()),
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
            target: text.target.0,
            key: text.key.0,
            windows: windows.map(|Text(period)| period).collect(),
            encoding: text.encoding,
            top: text.top,
            every: text.every_ms.0,
        }
    }
}
