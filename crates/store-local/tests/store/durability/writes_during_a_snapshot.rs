//! Calls between any two steps of a snapshot: they are taken, and a crash at that step loses none.

use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use crate::durability::audit::{Audit, End};
use crate::durability::durable::{self, EmbeddedSettings, settings};
use crate::durability::script::Script;
use simulated_disk::{Operation, SimDisk, Trap};
use testkit::dice::{Seed, runs};

const DEADLINE: Duration = Duration::from_secs(30);

/// Stops whoever comes to this step: tells that it is reached, and waits to be let on.
fn stop_at(audit: &Audit, operation: Operation, passing: u64, reached: Sender<bool>) -> Sender<()> {
    let (go, gone) = channel();
    let stop = Trap::runs(operation, "snapshot", passing, move || {
        reached.send(true).unwrap();
        // Whoever is to let it on may be gone as well.
        let _ = gone.recv_timeout(DEADLINE);
    });
    audit.disk.set(stop);
    go
}

/// Weaves calls in before this step of a snapshot. False when it has no such step.
async fn weave(seed: u64, operation: Operation, passing: u64) -> bool {
    let settings = EmbeddedSettings {
        segment_bytes: 2 << 10,
        ..settings()
    };
    let mut audit = Audit::new(Script::new(seed, 150), settings, SimDisk::default()).await;
    audit.calls(20).await;
    audit.snapshot().unwrap();
    audit.calls(20).await;
    let (reached, step) = channel();
    let go = stop_at(&audit, operation, passing, reached.clone());
    let store = audit.store().clone();
    let snapshot = thread::spawn(move || {
        let done = durable::snapshot(&store);
        let _ = reached.send(false);
        done
    });
    let stopped = step.recv_timeout(DEADLINE).unwrap();
    if stopped {
        for _ in 0..12 {
            assert!(audit.call().await, "a snapshot refuses no call");
        }
        audit.look().await;
        for end in [End::PowerCut(seed), End::PowerCut(!seed), End::Killed] {
            let mut found = audit.after(end).await;
            found.send_again().await;
        }
        go.send(()).unwrap();
    }
    snapshot.join().unwrap().unwrap();
    audit.look().await;
    audit.calls(5).await;
    for end in [End::PowerCut(seed), End::PowerCut(!seed)] {
        let mut found = audit.after(end).await;
        found.send_again().await;
    }
    audit.restart(End::Stopped).await;
    stopped
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_are_taken_and_kept_at_every_step() {
    let seed = Seed::of_this_run();
    for round in 0..runs(2, 60) {
        let seed = seed.0.wrapping_add(round);
        for operation in [
            Operation::Create,
            Operation::Write,
            Operation::Sync,
            Operation::Rename,
            Operation::Remove,
        ] {
            let mut passing = 0;
            while weave(seed, operation, passing).await {
                passing += 1;
            }
            assert!(passing > 0, "a snapshot has no {operation:?}");
        }
    }
}
