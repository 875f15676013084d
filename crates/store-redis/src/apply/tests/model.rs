//! Random batches on random kinds have the same outcomes and contents as in the engine.

use std::collections::{BTreeMap, BTreeSet};

use board::{Direction, Kind, Timestamp, Window};
use futures::future::join_all;
use testkit::dice::{Dice, runs};

use super::applier::{ApplierOnRedis, Board, Kept, NOW};
use super::story::{any_items, any_kind, any_pause};
use crate::boards::keys::window_name;
use crate::boards::packed::Packed;
use crate::boards::standing::standing_of;
use engine::{ApplyContext, IdBudget, Shard};
use shard_store::{Anchor, Batch, Groups, Item, Outcome, Query, RangeAsk, ShardEntry};

fn is_applied(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Applied(_))
}

/// The engine's shard, which gets the same batches.
struct Twin {
    shard: Shard,
    budget: IdBudget,
    windows: BTreeSet<Window>,
    written: Option<Timestamp>,
}

impl Twin {
    fn new() -> Self {
        Self {
            shard: Shard::default(),
            budget: IdBudget::new(1 << 30),
            windows: BTreeSet::new(),
            written: None,
        }
    }

    fn apply(&mut self, kind: &Kind, items: &[Item], now: Timestamp, report: bool) -> Vec<Outcome> {
        let mut items = items.to_vec();
        for item in &mut items {
            self.windows.extend(item.windows.iter());
            if kind.dedupe().is_zero() {
                item.id = None;
            }
        }
        let terms = ApplyContext {
            rules: kind.rules(),
            now,
            dedupe: kind.dedupe(),
            report,
            again: false,
            memory: None,
            values: None,
        };
        let (outcomes, touched) = self.shard.apply(&items, &terms, |_| 0, &self.budget);
        self.shard.finish(kind.rules(), &touched);
        if outcomes.iter().any(is_applied) {
            self.written = self.written.max(Some(now));
        }
        outcomes
    }

    /// Returns a window, best first.
    fn entries(&self, kind: &Kind, window: Window) -> Vec<ShardEntry> {
        let everything = RangeAsk {
            anchor: Anchor::Rank(0),
            before: 0,
            after: 1000,
        };
        let query = Query {
            window,
            unless: None,
            groups: Groups::None,
            ranges: [everything].into(),
        };
        let reading = self.shard.read(kind, 0, None, &query);
        reading.map_or(Vec::new(), |reading| {
            reading.parts.unwrap().remove(0).entries
        })
    }
}

