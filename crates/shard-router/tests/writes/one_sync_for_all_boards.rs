//! A request of many boards, or of many shards of one, waits for the disk as one of a few: everything is
//! applied while the first of it is synced.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use shard_router::WriteOutcome;
use shard_store::ShardStore;
use store_local::{Disk, DiskFile, LocalDisk, LocalSettings, LocalStore};
use tokio::time::{sleep, timeout};

use crate::stage::{NOW, Stage, board, kind, points};

const DEADLINE: Duration = Duration::from_secs(30);

/// More than a store behind a connection has under way at once.
const MANY: usize = 1000;

/// A folder whose files count their syncs, and hold them when they are told to.
#[derive(Debug)]
struct CountingDisk {
    disk: LocalDisk,
    syncs: Arc<Syncs>,
}

#[derive(Debug, Default)]
struct Syncs {
    count: AtomicUsize,
    held: Mutex<bool>,
    released: Condvar,
}

impl Syncs {
    fn hold(&self) {
        *self.held.lock() = true;
    }

    fn release(&self) {
        *self.held.lock() = false;
        self.released.notify_all();
    }
}

#[derive(Debug)]
struct CountingFile {
    file: Box<dyn DiskFile>,
    syncs: Arc<Syncs>,
}

impl CountingDisk {
    fn counting(&self, file: Box<dyn DiskFile>) -> Box<dyn DiskFile> {
        let syncs = self.syncs.clone();
        Box::new(CountingFile { file, syncs })
    }
}

impl Disk for CountingDisk {
    fn path(&self) -> &Path {
        self.disk.path()
    }

    fn list(&self) -> io::Result<Vec<String>> {
        self.disk.list()
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        Ok(self.counting(self.disk.open(name)?))
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        Ok(self.counting(self.disk.create(name)?))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.disk.remove(name)
    }

    fn sync_folder(&self) -> io::Result<()> {
        self.disk.sync_folder()
    }
}

impl DiskFile for CountingFile {
    fn size(&self) -> io::Result<u64> {
        self.file.size()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.file.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.file.write_at(bytes, offset)
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.file.set_size(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.syncs.count.fetch_add(1, Ordering::Relaxed);
        let mut held = self.syncs.held.lock();
        while *held {
            self.syncs.released.wait(&mut held);
        }
        drop(held);
        self.file.sync()
    }
}

/// Writes these, while all syncs are held until everything was applied; how many there were.
async fn syncs_of(stage: &Stage, syncs: &Syncs, writes: &[shard_router::Write]) -> usize {
    let applied = async {
        // Each has given a member its standing, on whichever shard.
        for write in writes {
            while !is_ranked(stage, write).await {
                sleep(Duration::from_millis(1)).await;
            }
        }
    };
    let before = syncs.count.load(Ordering::Relaxed);
    syncs.hold();
    let written = stage.router.write(writes, NOW, false);
    let released = async {
        let applied = timeout(DEADLINE, applied).await;
        syncs.release();
        applied.expect("some wait for the sync of others before they are applied");
    };
    let (written, ()) = futures::join!(written, released);
    let is_applied = |written: &WriteOutcome| matches!(written, WriteOutcome::Applied(_));
    assert!(written.iter().all(is_applied));
    syncs.count.load(Ordering::Relaxed) - before
}

async fn is_ranked(stage: &Stage, write: &shard_router::Write) -> bool {
    let store = stage.router.store();
    let Some(record) = store.board(&write.board).await.unwrap() else {
        return false;
    };
    let shard = record.shards.shard_of(write.member.placement_hash());
    let windows = store.windows(&record, shard).await.unwrap();
    windows.iter().any(|window| window.members > 0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_waits_once_for_all_its_boards_and_shards() {
    let folder = tempfile::tempdir().unwrap();
    let syncs = Arc::new(Syncs::default());
    let disk = CountingDisk {
        disk: LocalDisk::open(folder.path()).unwrap(),
        syncs: syncs.clone(),
    };
    let settings = LocalSettings {
        // Nothing else is to be synced meanwhile.
        snapshot_after_bytes: u64::MAX,
        segment_bytes: u64::MAX,
        mark_after: Duration::from_hours(1),
        ..LocalSettings::default()
    };
    let store = Arc::new(LocalStore::open(Arc::new(disk), &settings).unwrap());
    let mut stage = Stage::over(store.clone()).await;
    let of_boards: Vec<_> = (0..MANY)
        .map(|number| stage.write(&board(&format!("room-{number}")), "u", 1))
        .collect();
    // What came first is in one group, all the rest in the next.
    let counted = syncs_of(&stage, &syncs, &of_boards).await;
    assert!(counted <= 3, "{counted} syncs");

    let mut spec = points("wide");
    spec.shards = 4096;
    stage.router.catalogue().seed(kind(spec)).await.unwrap();
    stage.gifts = stage.router.catalogue().known("wide").unwrap();
    let wide = Arc::new("wide/room".parse().unwrap());
    // The first of them has the board split, each shard under a lock of its own.
    let of_shards: Vec<_> = (0..MANY)
        .map(|number| stage.write(&wide, &format!("u{number}"), 1))
        .collect();
    let counted = syncs_of(&stage, &syncs, &of_shards).await;
    assert!(counted <= 3, "{counted} syncs");
    store.close().await.unwrap();
}
