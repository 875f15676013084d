//! What reads return of one member, or of a count: [`member_json`], `{"rank": 17, "member": "u1", ..., "position": 17,
//! "percentile": 98.4, "above": {...}, "below": {...}}`; [`CountShape`], [`RankShape`].

use board::{Kind, Rules};
use merger::{MemberStanding, MemberView, RankedEntry, UnlistedView};
use serde::Serialize;

use crate::json::JsonText;
use crate::profile::ShownProfiles;

/// The usual bytes of a member with its neighbours.
const MEMBER_BYTES: usize = 512;

/// Returns the JSON of a member with its position, if it has a standing. All but the standing is null if the member is
/// not among the best that its kind ranks. `to_target`: the change of the first field that is required to reach a
/// target, null if no change is sufficient.
#[must_use]
pub fn member_json(
    kind: &Kind,
    standing: &MemberStanding<MemberView, UnlistedView>,
    members: u64,
    profiles: &ShownProfiles,
    to_target: Option<Option<i64>>,
) -> Option<Vec<u8>> {
    let mut json = JsonText::with_capacity(MEMBER_BYTES);
    match standing {
        MemberStanding::Ranked(view) => {
            let own = view.own();
            json.open_entry(kind, (Some(own.rank), None), &own.entry, profiles);
            json.put(",\"position\":");
            json.integer(own.position);
            json.put(",\"percentile\":");
            json.number(percentile(own.position, members));
            let mut neighbour = |key, ranked: Option<&RankedEntry>| {
                json.put(key);
                let Some(ranked) = ranked else {
                    return json.put("null");
                };
                json.open_ranked(kind, ranked, profiles);
                json.put(",\"gap\":");
                json.integer_or_null(gap(kind.rules(), ranked, own));
                json.put("}");
            };
            let above = view.index.checked_sub(1);
            neighbour(
                ",\"above\":",
                above.and_then(|index| view.around.get(index)),
            );
            neighbour(",\"below\":", view.around.get(view.index + 1));
        }
        MemberStanding::Unlisted(view) => {
            json.open_entry(kind, (None, None), &view.entry, profiles);
            json.put(",\"position\":null,\"percentile\":null,\"above\":null,\"below\":null");
        }
        MemberStanding::NoStanding => return None,
    }
    if let Some(to_target) = to_target {
        json.put(",\"to_target\":");
        json.integer_or_null(to_target);
    }
    json.put("}");
    Some(json.into_bytes())
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
            let json = member_json(&kind, &view, members, &profiles, Some(None));
            serde_json::from_slice::<Json>(&json.unwrap()).unwrap()
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
