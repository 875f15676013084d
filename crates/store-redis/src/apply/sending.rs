//! From parts to a call, and to its outcome.

use std::sync::Arc;

use board::{Timestamp, Window};
use bytes::Bytes;
use futures::FutureExt;
use tokio::time::Instant;

use super::answer::CallOutcomes;
use super::lane::Lanes;
use super::part::BatchPart;
use super::windows::CallWindows;
use super::{items, single};
use crate::boards::keys::ShardKeys;
use crate::boards::registry::activity_text;
use crate::boards::rules;
use crate::boards::session::Session;
use crate::boards::wire::{Garbled, Pack};
use crate::lists::{self, List, Refill};
use redis_nodes::{Backlog, Call, Effect, FunctionReply, Location, Refusal};
use shard_store::{BoardRecord, Change, Outcome, StoreError};

/// The maximum number of times that a removal is sent with windows that were opened since.
const DECLARED_MAX: usize = 16;

/// The outcome of parts that were sent.
pub(super) struct Sent {
    /// One for each of their items.
    pub(super) outcomes: Vec<Outcome>,
    /// The refills of lists that may lack members.
    pub(super) refills: Vec<Refill>,
}

impl Lanes {
    /// Returns the backlog of writes of the shard's node, if the node is known and connected.
    pub(super) fn backlog(&self, board: &BoardRecord, shard: u16) -> Option<Arc<Backlog>> {
        let place = self.parts.incarnations.place_at_hand(board, shard)?;
        self.parts.servers.writes_backlog(place)
    }

    /// Sends the parts as one call.
    pub(super) async fn send(
        &self,
        board: &BoardRecord,
        shard: u16,
        parts: &[BatchPart],
    ) -> Result<Sent, StoreError> {
        let kind = &parts[0].kind;
        let now = latest(parts);
        // The lane may have begun under another activity.
        let seen;
        let board = if board.activity == parts[0].activity {
            board
        } else {
            seen = BoardRecord {
                activity: parts[0].activity,
                ..board.clone()
            };
            &seen
        };
        let incarnations = &self.parts.incarnations;
        let epoch = incarnations.epoch();
        let place = incarnations.place_to_write(board, shard, kind, now).await?;
        let until = parts.iter().map(|part| part.until.at).min();
        let closes = parts.iter().filter_map(|part| part.until.closes_at).min();
        let waits_until = parts
            .iter()
            .filter_map(|part| part.until.wait_ends_at)
            .max();
        let session = match waits_until {
            Some(_) => &self.waiting_session,
            None => &*self.parts.session,
        };
        let sending = Sending {
            lanes: self,
            board,
            shard,
            parts,
            keys: ShardKeys::new(board, shard),
            place,
            session,
            seq: session.next_call(),
            until: until.unwrap_or_else(Instant::now),
            waits_until,
            closes,
        };
        let answered = sending.send().await;
        if matches!(answered, Err(StoreError::Unknown(_))) && sending.may_mark_lists() {
            incarnations.due(board);
        }
        let answered = answered?;
        self.ids.note(&board.name, shard, answered.ids);
        let refills = sending.refill(&answered.short);
        incarnations.still_on(board, epoch).await?;
        if !answered.opened.is_empty() {
            incarnations
                .opened(board, kind, &answered.opened, now)
                .await;
        }
        Ok(Sent {
            outcomes: answered.outcomes,
            refills,
        })
    }
}

fn latest(parts: &[BatchPart]) -> Timestamp {
    let times = parts.iter().map(|part| part.now);
    times.max().unwrap_or(Timestamp::from_millis(0))
}

/// One call, which may be sent again in another form: what is the same each time.
struct Sending<'a> {
    lanes: &'a Lanes,
    board: &'a BoardRecord,
    shard: u16,
    parts: &'a [BatchPart],
    keys: ShardKeys,
    place: Location,
    session: &'a Session,
    seq: u64,
    until: Instant,
    waits_until: Option<Instant>,
    closes: Option<Instant>,
}

