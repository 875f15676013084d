//! A board's shards as a story goes: live, frozen, and made again.

use std::collections::BTreeMap;
use std::convert::Infallible;

use board::Window;

use super::story::{Step, Story};
use crate::ids::{IdBudget, Noted};
use crate::ranking::Ranking;
use crate::shard::frozen::FrozenShard;
use crate::shard::restore::ShardLoader;
use crate::shard::{Dropped, Shard, Terms};
use shard_store::{Anchor, Ask, Query, Reading, StoreError, WindowCount};
use testkit::dice::Dice;

/// One shard for all members, or one each.
pub(super) struct Existence {
    /// To be split before the next step.
    crowded: bool,
    whole: bool,
    shards: Vec<Shard>,
    budget: IdBudget,
}

pub(super) struct FrozenLife {
    whole: bool,
    crowded: bool,
    shards: Vec<FrozenShard>,
}

/// The words of members' standings.
type Rows = BTreeMap<Vec<u8>, Vec<u64>>;

/// What there is in a shard, without its order.
#[derive(Debug, PartialEq)]
pub(super) struct Contents {
    dropped: Option<Box<Dropped>>,
    ids: Vec<Vec<Noted>>,
    rankings: Vec<(Window, u64, u64, Rows)>,
}

/// All that a shard can be asked.
#[derive(Debug)]
pub(super) struct Answers {
    windows: Vec<WindowCount>,
    readings: Vec<Result<Reading, StoreError>>,
    held: Vec<bool>,
}

impl Existence {
    pub(super) fn new(story: &Story) -> Self {
        Self {
            whole: story.kind.shards().get() > 1,
            crowded: false,
            shards: vec![Shard::default()],
            budget: IdBudget::new(usize::MAX),
        }
    }

    pub(super) fn play(&mut self, story: &Story, step: &Step) {
        let count = story.kind.shards();
        if std::mem::take(&mut self.crowded) {
            self.split(story);
        }
        let terms = Terms {
            rules: story.kind.rules(),
            now: story.now,
            dedupe: story.kind.dedupe(),
            report: false,
            again: false,
            memory: None,
        };
        for (number, shard) in (0..).zip(&mut self.shards) {
            match step {
                Step::Apply(items) => {
                    let here = items.iter();
                    let here = here.filter(|i| self.whole || count.shard_of(i.hash) == number);
                    let here: Vec<_> = here.cloned().collect();
                    let shard_of = |hash| count.shard_of(hash);
                    let (_, touched) = shard.apply(&here, &terms, shard_of, &self.budget);
                    if self.whole {
                        self.crowded = shard.is_crowded(&touched);
                    } else {
                        shard.finish(terms.rules, &touched);
                    }
                }
                Step::Expire => {
                    let gone: Vec<_> = shard.expired(&story.kind, story.now).collect();
                    shard.take_windows(&gone);
                    shard.age_ids(&story.kind, story.now, &self.budget);
                }
                Step::Empty => drop(shard.take_unbounded()),
            }
        }
    }

    pub(super) fn split(&mut self, story: &Story) {
        let whole = self.shards.remove(0);
        self.shards = whole.split(&story.kind, story.kind.shards(), &self.budget);
        self.whole = false;
    }

    pub(super) fn freeze(&self) -> FrozenLife {
        FrozenLife {
            whole: self.whole,
            crowded: self.crowded,
            shards: self.shards.iter().map(Shard::freeze).collect(),
        }
    }

    /// Rows come in no order.
    pub(super) fn restored(frozen: &FrozenLife, story: &Story, dice: &mut Dice) -> Self {
        let budget = IdBudget::new(usize::MAX);
        let load = |frozen_shard| load(frozen_shard, frozen.whole, story, dice, &budget);
        let shards = frozen.shards.iter().map(load).collect();
        Self {
            whole: frozen.whole,
            crowded: frozen.crowded,
            shards,
            budget,
        }
    }

