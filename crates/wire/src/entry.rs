//! Entries: `{"rank": 1, "member": "u1", "points": 999, "reached_at": "..."}`. Where members can share a rank, which
//! then is not the position, `position` follows it.

use board::{FieldName, Kind, Member, RankStyle, Rules, Timestamp, Values};
use bytes::Bytes;
use merger::{MemberStanding, RankedEntry, Rendered};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use shard_store::ShardEntry;

use crate::json::EntryText;
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

/// A member with its standing: `points`, or `values` of kinds with other fields.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Entry))]
pub struct EntryShape<'a> {
    /// The rank by the kind's rank style; null if the member is not ranked.
    #[cfg_attr(feature = "schema", schema(required))]
    rank: Option<u64>,
    /// Where members can share a rank (`competition`, `dense`): the position of one that is ranked. Elsewhere it is the
    /// rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = false, minimum = 1))]
    position: Option<u64>,
    /// The member.
    #[cfg_attr(feature = "schema", schema(example = "u1"))]
    member: &'a str,
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schema(inline))]
    fields: FieldsShape,
    /// When the standing was reached.
    #[cfg_attr(feature = "schema", schema(format = DateTime))]
    reached_at: String,
    /// With `profiles`: the member's profile, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<crate::ProfileWritten>, nullable = false))]
    profile: Option<&'a RawValue>,
}

impl<'a> EntryShape<'a> {
    /// Returns an entry, without a position.
    pub(crate) fn of(
        rules: &Rules,
        rank: Option<u64>,
        entry: &'a ShardEntry,
        profiles: &'a ShownProfiles,
    ) -> Self {
        Self {
            rank,
            position: None,
            member: entry.key.member.as_str(),
            fields: FieldsShape::of(rules, &rules.values_of(&entry.key.words)),
            reached_at: text_of(entry.reached_at),
            profile: profiles.raw(&entry.key.member),
        }
    }

    /// Returns a ranked entry, with its position where that is not the rank.
    pub(crate) fn of_ranked(
        kind: &Kind,
        ranked: &'a RankedEntry,
        profiles: &'a ShownProfiles,
    ) -> Self {
        Self {
            position: has_own_position(kind).then_some(ranked.position),
            ..Self::of(kind.rules(), Some(ranked.rank), &ranked.entry, profiles)
        }
    }
}

/// The result of a lookup: an entry, or `rank` null if the member is not ranked.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Found))]
pub struct LookedUpShape<'a> {
    /// The rank; null if the member is not ranked.
    #[cfg_attr(feature = "schema", schema(required))]
    rank: Option<u64>,
    /// Where members can share a rank (`competition`, `dense`): the position of one that is ranked. Elsewhere it is the
    /// rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = false, minimum = 1))]
    position: Option<u64>,
    /// The requested member.
    #[cfg_attr(feature = "schema", schema(example = "u1"))]
    member: &'a str,
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schema(inline))]
    fields: FieldsShape,
    /// When the standing was reached, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, format = DateTime))]
    reached_at: Option<String>,
    /// With `profiles`: the member's profile, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<crate::ProfileWritten>, nullable = false))]
    profile: Option<&'a RawValue>,
}

impl<'a> LookedUpShape<'a> {
    /// Returns what was found of a member.
    #[must_use]
    pub fn of(
        kind: &Kind,
        member: &'a Member,
        found: &'a MemberStanding<RankedEntry>,
        profiles: &'a ShownProfiles,
    ) -> Self {
        let entry = match found {
            MemberStanding::Ranked(ranked) => EntryShape::of_ranked(kind, ranked, profiles),
            MemberStanding::Unlisted(entry) => EntryShape::of(kind.rules(), None, entry, profiles),
            MemberStanding::NoStanding => {
                return Self {
                    rank: None,
                    position: None,
                    member: member.as_str(),
                    fields: FieldsShape {
                        points: None,
                        values: None,
                    },
                    reached_at: None,
                    profile: profiles.raw(member),
                };
            }
        };
        Self {
            rank: entry.rank,
            position: entry.position,
            member: entry.member,
            fields: entry.fields,
            reached_at: Some(entry.reached_at),
            profile: entry.profile,
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
    let mut json = EntryText::with_capacity(ENTRY_BYTES * entries.len());
    let mut ends = Vec::with_capacity(entries.len());
    for ranked in entries {
        json.push(kind, ranked, profiles);
        ends.push(u32::try_from(json.len()).expect("a top is far smaller than 4 GiB"));
    }
    Rendered {
        bytes: Bytes::from(json.into_bytes()),
        ends,
    }
}

#[cfg(test)]
mod tests {
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
        let profiles = ShownProfiles::none();
        let found = LookedUpShape::of(&kind, &member, &MemberStanding::NoStanding, &profiles);
        let json = serde_json::to_string(&found).unwrap();
        assert_eq!(json, r#"{"rank":null,"member":"a\"b"}"#);
    }
}
