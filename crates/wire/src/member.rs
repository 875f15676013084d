//! The position of a member: [`MemberShape`], `{"rank": 17, "member": "u1", ..., "position": 17, "percentile": 98.4,
//! "above": {...}, "below": {...}}`.

use board::{Kind, Rules};
use merger::{MemberStanding, MemberView, RankedEntry, UnlistedView};
use shard_store::ShardEntry;

use crate::entry::{EntryShape, put_entry};
use crate::json::{JsonMembers, JsonText};
use crate::profile::ShownProfiles;

/// An entry, and its position if it is ranked.
#[derive(Debug)]
pub struct MemberShape<'a> {
    kind: &'a Kind,
    entry: &'a ShardEntry,
    ranking: Option<Ranking<'a>>,
    to_target: ToTarget,
    profiles: &'a ShownProfiles,
}

impl<'a> MemberShape<'a> {
    /// Returns the shape of a member with these profiles, if it has a standing.
    #[must_use]
    pub fn of(
        kind: &'a Kind,
        standing: &'a MemberStanding<MemberView, UnlistedView>,
        members: u64,
        profiles: &'a ShownProfiles,
    ) -> Option<Self> {
        let (entry, ranking) = match standing {
            MemberStanding::Ranked(view) => (&view.own().entry, Some(Ranking { view, members })),
            MemberStanding::Unlisted(view) => (&view.entry, None),
            MemberStanding::NoStanding => return None,
        };
        Some(Self {
            kind,
            entry,
            ranking,
            to_target: ToTarget::NotRequested,
            profiles,
        })
    }

    /// Adds the change of the first field that is required to reach a target; `None` if no change is sufficient.
    #[must_use]
    pub const fn with_target(mut self, change: Option<i64>) -> Self {
        self.to_target = ToTarget::Change(change);
        self
    }
}

/// The position of a ranked member among the others.
#[derive(Debug)]
struct Ranking<'a> {
    view: &'a MemberView,
    members: u64,
}

/// The change that is required to reach a target.
#[derive(Debug)]
enum ToTarget {
    /// No target was requested.
    NotRequested,
    /// The change of the first field; `None` if no change is sufficient.
    Change(Option<i64>),
}

/// A neighbour of the member, and the difference in the first field.
struct NeighbourShape<'a> {
    entry: EntryShape<'a>,
    gap: Option<i64>,
}

impl JsonMembers for NeighbourShape<'_> {
    fn put(&self, json: &mut JsonText) {
        self.entry.put(json);
        json.put(",\"gap\":");
        json.integer_or_null(self.gap);
    }
}

impl Ranking<'_> {
    /// Returns 100 · (members − position) / (members − 1), and 100 for a single member.
    fn percentile(&self) -> f64 {
        let position = self.view.own().position;
        if self.members <= 1 {
            return 100.0;
        }
        // Boards hold far fewer than 2^52 members.
        #[expect(clippy::cast_precision_loss)]
        let (below, others) = ((self.members - position) as f64, (self.members - 1) as f64);
        100.0 * below / others
    }
}

impl MemberShape<'_> {
    fn above<'a>(&'a self, ranking: &'a Ranking<'a>) -> Option<NeighbourShape<'a>> {
        self.neighbour(ranking, ranking.view.index.checked_sub(1)?)
    }

    fn below<'a>(&'a self, ranking: &'a Ranking<'a>) -> Option<NeighbourShape<'a>> {
        self.neighbour(ranking, ranking.view.index + 1)
    }

    fn neighbour<'a>(
        &'a self,
        ranking: &'a Ranking<'a>,
        index: usize,
    ) -> Option<NeighbourShape<'a>> {
        let ranked = ranking.view.around.get(index)?;
        let gap = gap(self.kind.rules(), ranked, ranking.view.own());
        let entry = EntryShape {
            kind: self.kind,
            ranked,
            profiles: self.profiles,
        };
        Some(NeighbourShape { entry, gap })
    }
}

/// Returns the difference of two entries in the first field; `None` if one has no value.
fn gap(rules: &Rules, a: &RankedEntry, b: &RankedEntry) -> Option<i64> {
    let first = |ranked: &RankedEntry| rules.values_of(&ranked.entry.key.words).get(0);
    Some((first(a)?.get() - first(b)?.get()).abs())
}

impl JsonMembers for MemberShape<'_> {
    fn put(&self, json: &mut JsonText) {
        let ranking = self.ranking.as_ref();
        let own = ranking.map(|ranking| ranking.view.own());
        put_entry(json, self.kind.rules(), own.map(|own| own.rank), self.entry);
        self.profiles.put(json, &self.entry.key.member);
        json.put(",\"position\":");
        json.integer_or_null(own.map(|own| own.position));
        json.put(",\"percentile\":");
        json.float_or_null(ranking.map(Ranking::percentile));
        json.put(",\"above\":");
        json.object_or_null(ranking.and_then(|it| self.above(it)).as_ref());
        json.put(",\"below\":");
        json.object_or_null(ranking.and_then(|it| self.below(it)).as_ref());
        if let ToTarget::Change(change) = self.to_target {
            json.put(",\"to_target\":");
            json.integer_or_null(change);
        }
    }
}
