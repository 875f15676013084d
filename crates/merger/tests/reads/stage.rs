//! [`Stage`]: a board, and everything that it is written and read through.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use board::{BoardName, Kind, Member, Subject, Timestamp};
use bytes::Bytes;
use merger::{Merger, RankedEntry, ReadError, Rendered, Settings, TopView};
use shard_router::{KnownKind, Router, Write, WriteOutcome};
use shard_store::{Change, ShardStore};
use store_local::LocalStore;
use testkit::HookedStore;

use crate::agree::ALL;
use crate::kinds::value;
use crate::twin::Row;

/// The time of all tests, in milliseconds, in 2027.
pub(crate) const NOW_MS: i64 = 1_800_000_000_000;

pub(crate) struct Stage {
    pub(crate) router: Arc<Router>,
    pub(crate) merger: Arc<Merger>,
    /// The kind as the store has it.
    pub(crate) known: KnownKind,
    pub(crate) kind: Arc<Kind>,
    pub(crate) board: BoardName,
    pub(crate) clock_ms: Arc<AtomicI64>,
}

/// Creates a store in memory.
pub(crate) fn in_memory() -> Arc<LocalStore> {
    Arc::new(LocalStore::in_memory().unwrap())
}

/// Creates a store with hooks before one in memory.
pub(crate) fn hooked() -> Arc<HookedStore> {
    HookedStore::before(in_memory())
}

impl Stage {
    /// Creates a board of this kind over a store in memory.
    pub(crate) async fn in_memory(kind: Kind) -> Self {
        Self::over(in_memory(), kind, 64 << 20).await
    }

    /// Does the same; every read of the store counts as a round trip.
    pub(crate) async fn remote(kind: Kind) -> Self {
        Self::hooked(kind).await.1
    }

    pub(crate) async fn hooked(kind: Kind) -> (Arc<HookedStore>, Self) {
        let store = hooked();
        (store.clone(), Self::over(store, kind, 64 << 20).await)
    }

    pub(crate) async fn over(store: Arc<dyn ShardStore>, kind: Kind, cache_bytes: u64) -> Self {
        let router = Arc::new(Router::open(store).await.unwrap());
        let now = Timestamp::from_millis(NOW_MS);
        let (known, _) = router.catalogue().put(kind, now).await.unwrap();
        let clock_ms = Arc::new(AtomicI64::new(NOW_MS));
        let settings = settings(&clock_ms, cache_bytes);
        Self {
            merger: Arc::new(Merger::new(router.clone(), settings)),
            router,
            kind: known.kind.clone(),
            board: board_about(&known.kind, "room"),
            known,
            clock_ms,
        }
    }

    /// Creates another server over the same store.
    pub(crate) fn another_merger(&self) -> Merger {
        self.another_merger_of(64 << 20)
    }

    /// Creates another server, with a cache of this many bytes.
    pub(crate) fn another_merger_of(&self, cache_bytes: u64) -> Merger {
        Merger::new(self.router.clone(), settings(&self.clock_ms, cache_bytes))
    }

    /// Returns the name of another board of the same kind.
    pub(crate) fn board_about(&self, subject: &str) -> BoardName {
        board_about(&self.kind, subject)
    }

    /// Writes the rows as the standings of their members.
    pub(crate) async fn set(&self, board: &BoardName, rows: &[Row]) {
        const BATCH: usize = 8192;
        let board = Arc::new(board.clone());
        for rows in rows.chunks(BATCH) {
            let writes: Vec<Write> = rows.iter().map(|row| self.write_of(&board, row)).collect();
            let now = Timestamp::from_millis(NOW_MS);
            for written in self.router.write(&writes, now, false).await {
                assert!(matches!(written, WriteOutcome::Applied(_)), "{written:?}");
            }
        }
    }

    /// Writes one member's points.
    pub(crate) async fn points(&self, member: &str, points: i64) {
        self.set(&self.board, &[row(member, points)]).await;
    }

    /// Reads the top.
    pub(crate) async fn top(&self, fresh: bool) -> Result<TopView, ReadError> {
        let top = self.merger.top(&self.board, &self.kind, ALL, fresh);
        top.await
    }

    pub(crate) fn write_of(&self, board: &Arc<BoardName>, row: &Row) -> Write {
        Write {
            board: board.clone(),
            kind: self.known.clone(),
            member: row.member.clone(),
            change: Change::Set(row.values),
            at: row.at,
            id: None,
            only: None,
        }
    }
}

/// One member's points.
pub(crate) fn row(member: &str, points: i64) -> Row {
    Row {
        member: Member::new(member).unwrap(),
        values: value(points).into(),
        at: Timestamp::from_millis(NOW_MS),
    }
}

fn settings(clock_ms: &Arc<AtomicI64>, cache_bytes_max: u64) -> Settings {
    let clock_ms = clock_ms.clone();
    Settings {
        clock: Arc::new(move || Timestamp::from_millis(clock_ms.load(Ordering::Relaxed))),
        renderer: Arc::new(|_, entries| rendered(entries)),
        renderer_format: "test",
        cache_bytes_max,
    }
}

fn board_about(kind: &Kind, subject: &str) -> BoardName {
    BoardName::new(kind.name().clone(), Subject::new(subject).unwrap())
}

/// The text of a top.
pub(crate) fn text(top: &TopView) -> String {
    String::from_utf8(top.snapshot.rendered.bytes.to_vec()).unwrap()
}

/// Entries as text: `position:rank:member`.
pub(crate) fn rendered(entries: &[RankedEntry]) -> Rendered {
    let mut text = String::new();
    let mut ends = Vec::new();
    for entry in entries {
        if !text.is_empty() {
            text.push(',');
        }
        let RankedEntry { position, rank, .. } = entry;
        write!(text, "{position}:{rank}:{}", entry.entry.key.member).unwrap();
        ends.push(u32::try_from(text.len()).unwrap());
    }
    Rendered {
        bytes: Bytes::from(text),
        ends,
    }
}