/// Returns the entries in the keys of a window, after comparing scores and rank with each other.
fn entries(kind: &Kind, window: Window, kept: &Kept) -> Vec<ShardEntry> {
    let rules = kind.rules();
    if let Some(packed) = Packed::of(rules, window) {
        assert!(kept.scores.is_empty(), "a packed board has no scores");
        let mut rank = kept.rank.clone();
        rank.sort_unstable_by(|a, b| b.cmp(a));
        let entries = rank
            .iter()
            .map(|(score, name)| packed.entry(&score.to_string(), name).unwrap());
        return entries.collect();
    }
    let mut entries = Vec::new();
    let mut rank = Vec::new();
    for (member, held) in &kept.scores {
        let standing = standing_of(rules, held).unwrap();
        let words = rules.rank_words_of(&standing);
        let first = rules.values(&standing).get(0).map_or(-(1 << 53), |value| {
            match rules.fields()[0].order {
                Direction::Desc => value.get(),
                Direction::Asc => -value.get(),
            }
        });
        let rest = words.as_slice()[1..]
            .iter()
            .flat_map(|word| word.to_be_bytes());
        rank.push((
            first,
            rest.chain(rules.name_order().key_bytes(member).iter().copied())
                .collect::<Vec<u8>>(),
        ));
        entries.push(ShardEntry {
            key: rules.rank_key(words, board::Member::from_stored(member)),
            reached_at: rules.reached_at(&standing),
        });
    }
    rank.sort_unstable();
    assert_eq!(kept.rank, rank, "the sorted set is not what the scores say");
    entries.sort_by(|a, b| b.key.cmp(&a.key));
    entries
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_batches_agree_with_the_engine() {
    let setup = ApplierOnRedis::new().await;
    let mut dice = Dice::of_this_run();
    for _ in 0..runs(150, 1_500) {
        let board = setup.board(any_kind(&mut dice)).await;
        one_board(&mut dice, &board).await;
    }
}

async fn one_board(dice: &mut Dice, board: &Board<'_>) {
    let kind = &board.kind;
    let mut twin = Twin::new();
    let mut now = NOW;
    for _ in 0..8 {
        // Sent at once, they share calls.
        let batches: Vec<_> = (0..=dice.below(4))
            .map(|_| {
                now = now.plus(any_pause(dice));
                (any_items(dice, kind, now), now, dice.below(4) == 0)
            })
            .collect();
        let before = held(board, &twin);
        let answers = join_all(batches.iter().map(|(items, now, report)| {
            let batch = Batch {
                kind,
                now: *now,
                until: None,
                waits_until: None,
                report: *report,
                items,
            };
            board.setup.applier.apply(&board.record, 0, batch)
        }))
        .await;
        let mut any_applied = false;
        for ((items, now, report), answer) in batches.iter().zip(answers) {
            let expected = twin.apply(kind, items, *now, *report);
            any_applied |= expected.iter().any(is_applied);
            assert_eq!(answer.unwrap(), expected, "{kind:#?} {items:#?} at {now}");
        }
        hold(board, &twin, &before, any_applied);
        if dice.below(6) == 0 {
            drop_some(dice, board, &mut twin);
        }
    }
}

type Held = BTreeMap<Window, (Kept, (u64, String))>;

fn held(board: &Board<'_>, twin: &Twin) -> Held {
    let windows = twin.windows.iter();
    windows
        .map(|window| (*window, (board.kept(*window), board.version(*window))))
        .collect()
}

/// Compares the keys with the twin, and versions with what has changed since.
fn hold(board: &Board<'_>, twin: &Twin, before: &Held, any_applied: bool) {
    let after = held(board, twin);
    for (window, (kept, (counter, last))) in &after {
        let expected = twin.entries(&board.kind, *window);
        assert_eq!(entries(&board.kind, *window, kept), expected, "{window:?}");
        let Some((old, (old_counter, old_last))) = before.get(window) else {
            continue;
        };
        let (old, kept) = (of_members(old), of_members(kept));
        let changed = |member: &&Vec<u8>| old.get(*member) != kept.get(*member);
        let members: BTreeSet<_> = old.keys().chain(kept.keys()).collect();
        let changed = members.into_iter().filter(changed).count() as u64;
        assert!(
            *counter >= old_counter + changed,
            "{counter} after {old_counter}: {changed}"
        );
        assert_eq!(counter == old_counter, last == old_last);
        assert!(any_applied || counter == old_counter, "{window:?}");
    }
    let written = board.meta("w").map(|text| String::from_utf8(text).unwrap());
    assert_eq!(written, twin.written.map(|now| now.millis().to_string()));
}

/// Returns what each member has: in the score KV or, packed, in the sorted set.
fn of_members(kept: &Kept) -> BTreeMap<Vec<u8>, Vec<u8>> {
    if !kept.scores.is_empty() {
        return kept.scores.clone();
    }
    let ranked = kept.rank.iter();
    ranked
        .map(|(score, name)| (name.clone(), score.to_be_bytes().to_vec()))
        .collect()
}

/// Drops a window and those before it, as the sweep does.
fn drop_some(dice: &mut Dice, board: &Board<'_>, twin: &mut Twin) {
    let windows: Vec<Window> = twin.windows.iter().copied().collect();
    let last = windows[dice.below(windows.len())];
    let Some(place) = last.period().number().map(usize::from) else {
        return;
    };
    let gone = |window: &Window| window.period() == last.period() && window.start() <= last.start();
    let gone: Vec<Window> = windows.into_iter().filter(gone).collect();
    twin.shard.take_windows(&gone);
    let dropped = board.meta("d").map(|text| String::from_utf8(text).unwrap());
    let dropped = dropped.unwrap_or_default();
    let mut starts: Vec<String> = dropped.split_whitespace().map(str::to_owned).collect();
    let len = starts.len().max(place + 1);
    starts.resize(len, "-".to_owned());
    let start = last.start().micros();
    let latest = starts[place].parse();
    starts[place] = latest
        .map_or(start, |held: i64| held.max(start))
        .to_string();
    board.set_meta("d", &starts.join(" "));
    let redis = &board.setup.redis;
    for window in gone {
        let version = format!("v:{}", window_name(window));
        redis.command(&[b"HDEL", &board.keys.meta()[..], version.as_bytes()]);
        let keys = [board.keys.scores(window), board.keys.rank(window)];
        redis.command(&[b"UNLINK", &keys[0][..], &keys[1]]);
    }
}
