//! What an import asks its server about an earlier one: [`Server`].

use std::collections::BTreeSet;
use std::time::Duration;

use megaboard_client::{BoardName, ProblemType};

use crate::delivery::Halt;
use crate::reads::Reads;
use crate::server::dedupe_of;

/// The server. Each question ends at a signal.
pub(super) struct Server<'a>(pub(super) Reads<'a>);

impl Server<'_> {
    /// Returns the incarnation of a board: the first part of its versions; empty if there is no such board, or no such
    /// kind. `None` if it cannot be read.
    pub(super) fn incarnation_of(&self, board: &str) -> Result<Option<String>, Halt> {
        let Ok(name) = board.parse::<BoardName>() else {
            return Ok(None);
        };
        Ok(match self.0.wait(self.0.client.board_named(name).info())? {
            Ok(info) => {
                let parts = info.envelope.version.split_once('.');
                Some(parts.map_or_else(String::new, |(incarnation, _)| incarnation.to_owned()))
            }
            Err(error) => error.is(&ProblemType::UnknownKind).then(String::new),
        })
    }

    /// Returns how long a kind remembers ids, if it can be read.
    fn dedupe_of(&self, kind: &str) -> Result<Option<Duration>, Halt> {
        let kind = self.0.wait(self.0.client.kind(kind))?;
        Ok(kind.ok().and_then(|kind| dedupe_of(&kind)))
    }

    /// Returns whether the server has none of these boards any more, each given with its incarnation.
    pub(super) fn are_gone(&self, boards: &[(String, String)]) -> Result<bool, Halt> {
        for (board, incarnation) in boards {
            let now = self.incarnation_of(board)?;
            if now.is_none_or(|now| now == *incarnation) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether ids of these kinds are remembered for longer than this. If that cannot be read, they are not.
    pub(super) fn remembers(&self, kinds: &BTreeSet<String>, age: Duration) -> Result<bool, Halt> {
        for kind in kinds {
            if self.dedupe_of(kind)?.is_none_or(|span| age >= span) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
