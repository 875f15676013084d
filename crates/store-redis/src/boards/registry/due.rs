//! Boards that are due: claimed and swept by one server at a time.

use redis_nodes::registry_key;
use std::time::Duration;

use board::{BoardName, Timestamp};
use bytes::Bytes;

use super::{Registry, text};
use crate::boards::wire::{Garbled, Unpack};
use shard_store::StoreError;

/// How long a claim lasts, by the clock of the sweep. Then another server may take the board.
const CLAIMED: Duration = Duration::from_mins(1);

/// Boards that were due, and are claimed by this server.
#[derive(Debug)]
pub(crate) struct Claimed {
    pub(crate) boards: Vec<BoardName>,
    /// Their due time until it is set again.
    mark: Bytes,
}

impl Registry {
    /// Claims up to `limit` boards that are due.
    pub(crate) async fn take_due(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Claimed, StoreError> {
        let _alone = self.taking.lock().await;
        let name = format!("call:{}:take", self.session.name());
        // Half a millisecond, which no other time has.
        let mark = text(format_args!("{}.5", now.plus(CLAIMED).millis()));
        let args = vec![
            text(self.session.next_call()),
            text(now.millis()),
            mark.clone(),
            text(limit),
        ];
        let keys = vec![registry_key("due"), registry_key(&name)];
        let answer = self.write("take_due", keys, args).await?;
        let boards = names(&answer).map_err(Garbled::in_doubt)?;
        Ok(Claimed { boards, mark })
    }

    /// Sets when claimed boards are due next; `None` for those that no longer exist.
    pub(crate) async fn set_due(
        &self,
        claimed: &Claimed,
        next: &[(&BoardName, Option<Timestamp>)],
    ) -> Result<(), StoreError> {
        let mut args = vec![claimed.mark.clone()];
        for (name, due) in next {
            args.push(text(name));
            args.push(due.map_or(Bytes::from_static(b"-"), |due| text(due.millis())));
        }
        self.write("set_due", vec![registry_key("due")], args)
            .await?;
        Ok(())
    }
}

fn names(answer: &[u8]) -> Result<Vec<BoardName>, Garbled> {
    let mut answer = Unpack::new(answer);
    let count = answer.array()?;
    let names = (0..count).map(|_| {
        answer
            .text()?
            .parse()
            .map_err(|_| Garbled("no board's name"))
    });
    names.collect()
}
