//! Two sorted sets, for the scores and the times: [`TwoSets`].
//!
//! One has the score of each member, the other the time, both plain. Redis orders neither set by both: readers fetch a
//! range by score and order its ties by the times. Commands on two keys are not atomic, unless a transaction or a
//! script combines them.

use board::Timestamp;

use crate::countdown::Unit;
use crate::error::{DecodeError, EncodeError};
use crate::number::{exact, whole};

/// `two-sets(time-key=leaderboard:339:time, unit=s)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TwoSets {
    pub(crate) time_key: String,
    pub(crate) unit: Unit,
}

impl TwoSets {
    /// Returns the key of the set of times.
    #[must_use]
    pub fn time_key(&self) -> &str {
        &self.time_key
    }

    /// Returns the score in the set of times.
    pub(crate) fn time_score(&self, at: Timestamp) -> Result<f64, EncodeError> {
        let (earliest, latest) = (Timestamp::EARLIEST, Timestamp::LATEST);
        if (earliest..=latest).contains(&at) {
            return Ok(exact(self.unit.count(at)));
        }
        Err(EncodeError::Time {
            at,
            earliest,
            latest,
        })
    }

    /// Decodes a score in the set of times.
    pub(crate) fn time(&self, score: f64) -> Result<Timestamp, DecodeError> {
        let count = i64::try_from(whole(score)?).unwrap_or(i64::MAX);
        self.unit.moment(count)
    }
}
