//! What reads return of one member, or of a count: [`MemberShape`], `{"rank": 17, "member": "u1", ..., "position": 17,
//! "percentile": 98.4, "above": {...}, "below": {...}}`; [`CountShape`], [`RankShape`].

use board::{Kind, Rules};
use merger::{MemberStanding, MemberView, RankedEntry, UnlistedView};
use serde::Serialize;

use crate::entry::EntryShape;
use crate::profile::ShownProfiles;

/// A member with its position. All but the standing is null if the member is not among the best that its kind ranks.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Place))]
pub struct MemberShape<'a> {
    #[serde(flatten)]
    entry: EntryShape<'a>,
    /// 1 is best. No two members have the same position.
    #[cfg_attr(feature = "schema", schema(required, minimum = 1))]
    position: Option<u64>,
    /// 100 · (members − position) / (members − 1); 100 for the first.
    #[cfg_attr(feature = "schema", schema(required, minimum = 0, maximum = 100))]
    percentile: Option<f64>,
    /// The next better member.
    #[cfg_attr(feature = "schema", schema(required))]
    above: Option<NeighbourShape<'a>>,
    /// The next worse member.
    #[cfg_attr(feature = "schema", schema(required))]
    below: Option<NeighbourShape<'a>>,
    /// With `target`: the smallest change of the first field with which the position is at most the target; null if no
    /// change is sufficient.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(schema_with = crate::schema::to_target, required = false))]
    #[expect(clippy::option_option, reason = "absent, or null")]
    to_target: Option<Option<i64>>,
}

/// A neighbour of a member.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Neighbour))]
struct NeighbourShape<'a> {
    #[serde(flatten)]
    entry: EntryShape<'a>,
    /// The difference in the first field; null if one of the two has no value.
    #[cfg_attr(feature = "schema", schema(required, minimum = 0))]
    gap: Option<i64>,
}

impl<'a> MemberShape<'a> {
    /// Returns the shape of a member with these profiles, if it has a standing.
    #[must_use]
    pub fn of(
        kind: &Kind,
        standing: &'a MemberStanding<MemberView, UnlistedView>,
        members: u64,
        profiles: &'a ShownProfiles,
    ) -> Option<Self> {
        let rules = kind.rules();
        let view = match standing {
            MemberStanding::Ranked(view) => view,
            MemberStanding::Unlisted(view) => {
                return Some(Self {
                    entry: EntryShape::of(rules, None, &view.entry, profiles),
                    position: None,
                    percentile: None,
                    above: None,
                    below: None,
                    to_target: None,
                });
            }
            MemberStanding::NoStanding => return None,
        };
        let own = view.own();
        let neighbour = |index: usize| {
            let ranked = view.around.get(index)?;
            Some(NeighbourShape {
                entry: EntryShape::of_ranked(kind, ranked, profiles),
                gap: gap(rules, ranked, own),
            })
        };
        Some(Self {
            entry: EntryShape::of(rules, Some(own.rank), &own.entry, profiles),
            position: Some(own.position),
            percentile: Some(percentile(own.position, members)),
            above: view.index.checked_sub(1).and_then(neighbour),
            below: neighbour(view.index + 1),
            to_target: None,
        })
    }

    /// Adds the change of the first field that is required to reach a target; `None` if no change is sufficient.
    #[must_use]
    pub const fn with_target(mut self, change: Option<i64>) -> Self {
        self.to_target = Some(change);
        self
    }
}

/// Returns 100 · (members − position) / (members − 1), and 100 for a single member.
fn percentile(position: u64, members: u64) -> f64 {
    if members <= 1 {
        return 100.0;
    }
    // Boards hold far fewer than 2^52 members.
    #[expect(clippy::cast_precision_loss)]
    let (below, others) = ((members - position) as f64, (members - 1) as f64);
    100.0 * below / others
}

/// Returns the difference of two entries in the first field; `None` if one has no value.
fn gap(rules: &Rules, a: &RankedEntry, b: &RankedEntry) -> Option<i64> {
    let first = |ranked: &RankedEntry| rules.values_of(&ranked.entry.key.words).get(0);
    Some((first(a)?.get() - first(b)?.get()).abs())
}

/// How many members have a first field between two values.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Count))]
pub struct CountShape {
    /// How many members those are.
    pub count: u64,
}

/// Null where it would not be on the list of a kind that ranks only its best.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Rank))]
pub struct RankShape {
    /// What the kind's rank style makes of the position.
    #[cfg_attr(feature = "schema", schema(required))]
    pub rank: Option<u64>,
    /// 1 is best.
    #[cfg_attr(feature = "schema", schema(required))]
    pub position: Option<u64>,
}

#[cfg(test)]
mod tests {
    use board::{Member, Timestamp, Value, Values};
    use serde_json::{Value as Json, json};
    use shard_store::ShardEntry;

    use super::*;
    use crate::KindShape;

    #[test]
    fn a_member_has_its_position_and_its_neighbours() {
        let kind = KindShape::default().into_kind("gifts").unwrap();
        let rules = kind.rules();
        let reached_at = Timestamp::parse_rfc3339("2026-11-20T14:52:22.123000Z").unwrap();
        let ranked = |(position, points): (u64, i64)| {
            let values = Values::from([Value::new(points)]);
            let member = Member::new(&format!("u{position}")).unwrap();
            let key = rules.rank_key(rules.rank_words(&values, reached_at), member);
            RankedEntry {
                rank: position,
                position,
                entry: ShardEntry { key, reached_at },
            }
        };
        let around: Vec<_> = (1..).zip([9, 7, 3]).map(ranked).collect();
        let standing = rules.standing_from(&vec![0; rules.standing_len()]);
        let shown = |index, members| {
            let view = MemberStanding::Ranked(MemberView {
                around: around.clone(),
                index,
                standing,
                target: None,
            });
            let profiles = ShownProfiles::none();
            let shape = MemberShape::of(&kind, &view, members, &profiles).unwrap();
            serde_json::to_value(shape.with_target(None)).unwrap()
        };
        let at = "2026-11-20T14:52:22.123000Z";
        let expected = json!({
            "rank": 2, "member": "u2", "points": 7, "reached_at": at, "position": 2, "percentile": 50.0,
            "above": {"rank": 1, "member": "u1", "points": 9, "reached_at": at, "gap": 2},
            "below": {"rank": 3, "member": "u3", "points": 3, "reached_at": at, "gap": 4},
            "to_target": null,
        });
        assert_eq!(shown(1, 3), expected);
        let first = shown(0, 1);
        assert_eq!(
            (&first["above"], &first["percentile"]),
            (&Json::Null, &json!(100.0))
        );
        assert_eq!(shown(2, 3)["below"], Json::Null);
    }
}
