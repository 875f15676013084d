//! Boards of which only the best are ranked: every read equals the naive twin up to the end of the list, and nothing
//! after it has a position. Over shards that have all members, and over shards that have no more than they need; some
//! members of many boards are hidden, and the list is shorter by them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use board::{
    Direction, Hidden, Kind, KindSpec, Member, Period, RankStyle, Retain, Ties, Timestamp,
    WindowRule,
};
use merger::{MemberAsk, MemberStanding, PositionView};
use tokio::runtime::Builder;

use crate::agree::ALL;
use crate::kinds::{kind, nullable};
use crate::million::long;
use crate::random::{Random, seed};
use crate::slices::check_slices;
use crate::small_boards::{end, hidden, pick, rows, small, values};
use crate::stage::{NOW_MS, Stage, hooked, row};
use crate::trimmed;
use crate::twin::{Row, Shown, Twin, all_shown, shown};

/// A board, its whole order, and how many are ranked.
struct List {
    stage: Stage,
    /// All members.
    whole: Twin,
    /// The members that are not hidden.
    twin: Twin,
    keep: u64,
    style: RankStyle,
}

#[test]
fn every_read_equals_the_twin_up_to_the_end() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let boards = if long() { 5000 } else { 300 };
    let first = seed().rotate_left(32);
    for board in first..first + boards {
        println!("board {board}");
        runtime.block_on(check_list(Random::new(board)));
    }
}

async fn check_list(mut random: Random) {
    let list = any_list(&mut random).await;
    list.top().await;
    for _ in 0..20 {
        let from = random.within(1, list.keep + 3);
        list.range(from, from + random.below(500)).await;
        list.range_from_worst(from, from + random.below(500)).await;
        list.member(&mut random).await;
        list.between(&mut random).await;
        list.position(&mut random).await;
    }
    list.range(1000, 1999).await;
    list.lookup().await;
}

async fn any_list(random: &mut Random) -> List {
    let fields = random.within(1, 3);
    let orders: Vec<Direction> = (0..fields)
        .map(|_| [Direction::Desc, Direction::Asc][pick(random, 2)])
        .collect();
    let ties = [Ties::Earliest, Ties::Latest, Ties::Member][pick(random, 3)];
    let keep = random.within(1, 200);
    let mut spec = nullable(1 << random.below(7), &orders, ties);
    spec.top = random.within(1, keep);
    spec.rank = [RankStyle::Ordinal, RankStyle::Competition, RankStyle::Dense][pick(random, 3)];
    spec.retain = Some(Retain {
        approximate: true,
        ..Retain::best(keep)
    });
    let style = spec.rank;
    let store = hooked();
    // Stores that trim lists refuse such kinds with dense ranks.
    if random.below(3) > 0 && style != RankStyle::Dense {
        let best = keep + random.below(20);
        store.read_by(move |inner, board, asked| trimmed::read(inner, board, asked, best));
    }
    let mut stage = Stage::over(store, kind(spec), 64 << 20).await;
    let rows = rows(random, orders.len());
    stage.set(&stage.board, &rows).await;
    let hidden = hidden(random, &rows);
    stage.kind = Arc::new(Kind::clone(&stage.kind).hiding(hidden.clone()));
    let whole = Twin::new(stage.kind.rules(), rows.clone());
    let seen = rows.into_iter().filter(|row| !hidden.contains(&row.member));
    let twin = Twin::new(stage.kind.rules(), seen.collect());
    List {
        stage,
        whole,
        twin,
        keep,
        style,
    }
}

impl List {
    /// Returns how many are ranked: those of the best that are not hidden.
    fn len(&self) -> u64 {
        let best = self
            .whole
            .rows
            .iter()
            .take(usize::try_from(self.keep).unwrap());
        let hidden = self.stage.kind.hidden();
        best.filter(|row| !hidden.contains(&row.member)).count() as u64
    }

    fn shown(&self, from: u64, to: u64) -> Vec<Shown> {
        self.twin.range(self.style, from, to.min(self.len()))
    }

    async fn top(&self) {
        let top = self.stage.top(true).await.unwrap().snapshot;
        assert_eq!(top.members, self.len());
        let wanted = self.shown(1, self.stage.kind.top() as u64);
        let wanted: Vec<String> = wanted
            .iter()
            .map(|shown| format!("{}:{}:{}", shown.position, shown.rank, shown.row.member))
            .collect();
        assert_eq!(top.rendered.bytes, wanted.join(","));
    }

