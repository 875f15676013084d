//! Rankings of several shards read as one, compared with one sorted vector of all members.

use board::{Direction, FieldName, FieldRule, Mode, Ties, Timestamp, Value, Values};
use proptest::collection::vec;
use proptest::prelude::*;
use shard_store::Anchor;

use super::*;
use crate::ranking::{MemberRef, Rewrite, SMALL_ROWS_MAX};

const SHARDS: u64 = 8;

fn rules(first: Direction, ties: Ties) -> Rules {
    let field = |name| FieldRule::sum(FieldName::new(name).unwrap());
    let mut fields = vec![field("points"), field("rounds")];
    fields[0].order = first;
    Rules::new(fields, Mode::Best, ties).unwrap()
}

fn standing(rules: &Rules, [points, rounds, at]: [i64; 3]) -> Standing {
    let values = Values::from([points, rounds].map(Value::new));
    rules.standing_of(&values, Timestamp::from_millis(1_764_000_000_000 + at))
}

/// The rankings of all shards, and the vector of all their rows.
struct Stage {
    rules: Rules,
    shards: ShardCount,
    lists: Vec<Ranking>,
    twin: Ranking,
    members: Vec<Member>,
}

impl Stage {
    /// Creates rankings of these standings. Shard 1 remains empty, shard 2 small.
    fn new(rules: Rules, standings: &[[i64; 3]]) -> Self {
        let shards = ShardCount::new(SHARDS).unwrap();
        let mut stage = Self {
            rules,
            shards,
            lists: (0..SHARDS).map(|_| Ranking::new()).collect(),
            twin: Ranking::new(),
            members: Vec::new(),
        };
        for (number, standing_of) in standings.iter().enumerate() {
            let member = Member::new(&format!("u{number}")).unwrap();
            let hash = member.placement_hash();
            let shard = shards.shard_of(hash);
            stage.members.push(member.clone());
            if shard == 1 || (shard == 2 && number > 300) {
                continue;
            }
            let target = MemberRef {
                member: &member,
                hash,
                shard,
            };
            let rewrite = Rewrite::new(&stage.rules, None, standing(&stage.rules, *standing_of));
            let list = &mut stage.lists[usize::from(shard)];
            list.write(target, None, &rewrite);
            if number % 7 == 0 {
                list.finish(&stage.rules, false);
            }
            // Never finished: it remains a vector.
            stage.twin.write(target, None, &rewrite);
        }
        for list in &mut stage.lists {
            list.finish(&stage.rules, false);
        }
        stage
    }

    fn merged(&self) -> Merged<'_> {
        Merged {
            rules: &self.rules,
            shards: self.shards,
            lists: self.lists.iter().collect(),
            values: None,
        }
    }

    fn check(&self, ask: &RangeAsk) {
        for groups in [Groups::None, Groups::Start] {
            let expected = self.twin.answer(&self.rules, None, groups, ask);
            assert_eq!(self.merged().answer(groups, ask), expected, "{ask:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn agrees_with_one_vector(
        rules in prop_oneof![
            Just(rules(Direction::Desc, Ties::Earliest)),
            Just(rules(Direction::Desc, Ties::Member)),
            Just(rules(Direction::Asc, Ties::Member)),
        ],
        points in prop_oneof![Just(3_i64), Just(40), Just(1_000_000)],
        standings in vec([0..1_000_000_i64, 0..3_i64, 0..50_i64], 0..3_000),
        asks in vec((0..3_000_usize, 0..150_usize, 0..150_usize, 0..8), 40),
    ) {
        let standings: Vec<[i64; 3]> =
            standings.into_iter().map(|[p, rounds, at]| [p % points, rounds, at]).collect();
        let stage = Stage::new(rules, &standings);
        for (number, mut before, mut after, narrow) in asks {
            if narrow < 2 {
                (before, after) = (before % 2, after % 3);
            }
            let member = stage.members.get(number).cloned();
            let member = member.unwrap_or_else(|| Member::new("nobody").unwrap());
            let words = standings.get(number).copied().unwrap_or([points / 2, 1, 1]);
            let words = stage.rules.rank_words_of(&standing(&stage.rules, words));
            let key = stage.rules.rank_key(words, member.clone());
            let anchors = [
                Anchor::Rank(number as u64),
                Anchor::Bound(Bound::key(&key)),
                Anchor::Bound(Bound::prefix(words.prefix(number % 3))),
                Anchor::Bound(Bound::prefix(words)),
                Anchor::Member(member),
            ];
            for anchor in anchors {
                stage.check(&RangeAsk { anchor, before, after });
            }
        }
    }
}

/// A board whose members are nearly all on one shard takes more searches, which end.
#[test]
fn uneven_shards_are_searched() {
    let standings: Vec<[i64; 3]> = (0..6_000_i64)
        .map(|n| [n * n % 10_007, 0, n % 50])
        .collect();
    let mut stage = Stage::new(rules(Direction::Desc, Ties::Earliest), &standings);
    let kept = [0, 3];
    for (shard, list) in stage.lists.iter_mut().enumerate() {
        if !kept.contains(&shard) {
            *list = Ranking::new();
        }
    }
    let mut twin = Ranking::new();
    for (member, words) in stage.members.iter().zip(&standings) {
        let hash = member.placement_hash();
        let shard = stage.shards.shard_of(hash);
        if kept.contains(&usize::from(shard)) {
            let target = MemberRef {
                member,
                hash,
                shard,
            };
            let standing = standing(&stage.rules, *words);
            twin.write(target, None, &Rewrite::new(&stage.rules, None, standing));
        }
    }
    stage.twin = twin;
    assert!(stage.twin.len() > 8 * SMALL_ROWS_MAX);
    for from in (0..stage.twin.len() as u64 + 10).step_by(7) {
        stage.check(&RangeAsk {
            anchor: Anchor::Rank(from),
            before: 0,
            after: 3,
        });
    }
}
