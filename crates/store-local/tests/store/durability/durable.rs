//! The store under test, on a simulated disk: opened, filled, and stopped during a snapshot.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use board::{BoardName, Kind, Timestamp};
use disk::fixtures::{Operation, SimDisk, Trap};
use shard_store::{Revision, ShardStore};
use store_local::LocalStore;
pub(crate) use store_local::{Durability, LocalSettings};
use testkit::conformance::fixtures::{Board, board_name};

/// Maximum time that a test waits for anything.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// Longer than any test: what is due then does not happen.
pub(crate) const NEVER: Duration = Duration::from_hours(1);

/// Every response waits for the disk, segments are short, nothing happens without a call, and any
/// clock is trusted: tests invent times.
pub(crate) fn settings() -> LocalSettings {
    LocalSettings {
        durability: Durability::Always,
        snapshot_after_bytes: u64::MAX,
        segment_bytes: 16 << 10,
        mark_after: NEVER,
        clock_pause: Duration::ZERO,
        retry_after: Duration::from_millis(1),
        ..LocalSettings::default()
    }
}

pub(crate) fn open(disk: &SimDisk, settings: &LocalSettings) -> Result<Arc<LocalStore>, String> {
    let store = LocalStore::open(Arc::new(disk.clone()), settings);
    store.map(Arc::new).map_err(|error| error.to_string())
}

pub(crate) fn snapshot(store: &LocalStore) -> Result<(), String> {
    store.snapshot().map_err(|error| error.to_string())
}

/// Creates a kind, and a board of it.
pub(crate) async fn board(
    store: &Arc<LocalStore>,
    kind: Kind,
    subject: &str,
    now: Timestamp,
) -> Board {
    let kind = store.put_kind(Arc::new(kind), Revision::default(), true);
    let kind = kind.await.unwrap();
    let name = board_name(kind.name.as_str(), subject);
    Board {
        record: store.create_board(&name, &kind, None, now).await.unwrap(),
        kind: kind.kind.unwrap(),
        store: store.clone(),
    }
}

/// Returns an existing board of the only kind.
pub(crate) async fn found(store: &Arc<LocalStore>, name: &BoardName) -> Board {
    let kind = store.kinds().await.unwrap().remove(0);
    Board {
        record: store.board(name).await.unwrap().unwrap(),
        kind: kind.kind.unwrap(),
        store: store.clone(),
    }
}

/// A snapshot on a thread of its own, stopped before one of its operations.
pub(crate) struct StoppedSnapshot {
    /// Whether it has such an operation.
    pub(crate) is_stopped: bool,
    go: Sender<()>,
    thread: JoinHandle<Result<(), String>>,
}

impl StoppedSnapshot {
    /// Starts one that stops before the operation after `passing` others like it.
    pub(crate) fn start(
        disk: &SimDisk,
        store: &Arc<LocalStore>,
        operation: Operation,
        passing: u64,
    ) -> Self {
        let (reached, step) = channel();
        let (go, gone) = channel();
        let at_step = reached.clone();
        disk.set(Trap::runs(operation, "snapshot", passing, move || {
            at_step.send(true).unwrap();
            // The test may have ended.
            let _ = gone.recv_timeout(DEADLINE);
        }));
        let store = store.clone();
        let thread = thread::spawn(move || {
            let done = snapshot(&store);
            let _ = reached.send(false);
            done
        });
        Self {
            is_stopped: step.recv_timeout(DEADLINE).unwrap(),
            go,
            thread,
        }
    }

    /// Lets it continue, and waits for its end.
    pub(crate) fn finish(self) {
        let _ = self.go.send(());
        self.thread.join().unwrap().unwrap();
    }
}

pub(crate) async fn stop(store: &LocalStore) -> Result<(), String> {
    store.close().await.map_err(|error| error.to_string())
}