    async fn range(&self, from: u64, to: u64) {
        let Stage {
            merger,
            board,
            kind,
            ..
        } = &self.stage;
        let read = merger.range(board, kind, ALL, from, to).await.unwrap();
        assert_eq!(read.members, self.len());
        let wanted = self.shown(from, to);
        assert_eq!(all_shown(kind, &read.value), wanted, "{from} to {to}");
    }

    async fn member(&self, random: &mut Random) {
        if self.twin.len() == 0 {
            return;
        }
        let Stage {
            merger,
            board,
            kind,
            ..
        } = &self.stage;
        let position = random.within(1, self.twin.len());
        let own = self.twin.at(self.style, position);
        let around = (random.below(6), random.below(6));
        let target = random.within(1, self.keep);
        let ask = MemberAsk {
            target: Some(target),
            ..around.into()
        };
        let read = merger.member(board, kind, ALL, &own.row.member, ask);
        let read = read.await.unwrap();
        assert_eq!(read.members, self.len());
        let is_there = target < position && target <= self.len();
        let at_target = is_there.then(|| self.twin.at(self.style, target));
        let case = format!("{position} of {}, target {target}", self.keep);
        match read.value {
            MemberStanding::Ranked(view) => {
                assert!(position <= self.len(), "{case}");
                assert_eq!(shown(kind, view.own()), own, "{case}");
                let first = position.saturating_sub(around.0).max(1);
                let wanted = self.shown(first, position + around.1);
                assert_eq!(all_shown(kind, &view.around), wanted, "{case}");
                let target = view.target.map(|there| shown(kind, &there));
                assert_eq!(target, at_target, "{case}");
            }
            MemberStanding::Unlisted(view) => {
                assert!(position > self.len(), "{case}");
                assert_eq!(self.row(&view.entry), own.row, "{case}");
                let target = view.target.map(|there| shown(kind, &there));
                assert_eq!(target, at_target, "{case}");
            }
            MemberStanding::NoStanding => panic!("{case}: no standing"),
        }
    }

    fn row(&self, entry: &shard_store::ShardEntry) -> Row {
        Row {
            member: entry.key.member.clone(),
            values: self.stage.kind.rules().values_of(&entry.key.words),
            at: entry.reached_at,
        }
    }

    async fn between(&self, random: &mut Random) {
        let Stage {
            merger,
            board,
            kind,
            ..
        } = &self.stage;
        let (ends, limit) = ((end(random), end(random)), random.within(1, 250));
        let listed = self.twin.between(ends).into_iter();
        let listed: Vec<u64> = listed.filter(|position| *position <= self.len()).collect();
        let count = merger.count(board, kind, ALL, ends).await.unwrap();
        assert_eq!(count.members, self.len());
        assert_eq!(count.value, listed.len() as u64, "count between {ends:?}");
        let at = |position| self.twin.at(self.style, position);
        check_slices(&self.stage, kind, Some(ends), limit, listed, at).await;
        let all = (1..=self.len()).collect();
        check_slices(&self.stage, kind, None, limit, all, at).await;
    }

    async fn range_from_worst(&self, from: u64, to: u64) {
        let Stage {
            merger,
            board,
            kind,
            ..
        } = &self.stage;
        let read = merger
            .range_from_worst(board, kind, ALL, from, to)
            .await
            .unwrap();
        assert_eq!(read.members, self.len());
        let mut wanted = self.shown(1, u64::MAX);
        wanted.reverse();
        let wanted = wanted.into_iter().skip(usize::try_from(from - 1).unwrap());
        let wanted: Vec<Shown> = wanted
            .take(usize::try_from(to - from + 1).unwrap())
            .collect();
        assert_eq!(
            all_shown(kind, &read.value),
            wanted,
            "{from} to {to} from the worst"
        );
    }

    async fn position(&self, random: &mut Random) {
        let Stage {
            merger,
            board,
            kind,
            ..
        } = &self.stage;
        let at = Timestamp::from_millis(NOW_MS - small(random, 5) + 1);
        let values = values(random, kind.rules().fields().len());
        let read = merger
            .position(board, kind, ALL, &values, at)
            .await
            .unwrap();
        assert_eq!(read.members, self.len());
        let (rank, position) = self.twin.position_of(self.style, &values, at);
        let among_all = self.whole.position_of(self.style, &values, at).1;
        let wanted = (among_all <= self.keep).then_some(PositionView { rank, position });
        assert_eq!(read.value, wanted, "{values:?} at {at}");
    }

