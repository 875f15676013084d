//! Entries: `{"rank": 1, "member": "u1", "points": 999, "reached_at": "..."}`. Where members can share a rank, which
//! then is not the position, `position` follows it.

use board::{FieldName, Kind, Member, RankStyle, Rules, Timestamp, Values};
use bytes::Bytes;
use merger::{MemberStanding, RankedEntry, Rendered};
use serde::{Serialize, Serializer};

use crate::json::JsonText;
use crate::profile::ShownProfiles;

/// The usual bytes of an entry.
const ENTRY_BYTES: usize = 96;

/// Returns whether `points` is the only field.
#[must_use]
pub fn is_points(rules: &Rules) -> bool {
    matches!(rules.fields(), [field] if field.name.as_str() == "points")
}

/// Returns whether entries show their position, which may differ from their rank.
pub(crate) fn has_own_position(kind: &Kind) -> bool {
    kind.rank_style() != RankStyle::Ordinal
}

pub(crate) fn text_of(time: Timestamp) -> String {
    time.to_string()
}

/// The fields of a standing.
#[expect(clippy::option_option, reason = "absent, or null")]
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Fields))]
pub struct FieldsShape {
    /// For kinds whose only field is `points`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(schema_with = crate::schema::points, required = false))]
    points: Option<Option<i64>>,
    /// For all other kinds: the fields by name, null if a field has no value yet.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "by_name")]
    #[cfg_attr(feature = "schema", schema(schema_with = crate::schema::values, required = false))]
    values: Option<Vec<(FieldName, Option<i64>)>>,
}

#[expect(clippy::ref_option, reason = "serde passes the field")]
fn by_name<S: Serializer>(
    values: &Option<Vec<(FieldName, Option<i64>)>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let values = values.iter().flatten();
    serializer.collect_map(values.map(|(name, value)| (name.as_str(), value)))
}

impl FieldsShape {
    /// Returns the values of a standing.
    #[must_use]
    pub fn of(rules: &Rules, values: &Values) -> Self {
        let value = |index| values.get(index).map(board::Value::get);
        if is_points(rules) {
            let (points, values) = (Some(value(0)), None);
            return Self { points, values };
        }
        let names = rules.fields().iter().map(|field| field.name.clone());
        Self {
            points: None,
            values: Some(names.zip((0..).map(value)).collect()),
        }
    }
}

/// Identifies the format of [`render`], which is the same for all servers of a release.
pub const RENDERER_FORMAT: &str = env!("CARGO_PKG_VERSION");

/// Renders merged entries for the merger's cache.
#[must_use]
pub fn render(kind: &Kind, entries: &[RankedEntry]) -> Rendered {
    render_with(kind, entries, &ShownProfiles::none())
}

/// Renders entries with these profiles.
#[must_use]
pub fn render_with(kind: &Kind, entries: &[RankedEntry], profiles: &ShownProfiles) -> Rendered {
    let mut json = JsonText::with_capacity(ENTRY_BYTES * entries.len());
    let mut ends = Vec::with_capacity(entries.len());
    for ranked in entries {
        json.separate();
        json.open_ranked(kind, ranked, profiles);
        json.put("}");
        ends.push(u32::try_from(json.len()).expect("a top is far smaller than 4 GiB"));
    }
    Rendered {
        bytes: Bytes::from(json.into_bytes()),
        ends,
    }
}

/// Renders what a lookup found of these members: an entry, or one whose `rank` is null if the member is not ranked.
#[must_use]
pub fn render_found(
    kind: &Kind,
    members: &[Member],
    found: &[MemberStanding<RankedEntry>],
    profiles: &ShownProfiles,
) -> Vec<u8> {
    let mut json = JsonText::with_capacity(ENTRY_BYTES * members.len());
    for (member, found) in members.iter().zip(found) {
        json.separate();
        match found {
            MemberStanding::Ranked(ranked) => json.open_ranked(kind, ranked, profiles),
            MemberStanding::Unlisted(entry) => json.open_entry(kind, (None, None), entry, profiles),
            MemberStanding::NoStanding => json.open_unknown(member, profiles),
        }
        json.put("}");
    }
    json.into_bytes()
}

#[cfg(test)]
mod tests {
    use shard_store::ShardEntry;

    use super::*;
    use crate::KindShape;

    #[test]
    fn entries_have_a_position_where_it_is_not_the_rank() {
        let style = |rank: &str| {
            let shape: KindShape =
                serde_json::from_str(&format!("{{\"rank\": {rank:?}}}")).unwrap();
            let kind = shape.into_kind("gifts").unwrap();
            let (rules, reached_at) = (kind.rules(), Timestamp::from_millis(0));
            let words = rules.rank_words(&Values::default(), reached_at);
            let key = rules.rank_key(words, Member::new("a").unwrap());
            let entry = ShardEntry { key, reached_at };
            let ranked = RankedEntry {
                rank: 1,
                position: 2,
                entry,
            };
            let rendered = render(&kind, &[ranked]);
            let entry: serde_json::Value = serde_json::from_slice(&rendered.bytes).unwrap();
            entry["position"].as_u64()
        };
        assert_eq!(
            ["ordinal", "competition", "dense"].map(style),
            [None, Some(2), Some(2)]
        );
    }

    #[test]
    fn members_without_a_standing_have_only_a_name() {
        let kind = KindShape::default().into_kind("gifts").unwrap();
        let member = Member::new("a\"b").unwrap();
        let (members, profiles) = ([member], ShownProfiles::none());
        let json = render_found(&kind, &members, &[MemberStanding::NoStanding], &profiles);
        assert_eq!(json, br#"{"rank":null,"member":"a\"b"}"#);
    }
}
