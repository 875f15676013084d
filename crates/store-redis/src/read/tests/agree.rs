//! Readings, compared with a sorted vector.

use board::{Bound, RankKey, RankWords, Rules};
use testkit::redis::RedisOptions;

use crate::boards::fixtures::random_standings::{
    any_name, any_packed_rules, any_rules, any_standing, points,
};
use crate::boards::fixtures::redis_standings::member;
use crate::boards::fixtures::written_window::{ShardReaders, WrittenWindow};
use shard_store::{Anchor, Group, Groups, Query, RangeAsk, RangePart, ShardEntry};
use testkit::dice::{Dice, Seed, runs};

#[tokio::test]
async fn any_board_is_read_as_it_is_sorted() {
    any_boards(&RedisOptions::new()).await;
}

#[tokio::test]
async fn the_order_is_that_of_bytes_whatever_the_locale() {
    let options = RedisOptions::new().locale("en_US.UTF-8");
    any_boards(&options).await;
}

async fn any_boards(options: &RedisOptions) {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    let readers = ShardReaders::on(options).await;
    for number in 0..runs(40, 400) {
        let rules = if dice.one_in(3) {
            any_packed_rules(&mut dice)
        } else {
            any_rules(&mut dice)
        };
        let mut laid = readers.board(rules, number);
        // Up to 128 entries Redis keeps a sorted set as one list.
        let most = *dice.pick(&[2, 20, 120, 600]);
        let members = dice.below(most);
        let standings = (0..members).map(|number| {
            let member = any_name(&mut dice, number);
            (member, any_standing(&mut dice, laid.kind.rules()))
        });
        let standings = standings.collect();
        laid.write(standings);
        for _ in 0..5 {
            hold_against_twin(&readers, &mut laid, &mut dice).await;
        }
    }
}

#[tokio::test]
async fn thousands_that_tie_are_distinguished() {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    let readers = ShardReaders::on(&RedisOptions::new().locale("en_US.UTF-8")).await;
    for number in 0..runs(6, 30) {
        let rules = match number % 2 {
            0 => any_packed_rules(&mut dice),
            _ => any_rules(&mut dice),
        };
        let shared: Vec<_> = (0..3).map(|_| any_standing(&mut dice, &rules)).collect();
        let mut laid = readers.board(rules, number);
        let standings = (0..4000).map(|number| {
            let standing = if dice.one_in(50) {
                any_standing(&mut dice, laid.kind.rules())
            } else {
                *dice.pick(&shared)
            };
            (any_name(&mut dice, number), standing)
        });
        let standings = standings.collect();
        laid.write(standings);
        for _ in 0..10 {
            hold_against_twin(&readers, &mut laid, &mut dice).await;
        }
    }
}

/// More members are requested than fit into one HMGET, by name and as a range.
#[tokio::test]
async fn there_may_be_more_members_than_one_command_takes() {
    let readers = ShardReaders::plain().await;
    let mut dice = Dice::new(1);
    let mut fields = points().fields().to_vec();
    fields[0].order = board::Direction::Asc;
    let rules = Rules::new(fields, board::Mode::Accumulate, board::Ties::Member).unwrap();
    let mut laid = readers.board(rules, 1);
    let named = |number| member(&format!("u{number}"));
    let standings = (0..9000).map(|n| (named(n), any_standing(&mut dice, laid.kind.rules())));
    let standings = standings.collect();
    laid.write(standings);
    let mut ranges: Vec<RangeAsk> = (0..9001)
        .map(|n| RangeAsk::rank_of(Anchor::Member(named(n))))
        .collect();
    ranges.push(RangeAsk {
        anchor: Anchor::Rank(0),
        before: 0,
        after: usize::MAX,
    });
    hold(&readers, &mut laid, Groups::Start, ranges).await;
}

async fn hold_against_twin(readers: &ShardReaders, laid: &mut WrittenWindow, dice: &mut Dice) {
    let sorted = laid.sorted();
    let ranges = (0..dice.below(12)).map(|_| any_ask(dice, laid.rules(), &sorted));
    let ranges = ranges.collect();
    let groups = *dice.pick(&[Groups::None, Groups::Start, Groups::Count]);
    let groups = match laid.rules().packing() {
        Some(_) if groups == Groups::Count => Groups::Start,
        _ => groups,
    };
    hold(readers, laid, groups, ranges).await;
}