    async fn lookup(&self) {
        let Stage {
            merger,
            board,
            kind,
            ..
        } = &self.stage;
        let rows = self.twin.rows.iter();
        let mut members: Vec<_> = rows.map(|row| row.member.clone()).collect();
        members.push(board::Member::new("nobody").unwrap());
        let read = merger.lookup(board, kind, ALL, &members).await.unwrap();
        assert_eq!(read.members, self.len());
        for (position, found) in (1..).zip(read.value) {
            match found {
                MemberStanding::Ranked(there) => {
                    assert!(position <= self.len());
                    assert_eq!(shown(kind, &there), self.twin.at(self.style, position));
                }
                MemberStanding::Unlisted(entry) => {
                    assert!(position > self.len());
                    let own = self.twin.at(self.style, position);
                    assert_eq!(self.row(&entry), own.row);
                }
                MemberStanding::NoStanding => assert_eq!(position, self.twin.len() + 1),
            }
        }
    }
}

/// Returns a kind of four shards that ranks its best three.
fn best_three() -> KindSpec {
    let mut spec = crate::kinds::points(4);
    spec.top = 3;
    spec.retain = Some(Retain {
        approximate: true,
        ..Retain::best(3)
    });
    spec
}

fn without(kind: &Kind, member: &str) -> Arc<Kind> {
    let hidden = Hidden::new([Member::new(member).unwrap()]);
    Arc::new(kind.clone().hiding(hidden.unwrap()))
}

#[tokio::test]
async fn boards_report_how_many_are_listed() {
    let stage = Stage::in_memory(kind(best_three())).await;
    for (member, points) in [("a", 1), ("b", 2)] {
        stage.points(member, points).await;
    }
    let listed = async |kind: &Arc<Kind>| {
        let info = stage.merger.info(&stage.board, kind, ALL).await;
        let info = info.unwrap();
        (info.members, info.value.windows[0].members)
    };
    assert_eq!(listed(&stage.kind).await, (2, 2));
    for (member, points) in [("c", 3), ("d", 4)] {
        stage.points(member, points).await;
    }
    assert_eq!(listed(&stage.kind).await, (3, 3));
    assert_eq!(listed(&without(&stage.kind, "c")).await, (2, 2));
    // Not on the list, which stays as long.
    assert_eq!(listed(&without(&stage.kind, "a")).await, (3, 3));
}

#[tokio::test]
async fn boards_report_how_many_each_window_lists() {
    let mut spec = best_three();
    spec.windows = [Period::Hour, Period::All]
        .map(WindowRule::with_defaults)
        .into();
    let stage = Stage::in_memory(kind(spec)).await;
    let now = Timestamp::from_millis(NOW_MS);
    let earlier = Timestamp::from_millis(NOW_MS - 1);
    for (member, points, at) in [("a", 1, earlier), ("b", 2, earlier), ("c", 3, now)] {
        let row = Row {
            at,
            ..row(member, points)
        };
        stage.set(&stage.board, &[row]).await;
    }
    let hour = |at| stage.kind.calendar().span_at(Period::Hour, at).window;
    let listed = async |kind: &Arc<Kind>| {
        let info = stage.merger.info(&stage.board, kind, ALL).await;
        let windows = info.unwrap().value.windows;
        [hour(earlier), hour(now), ALL].map(|window| {
            let found = windows.iter().find(|listed| listed.window == window);
            found.unwrap().members
        })
    };
    assert_eq!(listed(&stage.kind).await, [2, 1, 3]);
    assert_eq!(listed(&without(&stage.kind, "a")).await, [1, 1, 2]);
}

/// A hidden member that falls off the list while it is read frees a position.
#[tokio::test]
async fn a_hidden_member_may_move_between_the_rounds() {
    let (store, stage) = Stage::hooked(kind(best_three())).await;
    for (member, points) in [("a", 9), ("b", 8), ("c", 7), ("d", 6)] {
        stage.points(member, points).await;
    }
    let kind = without(&stage.kind, "a");
    let reads = AtomicU64::new(0);
    let stage = Arc::new(stage);
    let writer = stage.clone();
    store.before_reads(move |_| {
        // The first read locates the hidden member, four more count what is above it.
        let falls = reads.fetch_add(1, Ordering::SeqCst) == 1;
        let writer = writer.clone();
        async move {
            if falls {
                writer.points("a", 1).await;
            }
            Ok(())
        }
    });
    let range = stage.merger.range(&stage.board, &kind, ALL, 1, 10);
    let range = range.await.unwrap();
    let members: Vec<&str> = range
        .value
        .iter()
        .map(|e| e.entry.key.member.as_str())
        .collect();
    assert_eq!((range.members, members), (3, vec!["b", "c", "d"]));
    store.clear_hooks();
    let top = stage.merger.top(&stage.board, &kind, ALL, true).await;
    assert_eq!(crate::stage::text(&top.unwrap()), "1:1:b,2:2:c,3:3:d");
}
