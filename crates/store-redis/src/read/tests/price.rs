//! The cost of reads on a server, counted in its commands.

use std::collections::BTreeMap;

use crate::boards::fixtures::random_standings::{any_standing, points};
use crate::boards::fixtures::redis_standings::member;
use crate::boards::fixtures::written_window::{ShardReaders, WrittenWindow};
use shard_store::{Anchor, Groups, Query, RangeAsk, ShardQuery, ShardReading};
use testkit::dice::Dice;

/// A board of 2000 members that often tie.
fn filled(readers: &ShardReaders) -> WrittenWindow {
    let mut dice = Dice::new(7);
    let mut laid = readers.board(points(), 1);
    let standings = (0..2000).map(|number| {
        let standing = any_standing(&mut dice, laid.kind.rules());
        (member(&format!("u{number}")), standing)
    });
    let standings = standings.collect();
    laid.write(standings);
    laid
}

fn query(laid: &WrittenWindow, groups: Groups, ask: RangeAsk) -> Query {
    Query {
        window: laid.window,
        unless: None,
        groups,
        ranges: [ask].into(),
    }
}

/// Reads, and counts commands by name, except those of the count itself.
async fn counted(
    readers: &ShardReaders,
    laid: &WrittenWindow,
    query: &Query,
) -> (ShardReading, BTreeMap<String, u64>) {
    let query = query.clone();
    let shard = laid.shard;
    let (mut readings, calls) = counted_all(readers, laid, &[ShardQuery { shard, query }]).await;
    (readings.remove(0), calls)
}

/// The same of several shards.
async fn counted_all(
    readers: &ShardReaders,
    laid: &WrittenWindow,
    queries: &[ShardQuery],
) -> (Vec<ShardReading>, BTreeMap<String, u64>) {
    // The existence of the board is cached, as for a board in use.
    let placed = readers.incarnations.place(&laid.record, laid.shard).await;
    placed.unwrap();
    readers.redis.command(&["CONFIG", "RESETSTAT"]).ok();
    let readings = readers.reader.read(&laid.record, queries).await.unwrap();
    let info = readers.redis.command(&["INFO", "commandstats"]);
    let lines = info
        .text()
        .lines()
        .filter_map(|line| line.strip_prefix("cmdstat_"));
    let calls = lines.filter_map(|line| {
        let (name, rest) = line.split_once(":calls=")?;
        let calls = rest.split(',').next()?.parse().ok()?;
        (!name.starts_with("config")).then(|| (name.to_owned(), calls))
    });
    (readings, calls.collect())
}

fn calls<const N: usize>(calls: [(&str, u64); N]) -> BTreeMap<String, u64> {
    calls.map(|(name, count)| (name.to_owned(), count)).into()
}

const fn top() -> RangeAsk {
    RangeAsk {
        anchor: Anchor::Rank(0),
        before: 0,
        after: 100,
    }
}

#[tokio::test]
async fn a_top_is_one_range() {
    let readers = ShardReaders::plain().await;
    let laid = filled(&readers);
    for groups in [Groups::None, Groups::Start] {
        let query = query(&laid, groups, top());
        let (_, price) = counted(&readers, &laid, &query).await;
        let expected = [("fcall", 1), ("hmget", 1), ("zcard", 1), ("zrevrange", 1)];
        assert_eq!(price, calls(expected));
    }
}

#[tokio::test]
async fn what_is_known_already_is_not_looked_up() {
    let readers = ShardReaders::plain().await;
    let laid = filled(&readers);
    let mut query = query(&laid, Groups::None, RangeAsk::rank_of(Anchor::Rank(0)));
    let (seen, _) = counted(&readers, &laid, &query).await;
    query.unless = Some(seen.version);
    let (again, price) = counted(&readers, &laid, &query).await;
    assert_eq!(again.parts, None);
    assert_eq!(again.members, 2000);
    assert_eq!(price, calls([("fcall", 1), ("hmget", 1), ("zcard", 1)]));
}

#[tokio::test]
async fn a_member_costs_one_look_at_its_score_and_its_rank() {
    let readers = ShardReaders::plain().await;
    let laid = filled(&readers);
    let (_, price) = {
        let ask = RangeAsk::rank_of(Anchor::Member(member("u7")));
        counted(&readers, &laid, &query(&laid, Groups::None, ask)).await
    };
    let expected = [("fcall", 1), ("hmget", 2), ("zcard", 1), ("zrevrank", 1)];
    assert_eq!(price, calls(expected));
}

/// The group that ties with an entry is halved until its position is found: 2000 take 11 steps.
#[tokio::test]
async fn a_position_among_ties_is_found_by_bisection() {
    let readers = ShardReaders::plain().await;
    let laid = filled(&readers);
    for entry in laid.sorted().iter().step_by(97) {
        let ask = RangeAsk::rank_of(Anchor::Bound(board::Bound::key(&entry.key)));
        let (_, price) = counted(&readers, &laid, &query(&laid, Groups::None, ask)).await;
        assert_eq!(price["zcount"], 2);
        assert!(
            price.get("zrevrange").is_none_or(|steps| *steps <= 11),
            "{price:?}"
        );
    }
}

/// Outside of a cluster. The one with members is read as it is alone.
#[tokio::test]
async fn all_shards_are_read_in_one_call() {
    let readers = ShardReaders::plain().await;
    let laid = filled(&readers);
    let query = query(&laid, Groups::Start, top());
    let queries = (0..laid.record.shards.get()).map(|shard| ShardQuery {
        shard,
        query: query.clone(),
    });
    let queries: Vec<ShardQuery> = queries.collect();
    let (readings, price) = counted_all(&readers, &laid, &queries).await;
    let shards = queries.len() as u64;
    let expected = [
        ("fcall", 1),
        ("hmget", shards),
        ("zcard", shards),
        ("zrevrange", 1),
    ];
    assert_eq!(price, calls(expected));
    let (alone, _) = counted(&readers, &laid, &query).await;
    assert_eq!(readings[usize::from(laid.shard)], alone);
    assert_eq!(
        readings.iter().map(|reading| reading.members).sum::<u64>(),
        2000
    );
}

/// Each call has its own session: one after the other, they would take as many round trips as all.
#[tokio::test]
async fn without_scripts_each_shard_is_a_call() {
    let readers = ShardReaders::without_scripts().await;
    let laid = filled(&readers);
    let query = query(&laid, Groups::Start, RangeAsk::rank_of(Anchor::Rank(0)));
    let queries = (0..4).map(|shard| ShardQuery {
        shard,
        query: query.clone(),
    });
    let queries: Vec<ShardQuery> = queries.collect();
    let (_, price) = counted_all(&readers, &laid, &queries).await;
    assert_eq!((price.get("fcall"), price["exec"]), (None, 4));
}
