//! [`Agree`]: single reads, each compared with the twin.

use std::sync::Arc;

use board::{BoardName, Hidden, Kind, Member, RankStyle, Timestamp, Value, Values, Window};
use merger::{MemberAsk, MemberStanding, PositionView, ReadResult};

use crate::slices::check_slices;
use crate::stage::Stage;
use crate::twin::{Shown, Twin, all_shown, shown};

pub(crate) const ALL: Window = Window::ALL_TIME;

/// A board and its twin.
#[derive(Clone, Copy)]
pub(crate) struct Agree<'a> {
    pub(crate) stage: &'a Stage,
    /// The kind that it is read under; its rank style may differ from the stored kind's.
    pub(crate) kind: &'a Arc<Kind>,
    pub(crate) twin: &'a Twin,
}

impl Agree<'_> {
    fn style(&self) -> RankStyle {
        self.kind.rank_style()
    }

    fn board(&self) -> &BoardName {
        &self.stage.board
    }

    fn value<T>(&self, answer: ReadResult<T>) -> T {
        assert_eq!(answer.members, self.twin.len(), "members");
        answer.value
    }

    /// Checks that no read finds these members.
    pub(crate) async fn hides(&self, hidden: &Hidden) {
        let merger = &self.stage.merger;
        let members: Vec<Member> = hidden.iter().cloned().collect();
        let read = merger.lookup(self.board(), self.kind, ALL, &members).await;
        let read = self.value(read.unwrap());
        assert!(
            read.iter()
                .all(|found| *found == MemberStanding::NoStanding),
            "{read:?}"
        );
        for member in members.iter().take(5) {
            let read = merger.member(self.board(), self.kind, ALL, member, (2, 2));
            let found = read.await.unwrap().value;
            assert!(found.ranked().is_none(), "{member}");
        }
        let info = merger.info(self.board(), self.kind, ALL).await.unwrap();
        let nobody = Member::new("nobody").unwrap();
        for member in [&nobody].into_iter().chain(members.first()) {
            let ask = MemberAsk {
                counts_without_standing: true,
                ..(2, 2).into()
            };
            let read = merger.member(self.board(), self.kind, ALL, member, ask);
            let read = read.await.unwrap();
            assert_eq!(read.version, info.version);
            assert!(self.value(read).ranked().is_none(), "{member}");
        }
        let windows = self.value(info).windows;
        let counted: u64 = windows.iter().map(|window| window.members).sum();
        assert_eq!(counted, self.twin.len());
    }

    /// Checks the positions from `from` to `to`.
    pub(crate) async fn range(&self, from: u64, to: u64) {
        let merger = &self.stage.merger;
        let read = merger.range(self.board(), self.kind, ALL, from, to).await;
        let read = all_shown(self.kind, &self.value(read.unwrap()));
        let style = self.style();
        assert_eq!(read, self.twin.range(style, from, to), "{from} to {to}");
    }

    /// Checks the member at this position, with this many neighbours.
    pub(crate) async fn member(&self, position: u64, around: (u64, u64), target: Option<u64>) {
        let merger = &self.stage.merger;
        let member = &self.twin.at(self.style(), position).row.member;
        let ask = MemberAsk {
            target,
            ..around.into()
        };
        let read = merger.member(self.board(), self.kind, ALL, member, ask);
        let view = self.value(read.await.unwrap()).ranked().unwrap();
        let case = format!("{member} at {position}, {around:?} around, target {target:?}");
        assert_eq!(
            shown(self.kind, view.own()),
            self.twin.at(self.style(), position),
            "{case}"
        );
        let first = position.saturating_sub(around.0).max(1);
        assert_eq!(
            all_shown(self.kind, &view.around),
            self.twin.range(self.style(), first, position + around.1),
            "{case}"
        );
        let wanted = target.filter(|target| *target < position);
        assert_eq!(
            view.target.map(|entry| shown(self.kind, &entry)),
            wanted.map(|target| self.twin.at(self.style(), target)),
            "{case}"
        );
    }

    /// Checks a lookup of the members at these positions; 0 is a member that is not ranked.
    pub(crate) async fn lookup(&self, positions: &[u64]) {
        let merger = &self.stage.merger;
        let wanted: Vec<Option<Shown>> = positions
            .iter()
            .map(|position| (*position > 0).then(|| self.twin.at(self.style(), *position)))
            .collect();
        let nobody = Member::new("nobody").unwrap();
        let members: Vec<Member> = wanted
            .iter()
            .map(|shown| shown.as_ref().map_or(&nobody, |shown| &shown.row.member))
            .cloned()
            .collect();
        let read = merger.lookup(self.board(), self.kind, ALL, &members).await;
        let read = self.value(read.unwrap()).into_iter();
        let read: Vec<Option<Shown>> = read
            .map(|found| found.ranked().map(|entry| shown(self.kind, &entry)))
            .collect();
        assert_eq!(read, wanted);
    }

    /// Checks the entries whose first field is between these, and their number.
    pub(crate) async fn between(&self, ends: (Option<Value>, Option<Value>), limit: u64) {
        let merger = &self.stage.merger;
        let positions = self.twin.between(ends);
        let count = merger.count(self.board(), self.kind, ALL, ends).await;
        let count = self.value(count.unwrap());
        assert_eq!(count, positions.len() as u64, "count between {ends:?}");
        let at = |position| self.twin.at(self.style(), position);
        check_slices(self.stage, self.kind, Some(ends), limit, positions, at).await;
    }

    /// Checks the pages of all entries, from either end.
    pub(crate) async fn pages(&self, limit: u64) {
        let positions = (1..=self.twin.len()).collect();
        let at = |position| self.twin.at(self.style(), position);
        check_slices(self.stage, self.kind, None, limit, positions, at).await;
    }

    /// Checks the positions from `from` to `to`, counted from the worst.
    pub(crate) async fn range_from_worst(&self, from: u64, to: u64) {
        let merger = &self.stage.merger;
        let read = merger
            .range_from_worst(self.board(), self.kind, ALL, from, to)
            .await;
        let read = all_shown(self.kind, &self.value(read.unwrap()));
        let len = self.twin.len();
        let (best, worst) = (
            (len + 1).saturating_sub(to).max(1),
            (len + 1).saturating_sub(from),
        );
        let mut wanted = self.twin.range(self.style(), best, worst);
        wanted.reverse();
        assert_eq!(read, wanted, "{from} to {to} from the worst");
    }

    /// Checks the position that these values would have at that time.
    pub(crate) async fn position(&self, values: &Values, at: Timestamp) {
        let merger = &self.stage.merger;
        let read = merger
            .position(self.board(), self.kind, ALL, values, at)
            .await;
        let (rank, position) = self.twin.position_of(self.style(), values, at);
        assert_eq!(
            self.value(read.unwrap()),
            Some(PositionView { rank, position }),
            "{values:?} at {at}"
        );
    }

    /// Checks the cached top, merged again.
    pub(crate) async fn top(&self) {
        let merger = &self.stage.merger;
        let top = merger.top(self.board(), self.kind, ALL, true).await;
        let snapshot = top.unwrap().snapshot;
        assert_eq!(snapshot.members, self.twin.len(), "members");
        let wanted = self.twin.range(self.style(), 1, self.kind.top() as u64);
        let wanted: Vec<String> = wanted
            .iter()
            .map(|shown| format!("{}:{}:{}", shown.position, shown.rank, shown.row.member))
            .collect();
        let bytes = |n: usize| String::from_utf8(snapshot.rendered.first(n).to_vec()).unwrap();
        assert_eq!(bytes(usize::MAX), wanted.join(","));
        let few = wanted.len().min(3);
        assert_eq!(bytes(few), wanted[..few].join(","));
    }
}
