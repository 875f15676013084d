//! Divides the queries of a read into calls.

use redis_nodes::Location;
use shard_store::{Anchor, Query, RangeAsk, ShardQuery, ShardVersion};

/// The maximum number of shards of one call. Redis does nothing else meanwhile.
const SHARDS_A_CALL_MAX: usize = 32;

/// The maximum work of one call, in entries that it returns, unless that of a shard alone is more:
/// some 4 ms.
const WORK_A_CALL_MAX: usize = 4096;

/// The work of finding a bound, which is bisected among the members that tie.
const BOUND_WORK: usize = 32;

/// The work of finding a rank or a member.
const POSITION_WORK: usize = 4;

/// A query of one shard, as it is sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    /// The index of its query.
    pub(super) index: usize,
    pub(super) shard: u16,
    pub(super) query: &'a Query,
    /// The version at whose counter no parts are returned.
    pub(super) unless: Option<ShardVersion>,
}

/// The queries of one call.
#[derive(Debug)]
pub(super) struct ReadCall<'a> {
    /// The location of the first shard.
    pub(super) place: Location,
    pub(super) asked: Vec<Asked<'a>>,
    work: usize,
}

impl ReadCall<'_> {
    fn takes(&self, query: &Query, work: usize) -> bool {
        let first = self.asked[0].query;
        (first.window, first.groups) == (query.window, query.groups)
            && self.asked.len() < SHARDS_A_CALL_MAX
            && self.work.saturating_add(work) <= WORK_A_CALL_MAX
    }
}

/// Returns the calls for queries of shards at these locations: one for each, or, where `is_joined`,
/// one for many on the same server.
pub(super) fn calls<'a>(
    queries: &'a [ShardQuery],
    places: &[Location],
    is_joined: impl Fn(Location) -> bool,
) -> Vec<ReadCall<'a>> {
    let mut calls: Vec<ReadCall<'a>> = Vec::new();
    for (index, (query, place)) in queries.iter().zip(places).enumerate() {
        let ShardQuery { shard, query } = query;
        let asked = Asked {
            index,
            shard: *shard,
            query,
            unless: query.unless,
        };
        let work = work(query);
        let mut latest_first = calls.iter_mut().rev();
        let latest = latest_first.find(|call| call.place.server == place.server);
        match latest.filter(|call| call.takes(query, work) && is_joined(*place)) {
            Some(call) => {
                call.asked.push(asked);
                call.work += work;
            }
            None => calls.push(ReadCall {
                place: *place,
                asked: vec![asked],
                work,
            }),
        }
    }
    calls
}

fn work(query: &Query) -> usize {
    let asks = query.ranges.iter();
    asks.fold(0, |work, ask| work.saturating_add(work_of(ask)))
}

/// Returns the work of a range.
pub(crate) fn work_of(ask: &RangeAsk) -> usize {
    let position = match ask.anchor {
        Anchor::Bound(_) => BOUND_WORK,
        Anchor::Rank(_) | Anchor::Member(_) => POSITION_WORK,
    };
    let entries = ask.before.saturating_add(ask.after);
    position.saturating_add(entries)
}

#[cfg(test)]
mod tests {
    use board::{Bound, Period, RankWords, Timestamp, Window};
    use redis_nodes::ServerId;
    use shard_store::Groups;

    use super::*;

    fn query(shard: u16, after: usize) -> ShardQuery {
        let ask = RangeAsk {
            anchor: Anchor::Rank(0),
            before: 0,
            after,
        };
        let query = Query {
            window: Window::ALL_TIME,
            unless: None,
            groups: Groups::None,
            ranges: [ask].into(),
        };
        ShardQuery { shard, query }
    }

    /// The shards are spread over so many servers.
    fn places(queries: &[ShardQuery], servers: u16) -> Vec<Location> {
        let place = |asked: &ShardQuery| Location {
            slot: 100 * asked.shard,
            server: (servers > 0).then(|| ServerId(u64::from(asked.shard % servers))),
        };
        queries.iter().map(place).collect()
    }

    fn shards(calls: &[ReadCall<'_>]) -> Vec<Vec<u16>> {
        let shards = |call: &ReadCall<'_>| call.asked.iter().map(|asked| asked.shard).collect();
        calls.iter().map(shards).collect()
    }

    #[test]
    fn shards_of_one_server_share_a_call() {
        let queries: Vec<_> = (0..6).map(|shard| query(shard, 10)).collect();
        let all = calls(&queries, &places(&queries, 0), |_| true);
        assert_eq!(shards(&all), [[0, 1, 2, 3, 4, 5]]);
        let spread = calls(&queries, &places(&queries, 3), |_| true);
        assert_eq!(shards(&spread), [[0, 3], [1, 4], [2, 5]]);
        assert_eq!(spread[1].asked[1].index, 4);
    }

    #[test]
    fn in_a_cluster_each_shard_is_a_call() {
        let queries: Vec<_> = (0..3).map(|shard| query(shard, 10)).collect();
        let all = calls(&queries, &places(&queries, 0), |_| false);
        assert_eq!(shards(&all), [[0], [1], [2]]);
        assert_eq!(all[2].place.slot, 200);
    }

    #[test]
    fn a_call_has_one_window() {
        let mut queries: Vec<_> = (0..3).map(|shard| query(shard, 10)).collect();
        let hour = Window::starting_at(Period::Hour, Timestamp::from_millis(0));
        queries[1].query.window = hour;
        let all = calls(&queries, &places(&queries, 0), |_| true);
        assert_eq!(shards(&all), [[0], [1], [2]]);
    }

    #[test]
    fn calls_have_bounds() {
        let queries: Vec<_> = (0..70).map(|shard| query(shard, 10)).collect();
        let lens = |queries: &[ShardQuery]| -> Vec<usize> {
            let all = calls(queries, &places(queries, 0), |_| true);
            all.iter().map(|call| call.asked.len()).collect()
        };
        assert_eq!(lens(&queries), [32, 32, 6]);
        let queries: Vec<_> = (0..5).map(|shard| query(shard, 2_000)).collect();
        assert_eq!(lens(&queries), [2, 2, 1]);
        let queries: Vec<_> = (0..2).map(|shard| query(shard, usize::MAX)).collect();
        assert_eq!(lens(&queries), [1, 1]);
        let mut queries: Vec<_> = (0..6).map(|shard| query(shard, 0)).collect();
        let bound = Bound::prefix(RankWords::new(&[7]));
        for asked in &mut queries {
            let ask = RangeAsk::rank_of(Anchor::Bound(bound.clone()));
            asked.query.ranges = vec![ask; 40].into();
        }
        assert_eq!(lens(&queries), [3, 3]);
    }
}
