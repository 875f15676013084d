//! A kind is deleted and created again during a snapshot, and boards are created from the new one: the
//! snapshot has them, and the journal after it has the change again.

use std::sync::Arc;

use board::{Kind, KindName, Mode, Profile, Rules, ShardCount};
use shard_store::{ProfileChange, Revision, ShardStore};

use crate::durability::audit::{Audit, End};
use crate::durability::durable::{self, StoppedSnapshot, settings};
use crate::durability::op::{Op, What};
use crate::durability::script::Script;
use disk::fixtures::{Operation, SimDisk};
use testkit::conformance::fixtures::{NOW, board_name, gifts, member};
use testkit::dice::{Seed, runs};

fn points(mode: Mode) -> Kind {
    gifts(|spec| {
        let (fields, ties) = (spec.rules.fields().to_vec(), spec.rules.ties());
        spec.rules = Rules::new(fields, mode, ties).unwrap();
    })
}

fn op(what: What) -> Op {
    Op { now: NOW, what }
}

fn put(mode: Mode) -> What {
    What::PutKind {
        kind: Arc::new(points(mode)),
        alone: true,
    }
}

/// Points for some members of a board, as its record is now.
async fn gifts_to(audit: &Audit, subject: &str) -> Vec<Op> {
    let board = durable::found(audit.store(), &board_name("gifts", subject)).await;
    let item = |number: u32| board.points_by_id(&member(&format!("u{number}")), 3, "evt-1", NOW);
    let of_shard = |shard| {
        op(What::Apply {
            name: board.record.name.clone(),
            shard,
            items: (0..40)
                .map(item)
                .filter(|item| board.record.shards.shard_of(item.hash) == shard)
                .collect(),
        })
    };
    board.shards().map(of_shard).collect()
}

async fn all(audit: &mut Audit, ops: Vec<Op>) {
    for op in ops {
        assert!(audit.ask(&op).await, "{op:?}");
    }
}

/// A profile of a member, or none.
fn profile(user: &str, json: Option<&str>) -> What {
    What::ChangeProfile {
        kind: KindName::new("gifts").unwrap(),
        change: ProfileChange {
            member: member(user),
            profile: json.map(|json| Profile::new(json).unwrap()),
        },
    }
}

/// Creates the kind, settings, profiles, boards and contributions.
async fn incarnation(audit: &mut Audit, mode: Mode) {
    let put_settings = |subject| What::PutSettings {
        name: board_name("gifts", subject),
        settings: ShardCount::new(2).unwrap().into(),
    };
    let create_board = |subject| What::Create(board_name("gifts", subject));
    let whats = [
        put(mode),
        put_settings("a"),
        put_settings("b"),
        create_board("a"),
        create_board("c"),
        profile("u0", Some(r#"{"name":"Ann"}"#)),
        profile("u1", Some(r#"{"name":"Ben"}"#)),
        profile("u1", None),
        profile(
            "u2",
            Some(match mode {
                Mode::Accumulate => r#"{"data":1}"#,
                _ => r#"{"data":2}"#,
            }),
        ),
    ];
    all(audit, whats.map(op).to_vec()).await;
    for subject in ["a", "c"] {
        let gifts = gifts_to(audit, subject).await;
        all(audit, gifts).await;
    }
}

async fn end_of_incarnation(audit: &mut Audit) {
    let whats = [
        What::Delete(board_name("gifts", "a")),
        What::Delete(board_name("gifts", "c")),
        What::DeleteKind(KindName::new("gifts").unwrap()),
    ];
    all(audit, whats.map(op).to_vec()).await;
}

/// Makes the change before this operation of a snapshot. Returns whether it has such an operation.
async fn weave(seed: u64, operation: Operation, passing: u64) -> bool {
    let script = Script::new(seed, 10);
    let mut audit = Audit::new(script, settings(), SimDisk::default()).await;
    incarnation(&mut audit, Mode::Accumulate).await;
    let snapshot = StoppedSnapshot::start(&audit.disk, audit.store(), operation, passing);
    let is_stopped = snapshot.is_stopped;
    if is_stopped {
        end_of_incarnation(&mut audit).await;
        incarnation(&mut audit, Mode::Best).await;
    }
    snapshot.finish();
    audit.look().await;
    for end in [End::PowerCut(seed), End::Killed] {
        audit.after(end).await.send_again().await;
    }
    end_of_incarnation(&mut audit).await;
    audit.restart(End::Stopped).await;
    is_stopped
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn boards_of_the_new_kind_are_there_afterwards() {
    let seed = Seed::of_this_run();
    for round in 0..runs(1, 20) {
        for operation in [
            Operation::Create,
            Operation::Write,
            Operation::Sync,
            Operation::Rename,
            Operation::Remove,
        ] {
            let mut passing = 0;
            while weave(seed.0.wrapping_add(round), operation, passing).await {
                passing += 1;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_made_anew_during_a_snapshot_are_kept() {
    let disk = SimDisk::default();
    let store = durable::open(&disk, &settings()).unwrap();
    let kind = store
        .put_kind(
            Arc::new(points(Mode::Accumulate)),
            Revision::default(),
            true,
        )
        .await
        .unwrap();
    let name = |n: u32| board_name("gifts", &format!("{n:0120}"));
    for n in 0..4000 {
        store
            .put_settings(&name(n), &kind, ShardCount::new(2).unwrap().into(), NOW)
            .await
            .unwrap();
    }
    let snapshot = StoppedSnapshot::start(&disk, &store, Operation::Write, 1);
    assert!(snapshot.is_stopped);
    let best = store
        .put_kind(Arc::new(points(Mode::Best)), kind.revision, true)
        .await
        .unwrap();
    snapshot.finish();
    let again = durable::open(&disk.killed(), &settings()).unwrap();
    for n in 0..4000 {
        let there = again.board(&name(n)).await.unwrap();
        assert!(there.is_some(), "board {n} of 4,000");
    }
    // A creation of one of them finds it.
    store
        .create_board(&name(7), &best, None, NOW)
        .await
        .unwrap();
    durable::snapshot(&store).unwrap();
    let again = durable::open(&disk.killed(), &settings()).unwrap();
    assert!(again.board(&name(7)).await.unwrap().unwrap().created);
}
