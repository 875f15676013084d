//! Merges the top of a board: one merge at a time, and only if no other server has merged it.

use std::sync::{Arc, OnceLock};

use board::{Kind, Window};
use pacing::{STEP, spend};
use shard_router::{KnownBoard, TRACE_TARGET};
use shard_store::StoreError;
use tokio::time::Instant;
use tracing::Instrument as _;

use super::kept::KeptResponses;
use super::share::{MergeRequest, SharedMerge};
use super::snapshot::{Key, Need, Rendered, Shape, Snapshot};
use crate::consistent_read::consistent_read;
use crate::error::ReadError;
use crate::gather::{Cut, Gathered, Want};
use crate::merger::Merger;
use crate::ranks::RankedEntry;
use crate::read_context::ReadContext;
use crate::version::Version;

impl Merger {
    /// Returns a snapshot that began late enough: from another caller or server, or merged now.
    /// `None`: this incarnation of the board has ended.
    pub(super) async fn merged(
        &self,
        record: Arc<KnownBoard>,
        kind: &Arc<Kind>,
        key: Key,
        need: Need,
    ) -> Result<Option<Arc<Snapshot>>, ReadError> {
        let flight = self.boards.merges.at(&key);
        let mut has_waited = false;
        let wait = || {
            has_waited = true;
            self.counters.count_wait();
        };
        let mut last = flight.enter(wait).await;
        let of_last = match &*last {
            Some((began, Err(error))) if *began >= need.not_before => return Err(error.clone()),
            Some((_, Ok(snapshot))) => Some(snapshot.clone()),
            _ => None,
        };
        let known = of_last.or_else(|| self.boards.snapshots.get(&key));
        if let Some(snapshot) = &known
            && snapshot.activity == record.activity
            && (snapshot.serves(kind, need)
                || has_waited && snapshot.serves_waiting_read(kind, need))
        {
            return Ok(known);
        }
        if known.is_none() {
            // The board is known to have been created.
            self.boards.uncreated.invalidate(&record.name);
        }
        let began = Instant::now();
        let request = MergeRequest {
            record,
            kind,
            key,
            need,
            known: known.as_deref(),
        };
        let merged = match self.taken_or_merged(request).await {
            Ok(snapshot) => Ok(snapshot),
            Err(StoreError::IncarnationEnded | StoreError::SettingsChanged) => return Ok(None),
            Err(error) => Err(ReadError::from(error)),
        };
        if let Ok(snapshot) = &merged {
            let insert = || self.boards.snapshots.insert(key, snapshot.clone());
            self.boards.changes.change(&key, insert);
            self.boards.shown.record(&key);
        }
        *last = Some((began, merged.clone()));
        merged.map(Some)
    }

    async fn taken_or_merged(
        &self,
        request: MergeRequest<'_>,
    ) -> Result<Arc<Snapshot>, StoreError> {
        let held = match self.take(&request).await {
            SharedMerge::Taken(snapshot) => return Ok(snapshot),
            SharedMerge::Merge(held) => held,
        };
        let MergeRequest {
            record,
            kind,
            key: (_, window),
            known,
            ..
        } = request;
        let span = tracing::trace_span!(
            target: TRACE_TARGET,
            "merge",
            megaboard.board = %record.name,
            megaboard.shards = i64::from(record.shards.get()),
        );
        let merging = self.counters.begin_merge();
        let merged = self.merge(record, kind, window, known).instrument(span);
        let merged = merged.await;
        let has_changed =
            |snapshot: &Snapshot| known.is_none_or(|known| known.version != snapshot.version);
        merging.end(merged.as_ref().map(has_changed));
        let snapshot = Arc::new(merged?);
        if let Some(held) = held {
            held.publish(snapshot.clone()).await;
        }
        Ok(snapshot)
    }

    async fn merge(
        &self,
        record: Arc<KnownBoard>,
        kind: &Arc<Kind>,
        window: Window,
        known: Option<&Snapshot>,
    ) -> Result<Snapshot, StoreError> {
        let (seen, began) = (self.now(), Instant::now());
        let activity = record.activity;
        let shape = Shape::of(kind);
        let known_alike = known.filter(|known| known.shape == shape && known.activity == activity);
        let context = self.context(record, kind, window, seen);
        let gathered = consistent_read(context, |context| gathered(context, known_alike)).await?;
        let Some((vector, gathered)) = gathered else {
            let known = known_alike.expect("only what is known is unchanged");
            let as_of = self.shown_as_of(kind, window, &activity, seen, &known.vector);
            let as_of = as_of.await;
            return Ok(known.seen_again(as_of, began, as_of != seen, false));
        };
        let as_of = self.shown_as_of(kind, window, &activity, seen, &vector);
        let as_of = as_of.await;
        let Gathered {
            members, entries, ..
        } = gathered;
        if known.is_some_and(|known| !vector.follows(&known.vector)) {
            return Err(StoreError::Unavailable(
                "a shard has returned an older version than before".to_owned(),
            ));
        }
        let rendered = self.rendered(kind, &entries).await;
        Ok(Snapshot {
            version: vector.text(),
            as_of,
            activity,
            members,
            kept: KeptResponses::of(rendered.bytes.len()),
            rendered,
            profiles: None,
            vector,
            shape,
            began,
            unsettled: as_of != seen,
            durable: OnceLock::new(),
            taken: false,
        })
    }

    /// Renders entries, in steps.
    async fn rendered(&self, kind: &Kind, entries: &[RankedEntry]) -> Rendered {
        let mut parts = Vec::new();
        for entries in entries.chunks(STEP) {
            spend(entries.len()).await;
            parts.push((self.settings.renderer)(kind, entries));
        }
        Rendered::joined(parts)
    }
}

/// Returns the top and its version; `None` if nothing has changed since `known`.
async fn gathered(
    context: ReadContext<'_>,
    known: Option<&Snapshot>,
) -> Result<Option<(Version, Gathered)>, StoreError> {
    let want = Want::Around {
        before: 0,
        after: context.kind.top() as u64,
    };
    let gathered = match known {
        Some(known) => {
            context
                .gather_unless(&Cut::Top, want, &known.vector)
                .await?
        }
        None => Some(context.gather(&Cut::Top, want, None).await?),
    };
    let versioned = gathered.map(|mut gathered| {
        let versions = std::mem::take(&mut gathered.versions);
        (context.version_of(versions), gathered)
    });
    Ok(versioned)
}
