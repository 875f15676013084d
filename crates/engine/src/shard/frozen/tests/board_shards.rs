//! The shards of a random board: live, frozen, and restored.

use std::collections::BTreeMap;
use std::convert::Infallible;

use board::Window;

use super::workload::{Step, Workload};
use crate::ids::{IdBudget, IdEntry};
use crate::ranking::Ranking;
use crate::shard::frozen::FrozenShard;
use crate::shard::restore::ShardLoader;
use crate::shard::{ApplyContext, Dropped, Shard};
use shard_store::{Anchor, Groups, Query, RangeAsk, ShardReading, StoreError, WindowCount};
use testkit::dice::Dice;

/// The shards of a board: one for all members, or one each.
pub(super) struct BoardShards {
    /// Set if the board has to be split before the next step.
    is_outgrown: bool,
    whole: bool,
    shards: Vec<Shard>,
    budget: IdBudget,
}

pub(super) struct FrozenBoard {
    whole: bool,
    is_outgrown: bool,
    shards: Vec<FrozenShard>,
}

/// The words of members' standings.
type Rows = BTreeMap<Vec<u8>, Vec<u64>>;

/// The contents of a shard, without their order.
#[derive(Debug, PartialEq)]
pub(super) struct Contents {
    dropped: Option<Box<Dropped>>,
    ids: Vec<Vec<IdEntry>>,
    rankings: Vec<(Window, u64, u64, Rows)>,
}

/// The results of all reads of a shard.
#[derive(Debug)]
pub(super) struct ReadResults {
    windows: Vec<WindowCount>,
    readings: Vec<Result<ShardReading, StoreError>>,
    held: Vec<bool>,
}

impl BoardShards {
    pub(super) fn new(workload: &Workload) -> Self {
        Self {
            whole: workload.kind.shards().get() > 1,
            is_outgrown: false,
            shards: vec![Shard::default()],
            budget: IdBudget::new(usize::MAX),
        }
    }

    pub(super) fn play(&mut self, workload: &Workload, step: &Step) {
        let count = workload.kind.shards();
        if std::mem::take(&mut self.is_outgrown) {
            self.split(workload);
        }
        let context = ApplyContext {
            rules: workload.kind.rules(),
            now: workload.now,
            dedupe: workload.kind.dedupe(),
            report: false,
            again: false,
            memory: None,
            values: None,
        };
        for (number, shard) in (0..).zip(&mut self.shards) {
            match step {
                Step::Apply(items) => {
                    let here = items.iter();
                    let here = here.filter(|i| self.whole || count.shard_of(i.hash) == number);
                    let here: Vec<_> = here.cloned().collect();
                    let shard_of = |hash| count.shard_of(hash);
                    let (_, touched) = shard.apply(&here, &context, shard_of, &self.budget);
                    if self.whole {
                        self.is_outgrown = shard.outgrew_small(&touched);
                    } else {
                        shard.finish(context.rules, &touched);
                    }
                }
                Step::Expire => {
                    let gone: Vec<_> = shard.expired(&workload.kind, workload.now).collect();
                    shard.take_windows(&gone);
                    shard.age_ids(&workload.kind, workload.now, &self.budget);
                }
                Step::Empty => drop(shard.take_unbounded()),
            }
        }
    }

    pub(super) fn split(&mut self, workload: &Workload) {
        let whole = self.shards.remove(0);
        self.shards = whole.split(&workload.kind, workload.kind.shards(), &self.budget);
        self.whole = false;
    }

    pub(super) fn freeze(&self) -> FrozenBoard {
        FrozenBoard {
            whole: self.whole,
            is_outgrown: self.is_outgrown,
            shards: self.shards.iter().map(Shard::freeze).collect(),
        }
    }

    /// Restores the shards. Rows are added in random order.
    pub(super) fn restored(frozen: &FrozenBoard, workload: &Workload, dice: &mut Dice) -> Self {
        let budget = IdBudget::new(usize::MAX);
        let load = |frozen_shard| load(frozen_shard, frozen.whole, workload, dice, &budget);
        let shards = frozen.shards.iter().map(load).collect();
        Self {
            whole: frozen.whole,
            is_outgrown: frozen.is_outgrown,
            shards,
            budget,
        }
    }

    pub(super) fn build_order(&mut self, workload: &Workload) {
        for shard in &mut self.shards {
            shard.build_order(workload.kind.rules());
        }
    }

    /// Returns the contents, by reading.
    pub(super) fn contents(&self, workload: &Workload) -> Vec<Contents> {
        let rules = workload.kind.rules();
        let rows = |ranking: &Ranking| {
            let part = ranking.answer(rules, None, Groups::None, &everything());
            let rows = part.entries.into_iter().map(|entry| {
                let member = entry.key.member;
                let spot = ranking.find(member.placement_hash(), &member).unwrap();
                let standing = ranking.standing(rules, spot);
                let words = rules.standing_words(&standing).to_vec();
                (member.as_bytes().to_vec(), words)
            });
            rows.collect()
        };
        let contents = self.shards.iter().map(|shard| {
            let rankings = shard.rankings().map(|(window, ranking)| {
                let version = ranking.version(0);
                (window, version.counter, version.digest, rows(ranking))
            });
            Contents {
                dropped: shard.dropped.clone(),
                ids: ids_of(&shard.freeze()),
                rankings: rankings.collect(),
            }
        });
        contents.collect()
    }

