//! Entries: `{"rank": 1, "member": "u1", "points": 999, "reached_at": "..."}`. Where members can share a rank, which then
//! is not the position, `position` follows it.

use board::{Kind, Member, RankStyle, Rules, Timestamp, Values};
use bytes::Bytes;
use merger::{MemberStanding, RankedEntry, Rendered};
use shard_store::ShardEntry;

use crate::json::{JsonMembers, JsonText};
use crate::profile::ShownProfiles;

/// The usual bytes of an entry.
const ENTRY_BYTES: usize = 96;

/// Returns whether `points` is the only field.
#[must_use]
pub fn is_points(rules: &Rules) -> bool {
    matches!(rules.fields(), [field] if field.name.as_str() == "points")
}

pub(crate) fn text_of(time: Timestamp) -> String {
    time.to_string()
}

/// An entry.
#[derive(Debug)]
pub struct EntryShape<'a> {
    /// The kind.
    pub kind: &'a Kind,
    /// The member with its rank.
    pub ranked: &'a RankedEntry,
    /// The profiles to show.
    pub profiles: &'a ShownProfiles,
}

impl JsonMembers for EntryShape<'_> {
    #[inline]
    fn put(&self, json: &mut JsonText) {
        put_ranked(json, self.kind, self.ranked);
        self.profiles.put(json, &self.ranked.entry.key.member);
    }
}

/// Adds the members of an entry to an object, with its position where that is not the rank.
fn put_ranked(json: &mut JsonText, kind: &Kind, ranked: &RankedEntry) {
    json.put(",\"rank\":");
    json.integer(ranked.rank);
    if kind.rank_style() != RankStyle::Ordinal {
        json.put(",\"position\":");
        json.integer(ranked.position);
    }
    put_standing(json, kind.rules(), &ranked.entry);
}

/// Adds the members of an entry to an object, without a position. `rank` is null for a member that is not ranked.
pub(crate) fn put_entry(json: &mut JsonText, rules: &Rules, rank: Option<u64>, entry: &ShardEntry) {
    json.put(",\"rank\":");
    json.integer_or_null(rank);
    put_standing(json, rules, entry);
}

/// Adds the member and its standing to an object.
fn put_standing(json: &mut JsonText, rules: &Rules, entry: &ShardEntry) {
    json.put(",\"member\":\"");
    json.escaped(entry.key.member.as_str());
    json.put("\"");
    put_fields(json, rules, &rules.values_of(&entry.key.words));
    json.put(",\"reached_at\":");
    json.time(entry.reached_at);
}

/// Adds the member `points`, or `values` of kinds with other fields.
fn put_fields(json: &mut JsonText, rules: &Rules, values: &Values) {
    let value = |index| values.get(index).map(board::Value::get);
    if is_points(rules) {
        json.put(",\"points\":");
        json.integer_or_null(value(0));
        return;
    }
    let mut before = ",\"values\":{";
    for (index, field) in rules.fields().iter().enumerate() {
        json.put(before);
        json.string(field.name.as_str());
        json.put(":");
        json.integer_or_null(value(index));
        before = ",";
    }
    json.put("}");
}

/// The result of a lookup of a member: an entry, with `rank` null if it is not on the list of a kind that ranks only
/// its best; or a member with `rank` null.
#[derive(Debug)]
pub struct LookedUpShape<'a> {
    /// The kind.
    pub kind: &'a Kind,
    /// The requested member.
    pub member: &'a Member,
    /// Its standing.
    pub found: &'a MemberStanding<RankedEntry>,
    /// The profiles to show.
    pub profiles: &'a ShownProfiles,
}

impl JsonMembers for LookedUpShape<'_> {
    fn put(&self, json: &mut JsonText) {
        match self.found {
            MemberStanding::Ranked(ranked) => put_ranked(json, self.kind, ranked),
            MemberStanding::Unlisted(entry) => put_entry(json, self.kind.rules(), None, entry),
            MemberStanding::NoStanding => {
                json.put(",\"rank\":null,\"member\":");
                json.string(self.member.as_str());
            }
        }
        self.profiles.put(json, self.member);
    }
}

/// An object with `entries`.
#[derive(Debug)]
pub struct Entries<T> {
    /// The entries, best first or in the order of the request.
    pub entries: Vec<T>,
}

impl<T: JsonMembers> JsonMembers for Entries<T> {
    fn put(&self, json: &mut JsonText) {
        json.reserve(ENTRY_BYTES * self.entries.len());
        json.put(",\"entries\":");
        json.objects(&self.entries);
    }
}

impl<'a> Entries<EntryShape<'a>> {
    /// Returns ranked entries as shapes, with these profiles.
    #[must_use]
    pub fn of(
        kind: &'a Kind,
        ranked: &'a [RankedEntry],
        profiles: &'a ShownProfiles,
    ) -> Vec<EntryShape<'a>> {
        let shape = |ranked| EntryShape {
            kind,
            ranked,
            profiles,
        };
        ranked.iter().map(shape).collect()
    }
}

/// A page of entries, which another page may follow.
#[derive(Debug)]
pub struct Page<T> {
    /// The entries.
    pub entries: Entries<T>,
    /// The cursor of the last one, if there may be more.
    pub next: Option<String>,
}

impl<T: JsonMembers> JsonMembers for Page<T> {
    fn put(&self, json: &mut JsonText) {
        self.entries.put(json);
        if let Some(next) = &self.next {
            json.put(",\"next\":");
            json.string(next);
        }
    }
}

/// Identifies the format of [`render`], which is the same for all servers of a release.
pub const RENDERER_FORMAT: &str = env!("CARGO_PKG_VERSION");

/// Renders merged entries for the merger's cache.
#[must_use]
pub fn render(kind: &Kind, entries: &[RankedEntry]) -> Rendered {
    let profiles = &ShownProfiles::none();
    let mut json = JsonText::with_capacity(ENTRY_BYTES * entries.len());
    let mut ends = Vec::with_capacity(entries.len());
    for ranked in entries {
        if !json.is_empty() {
            json.put(",");
        }
        json.object(&EntryShape {
            kind,
            ranked,
            profiles,
        });
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
        let entries = [MemberStanding::NoStanding, MemberStanding::NoStanding];
        let entries = entries.iter().map(|found| LookedUpShape {
            kind: &kind,
            member: &member,
            found,
            profiles: &profiles,
        });
        let mut json = JsonText::default();
        json.object(&Entries {
            entries: entries.collect(),
        });
        let expected =
            r#"{"entries":[{"rank":null,"member":"a\"b"},{"rank":null,"member":"a\"b"}]}"#;
        assert_eq!(json.into_bytes(), expected.as_bytes());
    }
}