async fn hold(
    readers: &ShardReaders,
    laid: &mut WrittenWindow,
    groups: Groups,
    ranges: Vec<RangeAsk>,
) {
    if groups == Groups::Count {
        laid.write_values();
    }
    let sorted = laid.sorted();
    let query = Query {
        window: laid.window,
        unless: None,
        groups,
        ranges: ranges.into(),
    };
    let reading = readers
        .reader
        .read_one(&laid.record, laid.shard, &query)
        .await
        .unwrap();
    assert_eq!(reading.members, sorted.len() as u64);
    assert_eq!(reading.version.counter, laid.counter);
    let parts = reading.parts.unwrap();
    assert_eq!(parts.len(), query.ranges.len());
    for (ask, part) in query.ranges.iter().zip(parts) {
        let twin = answer(laid, &sorted, groups, ask);
        assert_eq!(part, twin, "{ask:?} of {:?}", laid.rules());
    }
}

fn any_ask(dice: &mut Dice, rules: &Rules, sorted: &[ShardEntry]) -> RangeAsk {
    let reaches = [0, 1, 5, 50, usize::MAX];
    let near = dice.below(sorted.len() + 2);
    let there = sorted.get(near).or(sorted.first());
    let anchor = match (dice.below(4), there) {
        (0, _) | (_, None) => Anchor::Rank(*dice.pick(&[near as u64, u64::MAX])),
        (1, Some(there)) => Anchor::Member(there.key.member.clone()),
        (2, _) => Anchor::Member(any_name(dice, near)),
        (_, Some(there)) => Anchor::Bound(any_bound(dice, rules, &there.key)),
    };
    RangeAsk {
        anchor,
        before: *dice.pick(&reaches),
        after: *dice.pick(&reaches),
    }
}

fn any_bound(dice: &mut Dice, rules: &Rules, key: &RankKey) -> Bound {
    match dice.below(4) {
        0 => Bound::key(key),
        1 => Bound::prefix(rules.field_words(&key.words)),
        2 => {
            let words = key.words.prefix(dice.below(key.words.as_slice().len() + 1));
            Bound::prefix(words.successor().unwrap_or(words))
        }
        _ => {
            let mut words = key.words.as_slice().to_vec();
            let place = dice.below(words.len());
            words[place] = words[place].wrapping_add(dice.word() % 3).wrapping_sub(1);
            Bound {
                words: RankWords::new(&words),
                member: dice.one_in(2).then(|| any_name(dice, 3)),
            }
        }
    }
}

/// The naive twin of a reply.
fn answer(
    laid: &WrittenWindow,
    sorted: &[ShardEntry],
    groups: Groups,
    ask: &RangeAsk,
) -> RangePart {
    let rules = laid.rules();
    let mut standing = None;
    let anchor = match &ask.anchor {
        Anchor::Rank(rank) => usize::try_from(*rank).unwrap().min(sorted.len()),
        Anchor::Bound(bound) => sorted
            .iter()
            .filter(|entry| bound.is_below(&entry.key))
            .count(),
        Anchor::Member(member) => {
            let at = sorted.iter().position(|entry| entry.key.member == *member);
            let Some(at) = at else {
                return RangePart::default();
            };
            standing = laid.standings.get(member).filter(|_| ask.after > 0);
            at
        }
    };
    let start = anchor.saturating_sub(ask.before);
    let end = anchor.saturating_add(ask.after).min(sorted.len());
    let entries = sorted[start..end].to_vec();
    let fields = |entry: &ShardEntry| rules.field_words(&entry.key.words);
    let group_start = match entries.first() {
        Some(first) if groups == Groups::Start => sorted
            .iter()
            .position(|entry| fields(entry) == fields(first)),
        _ => None,
    };
    let words = entries.first().map(|first| first.key.words);
    let words = words.or_else(|| match &ask.anchor {
        Anchor::Rank(_) => None,
        Anchor::Bound(bound) => Some(bound.words),
        Anchor::Member(_) => Some(sorted[anchor].key.words),
    });
    let has_all = |words: &RankWords| words.as_slice().len() >= rules.fields().len();
    let words = words.filter(|words| groups == Groups::Count && has_all(words));
    let group = words.map_or_else(Group::default, |words| {
        let own = rules.field_words(&words);
        let mut better: Vec<RankWords> = sorted.iter().map(fields).collect();
        better.retain(|other| *other > own);
        better.dedup();
        Group {
            better: better.len() as u64,
            members: sorted.iter().filter(|entry| fields(entry) == own).count() as u64,
        }
    });
    RangePart {
        anchor: Some(anchor as u64),
        start: start as u64,
        group_start: group_start.unwrap_or(start) as u64,
        group,
        entries,
        unlisted: None,
        standing: standing.copied(),
    }
}