    pub(super) fn read_all(&self, workload: &Workload) -> Vec<ReadResults> {
        let budget = &self.budget;
        let shards = 0..workload.kind.shards().get();
        shards
            .map(|number| {
                let (shard, only) = if self.whole {
                    (&self.shards[0], Some(number))
                } else {
                    (&self.shards[usize::from(number)], None)
                };
                read_all(shard, only, number, workload, budget)
            })
            .collect()
    }
}

pub(super) fn contents(frozen: &FrozenBoard) -> Vec<Contents> {
    let contents = frozen.shards.iter().map(|shard| {
        let rankings = shard.rankings.iter().map(|(window, ranking)| {
            let mut rows = BTreeMap::new();
            let Ok(()) = ranking.try_for_each(|member, words| {
                let before = rows.insert(member.to_vec(), words.to_vec());
                assert_eq!(before, None, "a member is visited once");
                Ok::<_, Infallible>(())
            });
            assert_eq!(rows.len(), ranking.len());
            (*window, ranking.counter, ranking.digest, rows)
        });
        Contents {
            dropped: shard.dropped.clone(),
            ids: ids_of(shard),
            rankings: rankings.collect(),
        }
    });
    contents.collect()
}

/// Compares results field by field: a comparison of whole boards would print too much.
pub(super) fn assert_same(read_all: &[ReadResults], expected: &[ReadResults]) {
    for (shard, (read_all, expected)) in read_all.iter().zip(expected).enumerate() {
        assert_eq!(read_all.windows, expected.windows, "shard {shard}");
        for (reading, expected) in read_all.readings.iter().zip(&expected.readings) {
            let rows_of = |reading: &Result<ShardReading, StoreError>| {
                let reading = reading.as_ref().map_err(Clone::clone);
                reading.map(|reading| (reading.version, reading.members))
            };
            assert_eq!(rows_of(reading), rows_of(expected), "shard {shard}");
            assert!(reading == expected, "shard {shard} in another order");
        }
        let position = read_all
            .held
            .iter()
            .zip(&expected.held)
            .position(|(a, b)| a != b);
        assert_eq!(position, None, "shard {shard} holds other ids");
    }
    assert_eq!(read_all.len(), expected.len());
}

fn ids_of(frozen: &FrozenShard) -> Vec<Vec<IdEntry>> {
    let generations = frozen.ids.iter().flat_map(|ids| &ids.generations);
    generations
        .map(|generation| generation.entries().collect())
        .collect()
}

fn everything() -> RangeAsk {
    RangeAsk {
        anchor: Anchor::Rank(0),
        before: 0,
        after: usize::MAX,
    }
}

fn read_all(
    shard: &Shard,
    only: Option<u16>,
    number: u16,
    workload: &Workload,
    budget: &IdBudget,
) -> ReadResults {
    for (window, ranking) in shard.rankings() {
        assert_eq!(ranking.verify(workload.kind.rules()), [], "{window:?}");
    }
    let readings = workload.windows.iter().map(|window| {
        let query = Query {
            window: *window,
            unless: None,
            groups: Groups::Start,
            ranges: [everything()].into(),
        };
        shard.read(&workload.kind, 7, only, &query)
    });
    let dedupe = workload.kind.dedupe();
    let times = [0, 1, 2, 3].map(|part| workload.now.plus(dedupe * part / 4));
    let here = workload
        .ids
        .iter()
        .filter(|(_, hash)| workload.kind.shards().shard_of(*hash) == number);
    let held = here.flat_map(|(id, hash)| {
        times.map(|time| {
            let ids = shard.ids.as_ref();
            ids.is_some_and(|ids| ids.holds(*id, *hash, time, dedupe, budget))
        })
    });
    ReadResults {
        windows: shard.windows(only),
        readings: readings.collect(),
        held: held.collect(),
    }
}

fn load(
    frozen: &FrozenShard,
    whole: bool,
    workload: &Workload,
    dice: &mut Dice,
    budget: &IdBudget,
) -> Shard {
    let rules = workload.kind.rules();
    let mut loader = ShardLoader::new(rules, workload.kind.shards(), whole, budget);
    loader.set_dropped(frozen.dropped.as_deref().cloned().unwrap_or_default());
    if let Some(ids) = &frozen.ids {
        for (position, generation) in ids.generations.iter().enumerate() {
            loader.begin_ids(position, generation.began(), generation.len());
            for noted in generation.entries() {
                loader.push_id(position, noted);
            }
        }
    }
    for (window, ranking) in &frozen.rankings {
        let mut rows = Vec::new();
        let Ok(()) = ranking.try_for_each(|member, words| {
            rows.push((member.to_vec(), words.to_vec()));
            Ok::<_, Infallible>(())
        });
        loader.begin_window(*window, (ranking.counter, ranking.digest), rows.len());
        while !rows.is_empty() {
            let (member, words) = rows.swap_remove(dice.below(rows.len()));
            loader.push_row(&member, &words).unwrap();
        }
    }
    loader.finish()
}
