//! Records that the store writes for itself, between those of what happened.
//!
//! A store that was stopped says so in its last record, and which epoch its versions had. Whoever
//! opens it next goes on in that epoch, and says first that it has started: after a crash the last
//! record is another one, and the epoch a new one.

/// The types of these records; those of events are lower.
const STARTED: u8 = 0xF0;
const STOPPED: u8 = 0xF1;

/// A record of the store's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Own {
    /// A server has opened the store.
    Started,
    /// It was closed, and nothing is missing.
    Stopped {
        /// Of the versions that were shown.
        epoch: u64,
    },
}

impl Own {
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

    /// `None`: it is none of these.
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

    /// The epoch that goes on behind it.
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
    fn they_are_read_as_they_were_written() {
        for own in [
            Own::Started,
            Own::Stopped {
                epoch: u64::MAX - 1,
            },
        ] {
            let bytes = own.encode();
            assert_eq!(Own::decode(&bytes), Some(own));
        }
        assert_eq!(Own::decode(&[STOPPED, 1]), None);
        assert_eq!(Own::decode(&[4]), None);
    }
}
