//! Compares sorted sets with scores while servers continue, and repairs them.
//!
//! [`Verifier`] goes through a shard in small steps, each at one moment: first each entry of a
//! sorted set, then each score. With repair, the findings of a step are repaired at once, by a call
//! that checks each again and so has the same result however often it is sent. `finding` describes
//! what was found. `orphans` looks for keys that belong to no board.
//!
//! Not here: windows of which nothing is left. A window from which all members were removed looks
//! the same.

mod finding;
mod orphans;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use board::{Kind, Rules, Window};
use bytes::Bytes;
use tokio::time::Instant;

use super::lists::{self, List};
use super::read::{self, Reader};
use crate::boards::keys::{ShardKeys, window_name};
use crate::boards::parts::Parts;
use crate::boards::rules::spec;
use crate::boards::wire::{Garbled, Pack, Unpack};
use finding::{Fault, Findings, ShardFault};
use redis_nodes::{Call, Effect};
use shard_store::{BoardRecord, IndexMismatch, StoreError};

/// The approximate number of members that a step reads; a hash or sorted set that Redis keeps in
/// one piece is read at once. A step delays other calls of the server.
const STEP_MEMBERS: usize = 200;

/// The maximum number of faults that one call repairs.
const MENDED_MAX: usize = 200;

/// Verifies shards.
#[derive(Debug)]
pub(super) struct Verifier {
    parts: Parts,
    reader: Arc<Reader>,
}

/// One window of one shard.
struct VerifiedWindow<'a> {
    board: &'a BoardRecord,
    shard: u16,
    kind: &'a Arc<Kind>,
    window: Window,
    repair: bool,
}

impl VerifiedWindow<'_> {
    fn rules(&self) -> &Rules {
        self.kind.rules()
    }

    fn keys(&self) -> Vec<Bytes> {
        let keys = ShardKeys::new(self.board, self.shard);
        let (scores, rank) = (keys.scores(self.window), keys.rank(self.window));
        let values = self.kind.is_dense().then(|| keys.values(self.window));
        let own = [keys.meta(), scores, rank];
        own.into_iter().chain(values).collect()
    }
}

impl Verifier {
    pub(super) fn new(parts: &Parts, reader: Arc<Reader>) -> Self {
        Self {
            parts: parts.clone(),
            reader,
        }
    }

    /// Returns the differences between a shard's sorted sets and its scores; with `repair` they are
    /// removed.
    pub(super) async fn verify(
        &self,
        board: &BoardRecord,
        shard: u16,
        repair: bool,
    ) -> Result<Vec<IndexMismatch>, StoreError> {
        let kind = self.parts.registry.kind_of(board).await?;
        let mut windows = self.reader.known_windows(board, shard, None).await?;
        windows.sort_unstable();
        let mut findings = Findings::default();
        for window in windows {
            let place = VerifiedWindow {
                board,
                shard,
                kind: &kind,
                window,
                repair,
            };
            self.verify_window(&place, &mut findings).await?;
        }
        Ok(findings.done())
    }

    async fn verify_window(
        &self,
        place: &VerifiedWindow<'_>,
        findings: &mut Findings,
    ) -> Result<(), StoreError> {
        if place.rules().packing().is_some() {
            // Score and order are one: they cannot differ.
            findings.begin(place.window, place.repair);
            return self.walk(place, "verify_packed", findings).await;
        }
        let (scores, ranked) = self.counts(place).await?;
        findings.begin(place.window, place.repair);
        let is_one_sided = (scores == 0) != (ranked == 0);
        if is_one_sided {
            findings.one_sided(scores, ranked);
        }
        // A fault of all members is reported once.
        if !is_one_sided || place.repair {
            self.walk(place, "verify_rank", findings).await?;
            self.walk(place, "verify_scores", findings).await?;
        }
        if place.kind.is_dense() {
            self.walk(place, "verify_values", findings).await?;
            self.walk(place, "verify_counted", findings).await?;
        }
        if place.repair && place.kind.retain().is_some() {
            self.refill(place).await?;
        }
        if findings.is_clean() {
            let (scores, ranked) = self.counts(place).await?;
            // For a list the scores were checked: each has its entry, or is off the list.
            let is_even = match place.kind.retain() {
                Some(_) => scores >= ranked,
                None => scores == ranked,
            };
            if !is_even {
                findings.uneven(scores, ranked);
            }
        }
        Ok(())
    }

    /// Returns the numbers of scores and of ranked members.
    async fn counts(&self, place: &VerifiedWindow<'_>) -> Result<(u64, u64), StoreError> {
        let payload = self.look(place, "verify_counts", Vec::new()).await?;
        let counts = read::counts(&payload, 2)?;
        Ok((counts[0], counts[1]))
    }