impl Sending<'_> {
    /// Sends the call. Its number stays the same: if one form was applied, no other is.
    async fn send(&self) -> Result<CallOutcomes, StoreError> {
        let mut windows = CallWindows::of(self.parts);
        let ids_max = self.lanes.ids.limit;
        if let Some((folded, ids)) = single::arguments(self.parts, &windows, ids_max) {
            let args = [Some(self.head(&windows, true)), Some(folded), ids];
            match self.call("single", &windows, args).await? {
                Err(refusal) if refusal.code == "ITEMS" => {}
                answer => return self.read(answer, &windows),
            }
        }
        for _ in 0..DECLARED_MAX {
            let args = [
                Some(self.head(&windows, false)),
                Some(items::terms(self.parts, &windows)),
                Some(items::columns(self.parts, &windows)),
                items::ids(self.parts, ids_max),
            ];
            match self.call("apply", &windows, args).await? {
                Err(refusal) if refusal.code == "WINDOWS" => {
                    // It refused: nothing was applied.
                    windows.declare(&refusal.payload)?;
                }
                answer => return self.read(answer, &windows),
            }
        }
        let busy = "windows are opened faster than a member is removed from them";
        Err(StoreError::Unavailable(busy.to_owned()))
    }

    /// Returns whether the call may mark lists.
    fn may_mark_lists(&self) -> bool {
        let mut items = self.parts.iter().flat_map(|part| &part.items);
        self.parts[0].kind.retain().is_some()
            && items.any(|item| !matches!(item.change, Change::Fold(_)))
    }

    /// Starts the refills of lists that may lack members.
    fn refill(&self, short: &[Window]) -> Vec<Refill> {
        let lists = short.iter().map(|window| List {
            board: self.board.clone(),
            shard: self.shard,
            kind: self.parts[0].kind.clone(),
            place: self.place,
            window: *window,
        });
        lists
            .filter_map(|list| self.lanes.refills.start(list))
            .collect()
    }

    /// Returns the arguments of both functions: the caller, the rules, the windows.
    fn head(&self, windows: &CallWindows, single: bool) -> Bytes {
        let kind = &self.parts[0].kind;
        let mut pack = Pack::default();
        pack.raw(self.session.name().as_bytes());
        pack.int(i64::try_from(self.seq).unwrap_or(i64::MAX));
        pack.raw(activity_text(&self.parts[0].activity).as_bytes());
        pack.raw(&rules::spec(kind.rules()));
        let now = latest(self.parts);
        if single {
            pack.int(now.millis());
        }
        let earliest = self.parts.iter().map(|part| part.now).min();
        windows.pack(&mut pack, kind, earliest.unwrap_or(now));
        if let Some((keep, trim_at)) = lists::bounds(kind) {
            pack.int(keep).int(trim_at);
        }
        pack.done()
    }

    /// Returns the reply, or a refusal that the caller handles.
    async fn call<const N: usize>(
        &self,
        function: &'static str,
        windows: &CallWindows,
        args: [Option<Bytes>; N],
    ) -> Result<Result<FunctionReply, Refusal>, StoreError> {
        let keys = windows.keys(&self.parts[0].kind, &self.keys);
        let args = args.into_iter().flatten().collect();
        let call = Call {
            waits_until: self.waits_until,
            closes: self.closes,
            ..Call::new(function, Effect::Write, keys, args, self.until)
        };
        let incarnations = &self.lanes.parts.incarnations;
        let shards = [self.shard];
        let called = incarnations.call(self.board, &shards, self.place, &call);
        called.boxed().await
    }

    fn read(
        &self,
        answer: Result<FunctionReply, Refusal>,
        windows: &CallWindows,
    ) -> Result<CallOutcomes, StoreError> {
        match answer {
            Ok(answer) => {
                let ids_max = self.lanes.ids.limit;
                CallOutcomes::read(&answer.payload, self.parts, windows, ids_max)
                    .map_err(Garbled::in_doubt)
            }
            // A later call of this server was applied: this one may have been, before that.
            Err(refusal) if refusal.code == "OLD" => {
                Err(StoreError::Unknown("the call was overtaken".to_owned()))
            }
            Err(refusal) => {
                let incarnations = &self.lanes.parts.incarnations;
                Err(incarnations.refused(self.board, refusal))
            }
        }
    }
}
