//! Kinds as JSON text, in journals, snapshots and Redis: written rarely, and readable for people.
//!
//! The settings are those of [`KindSpec`], as serde derives them: all of them, including defaults, which may change. An
//! unknown setting is rejected, since it may change the meaning of boards. What this form and that of the API share,
//! and why they are two: `docs/decisions/0013-the-forms-of-a-kind.md`. A golden text is in the tests of `store-local`.
//!
//! A deleted kind has `"kind":null`. A window that was added has `since`. `hidden` are the names of hidden members.

use std::borrow::Cow;
use std::sync::Arc;

use board::{Hidden, Kind, KindName, KindSpec, Member};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::contract::{KindRecord, Revision};

/// A kind's record.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredRecord<'a> {
    name: Cow<'a, KindName>,
    revision: u64,
    kind: Option<StoredKind<'a>>,
}

/// A kind.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredKind<'a> {
    settings: Cow<'a, KindSpec>,
    hidden: Vec<Cow<'a, Member>>,
}

/// Why a text is not a kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a kind: {0}")]
pub struct KindTextError(pub String);

/// Returns the text of a kind's record.
#[must_use]
pub fn encode_record(record: &KindRecord) -> String {
    text_of(&StoredRecord {
        name: Cow::Borrowed(&record.name),
        revision: record.revision.0,
        kind: record.kind.as_deref().map(StoredKind::from),
    })
}

/// Returns the text of a kind.
#[must_use]
pub fn encode_kind(kind: &Kind) -> String {
    text_of(&StoredKind::from(kind))
}

fn text_of(stored: &impl Serialize) -> String {
    serde_json::to_string(stored).expect("texts and numbers are JSON")
}

/// Parses a kind's record.
pub fn decode_record(json: &str) -> Result<KindRecord, KindTextError> {
    let stored: StoredRecord<'_> = serde_json::from_str(json).map_err(invalid)?;
    let kind = stored.kind.map(Kind::try_from).transpose()?;
    if kind
        .as_ref()
        .is_some_and(|kind| *kind.name() != *stored.name)
    {
        return Err(invalid("a kind's record has the kind of another"));
    }
    Ok(KindRecord {
        name: stored.name.into_owned(),
        revision: Revision(stored.revision),
        kind: kind.map(Arc::new),
    })
}

/// Parses a kind.
pub fn decode_kind(json: &str) -> Result<Kind, KindTextError> {
    let stored: StoredKind<'_> = serde_json::from_str(json).map_err(invalid)?;
    stored.try_into()
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "callers pass it to `map_err`"
)]
fn invalid(error: impl ToString) -> KindTextError {
    KindTextError(error.to_string())
}

impl<'a> From<&'a Kind> for StoredKind<'a> {
    fn from(kind: &'a Kind) -> Self {
        Self {
            settings: Cow::Borrowed(kind.spec()),
            hidden: kind.hidden().iter().map(Cow::Borrowed).collect(),
        }
    }
}

impl TryFrom<StoredKind<'_>> for Kind {
    type Error = KindTextError;

    fn try_from(stored: StoredKind<'_>) -> Result<Self, KindTextError> {
        let kind = Self::new(stored.settings.into_owned()).map_err(invalid)?;
        let hidden = stored.hidden.into_iter().map(Cow::into_owned);
        Ok(kind.hiding(Hidden::new(hidden).map_err(invalid)?))
    }
}

/// Writes a record as its text, for `#[serde(with = "kind_text")]`.
#[expect(clippy::ptr_arg, reason = "serde passes the field")]
pub fn serialize<S: Serializer>(record: &Cow<'_, KindRecord>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&encode_record(record))
}

/// Reads what [`serialize`] writes.
pub fn deserialize<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Cow<'static, KindRecord>, D::Error> {
    let json = <&str>::deserialize(from)?;
    let record = decode_record(json).map_err(|error| {
        // A binary format keeps no reason.
        tracing::error!(%error, json, "a stored kind is invalid");
        D::Error::custom(error)
    });
    record.map(Cow::Owned)
}
