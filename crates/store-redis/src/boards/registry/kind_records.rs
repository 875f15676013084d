//! Kinds as the registry stores them, and a cache of the last ones that were read: [`ReadKinds`].

use std::collections::HashMap;
use std::sync::Arc;

use board::KindName;
use bytes::Bytes;

use crate::boards::wire::Garbled;
use shard_store::kind_text;
use shard_store::{KindRecord, Revision};

/// The kinds that were read last: most have the same text the next time.
#[derive(Debug, Default)]
pub(super) struct ReadKinds {
    by_name: HashMap<KindName, (Box<str>, KindRecord)>,
}

impl ReadKinds {
    /// Returns the record of this text.
    pub(super) fn record(&mut self, name: &str, text: &str) -> Result<KindRecord, Garbled> {
        if let Some((read, record)) = self.by_name.get(name)
            && **read == *text
        {
            return Ok(record.clone());
        }
        let record = parse(name, text)?;
        let read = (text.into(), record.clone());
        self.by_name.insert(record.name.clone(), read);
        Ok(record)
    }
}

/// Reads `REVISION MEANING JSON`, or `REVISION - ` of a deleted kind.
pub(super) fn parse(name: &str, text: &str) -> Result<KindRecord, Garbled> {
    let mut words = text.splitn(3, ' ');
    let mut word = || words.next().ok_or(Garbled("no kind's record"));
    let (revision, meaning, json) = (word()?, word()?, word()?);
    let kind = if meaning == "-" {
        None
    } else {
        let kind = kind_text::decode_kind(json).map_err(|error| {
            tracing::error!(kind = name, %error, "the registry has a kind that this server cannot read");
            Garbled("a kind that this server cannot read")
        })?;
        if format!("{:016x}", kind.meaning().0) != meaning {
            return Err(Garbled("a kind that means something else here"));
        }
        Some(Arc::new(kind))
    };
    Ok(KindRecord {
        name: name.parse().map_err(|_| Garbled("no kind's name"))?,
        revision: Revision(revision.parse().map_err(|_| Garbled("no revision"))?),
        kind,
    })
}

/// Writes the text that [`parse`] reads.
pub(super) fn written(record: &KindRecord) -> Bytes {
    let Some(kind) = &record.kind else {
        return format!("{} - ", record.revision.0).into();
    };
    let (revision, meaning) = (record.revision.0, kind.meaning().0);
    format!("{revision} {meaning:016x} {}", kind_text::encode_kind(kind)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_kind_text_is_refused() {
        let mut read = ReadKinds::default();
        assert!(read.record("gifts", "3 - ").unwrap().kind.is_none());
        for wrong in ["", "3", "3 -", "x - ", "3 00 {}"] {
            assert!(read.record("gifts", wrong).is_err(), "{wrong:?}");
        }
        assert!(read.record("GIFTS", "3 - ").is_err());
    }
}
