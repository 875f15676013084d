//! One member's place: `{"rank": 17, "member": "u1", ..., "position": 17, "percentile": 98.4, "above": {...}, "below": {...}}`.

use board::Rules;
use merger::{MemberStanding, MemberView, RankedEntry, UnlistedView};
use serde::ser::{Serialize, SerializeMap, Serializer};
use shard_store::ShardEntry;

use crate::entry::{EntryShape, put_entry};

/// The entry, and where it stands; off the list of a kind that ranks only its best it stands nowhere.
#[derive(Debug)]
pub struct MemberShape<'a> {
    rules: &'a Rules,
    entry: &'a ShardEntry,
    stands: Option<Stands<'a>>,
    to_target: ToTarget,
}

impl<'a> MemberShape<'a> {
    /// Returns the place of a member, if it has a standing.
    #[must_use]
    pub fn of(
        rules: &'a Rules,
        found: &'a MemberStanding<MemberView, UnlistedView>,
        members: u64,
    ) -> Option<Self> {
        let (entry, stands) = match found {
            MemberStanding::Ranked(view) => (&view.own().entry, Some(Stands { view, members })),
            MemberStanding::Unlisted(view) => (&view.entry, None),
            MemberStanding::NoStanding => return None,
        };
        Some(Self {
            rules,
            entry,
            stands,
            to_target: ToTarget::NotAsked,
        })
    }

    /// Adds what it takes to stand at a target: this change of the first field, or null if no change does.
    #[must_use]
    pub const fn with_target(mut self, change: Option<i64>) -> Self {
        self.to_target = ToTarget::Change(change);
        self
    }
}

/// A place among others.
#[derive(Debug)]
struct Stands<'a> {
    view: &'a MemberView,
    members: u64,
}

/// What it takes to stand at a target.
#[derive(Debug)]
enum ToTarget {
    NotAsked,
    /// This change of the first field; null where none does it.
    Change(Option<i64>),
}

/// An entry next to the member, and how much of the first field lies between.
struct NeighbourShape<'a> {
    entry: EntryShape<'a>,
    gap: Option<i64>,
}

impl Serialize for NeighbourShape<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entry.put_into(&mut map)?;
        map.serialize_entry("gap", &self.gap)?;
        map.end()
    }
}

impl Stands<'_> {
    /// 100 · (members − position) / (members − 1), 100 for the first, alone too.
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

    fn above<'a>(&'a self, rules: &'a Rules) -> Option<NeighbourShape<'a>> {
        self.neighbour(rules, self.view.index.checked_sub(1)?)
    }

    fn below<'a>(&'a self, rules: &'a Rules) -> Option<NeighbourShape<'a>> {
        self.neighbour(rules, self.view.index + 1)
    }

    fn neighbour<'a>(&'a self, rules: &'a Rules, place: usize) -> Option<NeighbourShape<'a>> {
        let ranked = self.view.around.get(place)?;
        let gap = gap(rules, ranked, self.view.own());
        let entry = EntryShape { rules, ranked };
        Some(NeighbourShape { entry, gap })
    }
}

/// How much of the first field lies between two entries; null where one has none.
fn gap(rules: &Rules, a: &RankedEntry, b: &RankedEntry) -> Option<i64> {
    let first = |ranked: &RankedEntry| rules.values_of(&ranked.entry.key.words).get(0);
    Some((first(a)?.get() - first(b)?.get()).abs())
}

impl Serialize for MemberShape<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let own = self.stands.as_ref().map(|stands| stands.view.own());
        put_entry(&mut map, self.rules, own.map(|own| own.rank), self.entry)?;
        map.serialize_entry("position", &own.map(|own| own.position))?;
        let stands = self.stands.as_ref();
        map.serialize_entry("percentile", &stands.map(Stands::percentile))?;
        map.serialize_entry("above", &stands.and_then(|it| it.above(self.rules)))?;
        map.serialize_entry("below", &stands.and_then(|it| it.below(self.rules)))?;
        if let ToTarget::Change(change) = self.to_target {
            map.serialize_entry("to_target", &change)?;
        }
        map.end()
    }
}