    /// Goes through all that a scan returns.
    async fn walk(
        &self,
        place: &VerifiedWindow<'_>,
        function: &'static str,
        findings: &mut Findings,
    ) -> Result<(), StoreError> {
        let mut cursor = Bytes::from_static(b"0");
        loop {
            let step = Bytes::from(STEP_MEMBERS.to_string());
            let mut args = vec![spec(place.rules()), cursor, step];
            if let Some(retain) = place.kind.retain() {
                args.push(Bytes::from(window_name(place.window)));
                args.push(Bytes::from(retain.keep.to_string()));
                args.push(Bytes::from_static(if retain.approximate {
                    b"1"
                } else {
                    b"0"
                }));
            }
            let payload = self.look(place, function, args).await?;
            let step = found_by(place.rules(), &payload)?;
            let found = step.found;
            cursor = step.cursor;
            if place.repair {
                for found in found.chunks(MENDED_MAX) {
                    self.mend(place, found).await?;
                }
            }
            findings.add(found);
            if cursor.as_ref() == b"0" {
                return Ok(());
            }
        }
    }

    /// Repairs what was found, if it still is so.
    async fn mend(
        &self,
        place: &VerifiedWindow<'_>,
        found: &[ShardFault],
    ) -> Result<(), StoreError> {
        if found.iter().all(|found| found.fault == Fault::Garbled) {
            return Ok(());
        }
        let of = |fault: Fault| {
            found
                .iter()
                .filter_map(move |found| found.subject_of(fault))
        };
        let (unheld, uncounted): (Vec<_>, Vec<_>) =
            (of(Fault::Unheld).collect(), of(Fault::Uncounted).collect());
        let entries = found.iter().filter_map(ShardFault::entry);
        let members = found.iter().filter_map(ShardFault::name_to_rank);
        // A step finds faults of entries or of values.
        let (function, off, put) = if unheld.len() + uncounted.len() > 0 {
            ("mend_values", unheld, uncounted)
        } else {
            ("mend", entries.collect(), members.collect())
        };
        let number = self.parts.session.next_call();
        let mut args = vec![
            spec(place.rules()),
            Bytes::from(window_name(place.window)),
            Bytes::from(self.parts.session.name()),
            Bytes::from(number.to_string()),
            packed(&off),
            packed(&put),
        ];
        if let Some(retain) = place.kind.retain() {
            args.push(Bytes::from(retain.trim_at.to_string()));
        }
        let until = Instant::now() + self.parts.settings.write_deadline;
        let call = Call {
            waits_until: Some(until),
            ..Call::new(function, Effect::Write, place.keys(), args, until)
        };
        let incarnations = &self.parts.incarnations;
        let at = incarnations.place(place.board, place.shard).await?;
        let answer = self.parts.servers.call(at, &call).await;
        let answer = answer.map_err(|error| incarnations.failed(place.board, error));
        answer.map(drop)
    }

    /// Refills a list, if it is marked: what was repaired is no longer in the order in which it was
    /// trimmed.
    async fn refill(&self, place: &VerifiedWindow<'_>) -> Result<(), StoreError> {
        let incarnations = &self.parts.incarnations;
        let list = List {
            board: place.board.clone(),
            shard: place.shard,
            kind: place.kind.clone(),
            place: incarnations.place(place.board, place.shard).await?,
            window: place.window,
        };
        lists::refill(&self.parts, &list, |_| ()).await
    }

    async fn look(
        &self,
        place: &VerifiedWindow<'_>,
        function: &'static str,
        args: Vec<Bytes>,
    ) -> Result<Bytes, StoreError> {
        let keys = place.keys();
        let (reader, shard) = (&self.reader, place.shard);
        let answer = reader.look(place.board, shard, function, keys, args);
        Ok(answer.await?.payload)
    }
}

/// The result of one step of a scan.
struct ScanStep {
    cursor: Bytes,
    found: Vec<ShardFault>,
}

fn found_by(rules: &Rules, payload: &[u8]) -> Result<ScanStep, Garbled> {
    let mut answer = Unpack::new(payload);
    if answer.array()? != 2 {
        return Err(Garbled("no step"));
    }
    let cursor = Bytes::copy_from_slice(answer.raw()?);
    let count = answer.array()? / 2;
    let found = (0..count).map(|_| ShardFault::new(rules, answer.text()?, answer.raw()?));
    let found = found.collect::<Result<_, _>>()?;
    Ok(ScanStep { cursor, found })
}

fn packed(texts: &[&[u8]]) -> Bytes {
    let mut pack = Pack::default();
    pack.array(texts.len());
    for text in texts {
        pack.raw(text);
    }
    pack.done()
}