    pub(super) fn put_in_order(&mut self, story: &Story) {
        for shard in &mut self.shards {
            shard.put_in_order(story.kind.rules());
        }
    }

    /// What is there, as reading tells.
    pub(super) fn contents(&self, story: &Story) -> Vec<Contents> {
        let rules = story.kind.rules();
        let rows = |ranking: &Ranking| {
            let part = ranking.answer(rules, None, false, &everything());
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

    pub(super) fn answers(&self, story: &Story) -> Vec<Answers> {
        let budget = &self.budget;
        let shards = 0..story.kind.shards().get();
        shards
            .map(|number| {
                let (shard, only) = if self.whole {
                    (&self.shards[0], Some(number))
                } else {
                    (&self.shards[usize::from(number)], None)
                };
                answers(shard, only, number, story, budget)
            })
            .collect()
    }
}

pub(super) fn contents(frozen: &FrozenLife) -> Vec<Contents> {
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

/// Holds answers against others, bit by bit: all of a board would not be read.
pub(super) fn assert_same(answers: &[Answers], expected: &[Answers]) {
    for (shard, (answers, expected)) in answers.iter().zip(expected).enumerate() {
        assert_eq!(answers.windows, expected.windows, "shard {shard}");
        for (reading, expected) in answers.readings.iter().zip(&expected.readings) {
            let told = |reading: &Result<Reading, StoreError>| {
                let reading = reading.as_ref().map_err(Clone::clone);
                reading.map(|reading| (reading.version, reading.members))
            };
            assert_eq!(told(reading), told(expected), "shard {shard}");
            assert!(reading == expected, "shard {shard} in another order");
        }
        let place = answers
            .held
            .iter()
            .zip(&expected.held)
            .position(|(a, b)| a != b);
        assert_eq!(place, None, "shard {shard} holds other ids");
    }
    assert_eq!(answers.len(), expected.len());
}

fn ids_of(frozen: &FrozenShard) -> Vec<Vec<Noted>> {
    let generations = frozen.ids.iter().flat_map(|ids| &ids.generations);
    generations
        .map(|generation| generation.entries().collect())
        .collect()
}

fn everything() -> Ask {
    Ask {
        anchor: Anchor::Rank(0),
        before: 0,
        after: usize::MAX,
    }
}

fn answers(
    shard: &Shard,
    only: Option<u16>,
    number: u16,
    story: &Story,
    budget: &IdBudget,
) -> Answers {
    for (window, ranking) in shard.rankings() {
        assert_eq!(ranking.verify(story.kind.rules()), [], "{window:?}");
    }
    let readings = story.windows.iter().map(|window| {
        let query = Query {
            window: *window,
            unless: None,
            groups: true,
            asks: [everything()].into(),
        };
        shard.read(&story.kind, 7, only, &query)
    });
    let dedupe = story.kind.dedupe();
    let times = [0, 1, 2, 3].map(|part| story.now.plus(dedupe * part / 4));
    let here = story
        .ids
        .iter()
        .filter(|(_, hash)| story.kind.shards().shard_of(*hash) == number);
    let held = here.flat_map(|(id, hash)| {
        times.map(|time| {
            let ids = shard.ids.as_ref();
            ids.is_some_and(|ids| ids.holds(*id, *hash, time, dedupe, budget))
        })
    });
    Answers {
        windows: shard.windows(only),
        readings: readings.collect(),
        held: held.collect(),
    }
}

fn load(
    frozen: &FrozenShard,
    whole: bool,
    story: &Story,
    dice: &mut Dice,
    budget: &IdBudget,
) -> Shard {
    let rules = story.kind.rules();
    let mut loader = ShardLoader::new(rules, story.kind.shards(), whole, budget);
    loader.set_dropped(frozen.dropped.clone());
    if let Some(ids) = &frozen.ids {
        for (place, generation) in ids.generations.iter().enumerate() {
            loader.begin_ids(place, generation.began(), generation.len());
            for noted in generation.entries() {
                loader.push_id(place, noted);
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
