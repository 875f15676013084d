use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use board::Standing;

use super::order_of;
use crate::boards::fixtures::random_standings::{any_rules, any_standing};
use crate::boards::fixtures::redis_standings::{member, ranked, standing_bytes};
use crate::boards::fixtures::written_window::{ShardReaders, WrittenWindow};
use testkit::dice::{Dice, Seed, runs};

/// Writes a member as `apply` does, all at once: its score, the removal of its old entry, and its
/// new entry.
const WRITE: &str = "
    redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
    redis.call('ZREM', KEYS[2], ARGV[3])
    return redis.call('ZADD', KEYS[2], ARGV[4], ARGV[5])";

const MEMBERS: usize = 3000;

fn name(number: usize) -> String {
    format!("u{number}")
}

fn write(laid: &mut WrittenWindow, number: usize, standing: Standing) {
    let member = member(&name(number));
    let (scores, rank) = (laid.keys.scores(laid.window), laid.keys.rank(laid.window));
    let (_, old) = ranked(laid.rules(), &laid.standings[&member], &member);
    let (score, new) = ranked(laid.rules(), &standing, &member);
    let bytes = standing_bytes(laid.rules(), &standing);
    let score = score.to_string();
    let words: [&[u8]; 10] = [
        b"EVAL",
        WRITE.as_bytes(),
        b"2",
        &scores,
        &rank,
        member.as_bytes(),
        &bytes,
        &old,
        score.as_bytes(),
        &new,
    ];
    laid.wire.command(&words).integer();
    laid.standings.insert(member, standing);
}

/// Damages a part of the order: some are missing, some misplaced, some twice there.
fn damage(laid: &mut WrittenWindow, dice: &mut Dice) {
    let rank = laid.keys.rank(laid.window);
    for number in (0..MEMBERS).step_by(2) {
        let choice = dice.below(30);
        let member = member(&name(number));
        let (_, own) = ranked(laid.rules(), &laid.standings[&member], &member);
        let other = any_standing(dice, laid.kind.rules());
        let (score, other) = ranked(laid.rules(), &other, &member);
        if choice < 2 {
            let words: [&[u8]; 3] = [b"ZREM", &rank, &own];
            laid.wire.command(&words).integer();
        }
        if (1..3).contains(&choice) {
            let score = score.to_string();
            let words: [&[u8]; 4] = [b"ZADD", &rank, score.as_bytes(), &other];
            laid.wire.command(&words).integer();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repair_lets_writers_go_on() {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    let readers = ShardReaders::plain().await;
    for number in 0..runs(4, 40) {
        let mut laid = readers.board(any_rules(&mut dice), number);
        let standings = (0..MEMBERS).map(|number| {
            let standing = any_standing(&mut dice, laid.kind.rules());
            (member(&name(number)), standing)
        });
        let standings = standings.collect();
        laid.write(standings);
        damage(&mut laid, &mut dice);
        let (record, shard) = (laid.record.clone(), laid.shard);
        let before = readers
            .verifier
            .verify(&record, shard, false)
            .await
            .unwrap();
        assert!(before.len() > 20, "{}", before.len());

        let done = AtomicBool::new(false);
        let writes = thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut writes = 0;
                while !done.load(Ordering::Relaxed) {
                    let standing = any_standing(&mut dice, laid.kind.rules());
                    let number = dice.below(MEMBERS);
                    write(&mut laid, number, standing);
                    writes += 1;
                }
                writes
            });
            let repair = readers.verifier.verify(&record, shard, true);
            let found =
                tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(repair));
            done.store(true, Ordering::Relaxed);
            assert!(found.unwrap().iter().all(|wrong| wrong.repaired));
            writer.join().unwrap()
        });
        assert!(writes > 0);
        assert_eq!(
            readers
                .verifier
                .verify(&record, shard, false)
                .await
                .unwrap(),
            []
        );
        assert_eq!(order_of(&readers, &laid).await, laid.sorted());
    }
}
