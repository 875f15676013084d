//! Servers that share merges while boards are written: a version has the same bytes on each of them, and no server goes
//! back.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use board::RankStyle;
use bytes::Bytes;
use merger::Merger;
use parking_lot::Mutex;
use testkit::HookedStore;

use crate::agree::ALL;
use crate::kinds::{kind, points};
use crate::million::long;
use crate::random::Random;
use crate::shared::{SharedInMemory, Trouble};
use crate::stage::{Stage, in_memory};

const WRITERS: u64 = 2;
const SERVERS: u64 = 3;

/// Bytes and members of every version that any server has shown.
type Versions = Mutex<HashMap<String, (Bytes, u64)>>;

/// Writes new members, and new standings of existing ones: the board only grows.
async fn write(stage: &Stage, writer: u64, over: &AtomicBool) {
    let mut random = Random::of_run(900 + writer);
    let mut members = 0;
    while !over.load(Ordering::Relaxed) {
        members = (members + random.below(2)).min(300);
        let member = format!("u{writer}-{}", random.below(members + 1));
        let amount = i64::try_from(random.below(50)).unwrap();
        stage.points(&member, amount).await;
        tokio::time::sleep(Duration::from_micros(random.below(500))).await;
    }
}

/// Reads this many times.
async fn read(stage: &Stage, server: &Merger, reads: u64, stream: u64, versions: &Versions) {
    let mut random = Random::of_run(stream);
    let mut members = 0;
    for _ in 0..reads {
        let fresh = random.below(10) == 0;
        let top = server.top(&stage.board, &stage.kind, ALL, fresh);
        let snapshot = top.await.unwrap().snapshot;
        let shown = (snapshot.rendered.bytes.clone(), snapshot.members);
        let version = snapshot.version.clone();
        let known = versions
            .lock()
            .entry(version)
            .or_insert(shown.clone())
            .clone();
        assert_eq!(known, shown, "{}", snapshot.version);
        assert!(snapshot.members >= members, "it went back");
        members = snapshot.members;
        tokio::time::sleep(Duration::from_micros(random.below(2_000))).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_version_is_one_board_everywhere() {
    let reads = if long() { 20_000 } else { 500 };
    let shared = Arc::new(SharedInMemory::default());
    let store = HookedStore::sharing(in_memory(), shared.clone());
    let mut spec = points(16);
    spec.rank = RankStyle::Competition;
    spec.max_staleness = Duration::from_millis(5);
    let stage = Arc::new(Stage::over(store.clone(), kind(spec), 64 << 20).await);
    // The last one caches hardly anything, so it acquires boards again and again.
    let caches = [64 << 20, 64 << 20, 1];
    let servers = caches.map(|bytes| Arc::new(stage.another_merger_of(bytes)));
    assert_eq!(servers.len() as u64, SERVERS);
    let versions = Arc::new(Versions::default());
    let over = Arc::new(AtomicBool::new(false));
    let writers = (0..WRITERS).map(|writer| {
        let (stage, over) = (stage.clone(), over.clone());
        tokio::spawn(async move { write(&stage, writer, &over).await })
    });
    let writers: Vec<_> = writers.collect();
    let readers = (0..).zip(&servers).map(|(stream, server)| {
        let (stage, server, versions) = (stage.clone(), server.clone(), versions.clone());
        tokio::spawn(async move { read(&stage, &server, reads, 950 + stream, &versions).await })
    });
    let readers: Vec<_> = readers.collect();
    // A lost lease is waited for, so that losses are rare.
    for (trouble, ms) in [(Trouble::Nothing, 100), (Trouble::Loses, 3)]
        .into_iter()
        .cycle()
    {
        if readers.iter().all(tokio::task::JoinHandle::is_finished) {
            break;
        }
        shared.trouble(trouble);
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }
    over.store(true, Ordering::Relaxed);
    for task in writers.into_iter().chain(readers) {
        task.await.unwrap();
    }
    let taken: u64 = servers.iter().map(|it| it.counters().taken()).sum();
    assert!(taken > 0 && versions.lock().len() > 20);
}
