//! [`LifecycleRecord`]: records of starts and stops, among the records of events.
//!
//! A store that was stopped records that, and the epoch of its versions, in its last record. The
//! next start continues in that epoch and first records that it has started: after a crash the last
//! record is a different one, and the epoch a new one.

/// The types of these records; those of events are smaller numbers.
const STARTED: u8 = 0xF0;
const STOPPED: u8 = 0xF1;

/// A record of a start or a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LifecycleRecord {
    /// A server has opened the store.
    Started,
    /// The store was closed, and nothing is missing.
    Stopped {
        /// The epoch of the versions that were shown.
        epoch: u64,
    },
}

impl LifecycleRecord {
    pub(crate) fn encode(self) -> Vec<u8> {
        match self {
            Self::Started => vec![STARTED],
            Self::Stopped { epoch } => {
                let mut bytes = vec![STOPPED];
                bytes.extend(epoch.to_le_bytes());
                bytes
            }
        }
    }

    /// Decodes a record. `None`: it is not one of these.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [STARTED] => Some(Self::Started),
            [STOPPED, epoch @ ..] => {
                let epoch = u64::from_le_bytes(epoch.try_into().ok()?);
                Some(Self::Stopped { epoch })
            }
            _ => None,
        }
    }

    /// Returns the epoch that continues after this record.
    pub(crate) const fn epoch(self) -> Option<u64> {
        match self {
            Self::Started => None,
            Self::Stopped { epoch } => Some(epoch),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_as_they_were_written() {
        for own in [
            LifecycleRecord::Started,
            LifecycleRecord::Stopped {
                epoch: u64::MAX - 1,
            },
        ] {
            let bytes = own.encode();
            assert_eq!(LifecycleRecord::decode(&bytes), Some(own));
        }
        assert_eq!(LifecycleRecord::decode(&[STOPPED, 1]), None);
        assert_eq!(LifecycleRecord::decode(&[4]), None);
    }
}
