//! Profiles of members: as clients send them ([`ProfileShape`]), and in entries ([`ShownProfiles`]).
//!
//! A profile is stored as the text that entries contain, without white space: nothing is parsed or written again when
//! it is shown. So what is accepted here has to be what every client can read.

use std::collections::HashMap;

use board::limits::{PROFILE_DATA_BYTES_MAX, PROFILE_DATA_DEPTH_MAX};
use board::{Member, Profile, ProfileError};
use bytes::Bytes;
use merger::Rendered;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use shard_store::ProfileChange;
use twox_hash::XxHash3_64;

use crate::error::ShapeError;

/// A member's profile. At least one of its parts is required; one that is null counts as left out.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Profile))]
#[serde(deny_unknown_fields, expecting = "an object with name, avatar, data")]
pub struct ProfileShape {
    /// What the member is called: 1 to 64 characters, none of them a control character.
    #[cfg_attr(
        feature = "schema",
        schema(min_length = 1, max_length = 64, example = "Ann")
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The URL of an image, `https` or `http`: at most 1,024 bytes.
    #[cfg_attr(
        feature = "schema",
        schema(max_length = 1024, example = "https://img.example/ann.png")
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    avatar: Option<String>,
    /// Any JSON, at most 1,024 bytes without white space, and 32 levels of arrays and objects.
    #[cfg_attr(feature = "schema", schema(value_type = Option<Value>, required = false))]
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Box<RawValue>>,
}

/// A member and its profile, one line of many.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = ProfileLine))]
#[serde(deny_unknown_fields, expecting = "an object with member, profile")]
pub struct ProfileLineShape {
    /// The member: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
    #[cfg_attr(
        feature = "schema",
        schema(min_length = 1, max_length = 128, example = "u1")
    )]
    member: String,
    /// Its profile, which replaces its last one; null deletes that.
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<ProfileShape>, required))]
    profile: ProfileOrNull,
}

/// The profile of a line.
#[derive(Debug, Default)]
enum ProfileOrNull {
    #[default]
    Missing,
    Null,
    Profile(ProfileShape),
}

/// Reads a member that is present, possibly null.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ProfileOrNull, D::Error> {
    let present = Option::deserialize(deserializer)?;
    Ok(present.map_or(ProfileOrNull::Null, ProfileOrNull::Profile))
}

impl ProfileShape {
    /// Returns the profile, if it is valid.
    pub fn into_profile(mut self) -> Result<Profile, ShapeError> {
        let Self { name, avatar, data } = &mut self;
        if name.is_none() && avatar.is_none() && data.is_none() {
            let detail = "name: is missing: one of name, avatar and data is required";
            return Err(ShapeError::invalid(detail));
        }
        name.as_deref().map_or(Ok(()), Profile::check_name)?;
        avatar.as_deref().map_or(Ok(()), Profile::check_avatar)?;
        if let Some(data) = data {
            *data = data_of(data.get())?;
        }
        let json = serde_json::to_string(&self).expect("a shape is JSON");
        Ok(Profile::new(&json)?)
    }
}

impl From<ProfileError> for ShapeError {
    fn from(error: ProfileError) -> Self {
        Self::invalid(error.to_string())
    }
}

impl ProfileLineShape {
    /// Returns the change, if it is valid.
    pub fn into_change(self) -> Result<ProfileChange, ShapeError> {
        let invalid = |error: board::IdentError| ShapeError::invalid(error.to_string());
        let member = Member::new(&self.member).map_err(invalid)?;
        let profile = match self.profile {
            ProfileOrNull::Missing => {
                let detail = "profile: is missing: it is an object, or null to delete it";
                return Err(ShapeError::invalid(detail));
            }
            ProfileOrNull::Null => None,
            ProfileOrNull::Profile(shape) => {
                member.check_visible().map_err(invalid)?;
                Some(shape.into_profile()?)
            }
        };
        Ok(ProfileChange { member, profile })
    }
}

/// Returns valid data without white space.
fn data_of(json: &str) -> Result<Box<RawValue>, ShapeError> {
    let text = without_white_space(json);
    if text.len() > PROFILE_DATA_BYTES_MAX {
        let bytes = text.len();
        return Err(ShapeError::invalid(format!(
            "data: has {bytes} bytes without white space, more than {PROFILE_DATA_BYTES_MAX}"
        )));
    }
    // Rejects what a raw value may contain, and some clients do not read: numbers too large, halves of characters.
    let value: Value = serde_json::from_str(&text)
        .map_err(|error| ShapeError::invalid(format!("data: {error}")))?;
    if levels(&value) > PROFILE_DATA_DEPTH_MAX {
        return Err(ShapeError::invalid(format!(
            "data: has more than {PROFILE_DATA_DEPTH_MAX} levels of arrays and objects"
        )));
    }
    Ok(RawValue::from_string(text).expect("it was parsed"))
}

/// Returns JSON without the white space between its tokens.
fn without_white_space(json: &str) -> String {
    let mut is_in_string = false;
    let mut is_escaped = false;
    let keeps = |char: &char| {
        if is_in_string {
            is_in_string = is_escaped || *char != '"';
            is_escaped = !is_escaped && *char == '\\';
            return true;
        }
        is_in_string = *char == '"';
        !char.is_ascii_whitespace()
    };
    json.chars().filter(keeps).collect()
}

/// Returns the number of arrays and objects around the innermost value.
fn levels(value: &Value) -> usize {
    let inner = match value {
        Value::Array(items) => items.iter().map(levels).max(),
        Value::Object(members) => members.values().map(levels).max(),
        _ => return 0,
    };
    1 + inner.unwrap_or(0)
}

/// The profiles of the members of a response; none if they are not wanted.
#[derive(Debug, Default)]
pub struct ShownProfiles(HashMap<Member, Profile>);

impl FromIterator<(Member, Profile)> for ShownProfiles {
    fn from_iter<T: IntoIterator<Item = (Member, Profile)>>(profiles: T) -> Self {
        Self(profiles.into_iter().collect())
    }
}

impl ShownProfiles {
    /// Returns no profiles.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Returns a digest of all profiles and their members.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let hash = |(member, profile): (&Member, &Profile)| {
            let seed = member.placement_hash();
            XxHash3_64::oneshot_with_seed(seed, profile.as_json().as_bytes())
        };
        self.0.iter().map(hash).fold(0, u64::wrapping_add)
    }

    /// Returns the profile of a member, if it is to be shown.
    #[must_use]
    pub fn of(&self, member: &Member) -> Option<&Profile> {
        self.0.get(member)
    }
}

/// Adds profiles to rendered entries, the first ones of which are of these members. The others are left out.
#[must_use]
pub fn with_profiles(rendered: &Rendered, members: &[Member], shown: &ShownProfiles) -> Rendered {
    const KEY: &[u8] = b",\"profile\":";
    let profiles = members.iter().filter_map(|member| shown.of(member));
    let added: usize = profiles.map(|one| KEY.len() + one.as_json().len()).sum();
    let mut json = Vec::with_capacity(rendered.first(members.len()).len() + added);
    let mut ends = Vec::with_capacity(members.len());
    let mut begin = 0;
    for (member, end) in members.iter().zip(&rendered.ends) {
        let end = *end as usize;
        // With the comma before it, without its last brace.
        json.extend_from_slice(&rendered.bytes[begin..end - 1]);
        if let Some(profile) = shown.of(member) {
            json.extend_from_slice(KEY);
            json.extend_from_slice(profile.as_json().as_bytes());
        }
        json.push(b'}');
        ends.push(u32::try_from(json.len()).expect("a top is far smaller than 4 GiB"));
        begin = end;
    }
    Rendered {
        bytes: Bytes::from(json),
        ends,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::rendered_members;

    fn parsed(json: &str) -> Result<Profile, String> {
        let shape: Result<ProfileShape, _> = serde_json::from_str(json);
        let shape = shape.map_err(|error| error.to_string())?;
        shape.into_profile().map_err(|error| error.to_string())
    }

    #[test]
    fn a_profile_is_kept_as_it_was_written_without_white_space() {
        for (sent, kept) in [
            (r#"{"name": "Ann"}"#, r#"{"name":"Ann"}"#),
            (
                "{ \"data\": {\"a b\":\r\n \
                 [1.0, 12345678901234567890123, \"x \\\" y\\\\\" , null]},\n\"name\":\"A\\u00fc\\\"\", \"avatar\":\"https://a.example/?b\" }",
                r#"{"name":"Aü\"","avatar":"https://a.example/?b","data":{"a b":[1.0,12345678901234567890123,"x \" y\\",null]}}"#,
            ),
            (r#"{"data": "", "name": null}"#, r#"{"data":""}"#),
        ] {
            assert_eq!(parsed(sent).unwrap().as_json(), kept);
        }
    }

    #[test]
    fn the_part_that_is_wrong_is_named() {
        let long = format!("{{\"data\": \"{}\"}}", "x".repeat(1023));
        let deep = format!("{{\"data\": {}{}}}", "[".repeat(33), "]".repeat(33));
        let deeper = format!("{{\"data\": {}{}}}", "[".repeat(500), "]".repeat(500));
        for (wrong, why) in [
            ("{}", "name: is missing: one of name, avatar and data"),
            (r#"{"name": ""}"#, "name: is empty"),
            (r#"{"name": 7}"#, "invalid type"),
            (r#"{"avatar": "ftp://a"}"#, "avatar: is not a URL"),
            (r#"{"nick": "a"}"#, "unknown field `nick`"),
            (&long, "data: has 1025 bytes"),
            (&deep, "data: has more than 32 levels"),
            (&deeper, "data: "),
            (r#"{"data": 1e999}"#, "data: number out of range"),
            (r#"{"data": "\ud800"}"#, "data: "),
        ] {
            let error = parsed(wrong).unwrap_err();
            assert!(error.contains(why), "{wrong}: {error}");
        }
    }

    #[test]
    fn a_line_has_a_profile_or_null() {
        let parsed = |json| {
            let shape: ProfileLineShape = serde_json::from_value(json).unwrap();
            shape.into_change().map_err(|error| error.to_string())
        };
        let change = parsed(json!({"member": "u1", "profile": {"name": "Ann"}})).unwrap();
        assert_eq!(change.member.as_str(), "u1");
        assert_eq!(change.profile.unwrap().as_json(), r#"{"name":"Ann"}"#);
        let change = parsed(json!({"member": "u1", "profile": null})).unwrap();
        assert_eq!(change.profile, None);
        for (wrong, why) in [
            (json!({"member": "u1"}), "profile: is missing"),
            (
                json!({"member": "", "profile": null}),
                "member \"\" is empty",
            ),
            (json!({"member": "u1", "profile": {}}), "name: is missing"),
        ] {
            let error = parsed(wrong).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn profiles_are_put_into_rendered_entries() {
        let texts = [
            r#"{"rank":1,"member":"a\"b"}"#,
            r#"{"rank":2,"member":"c"}"#,
            r#"{"rank":3,"member":"d"}"#,
        ];
        let bytes = texts.join(",");
        let ends = [0, 1, 2].map(|last| texts[..=last].join(",").len());
        let rendered = Rendered {
            bytes: bytes.into(),
            ends: ends.map(|end| u32::try_from(end).unwrap()).to_vec(),
        };
        let profile = Profile::new(r#"{"name":"A"}"#).unwrap();
        let shown = [(Member::new("a\"b").unwrap(), profile)];
        let shown: ShownProfiles = shown.into_iter().collect();
        for n in 0..5 {
            let members = rendered_members(&rendered, n).unwrap();
            let joined = with_profiles(&rendered, &members, &shown);
            assert_eq!(joined.ends.len(), n.min(3));
            assert_eq!(joined.first(9), joined.bytes);
            let text = format!("[{}]", str::from_utf8(&joined.bytes).unwrap());
            let expected = [
                json!({"rank": 1, "member": "a\"b", "profile": {"name": "A"}}),
                json!({"rank": 2, "member": "c"}),
                json!({"rank": 3, "member": "d"}),
            ];
            let joined: Vec<Value> = serde_json::from_str(&text).unwrap();
            assert_eq!(joined, expected[..n.min(3)]);
        }
        let unchanged = with_profiles(
            &rendered,
            &rendered_members(&rendered, 3).unwrap(),
            &ShownProfiles::none(),
        );
        assert_eq!(
            (unchanged.bytes, unchanged.ends),
            (rendered.bytes, rendered.ends)
        );
    }

    proptest! {
        #[test]
        fn white_space_is_removed_outside_of_strings_only(text in "[ \"\\\\a\n]{0,12}", number in any::<i32>()) {
            let value = json!({&text: [&text, number, {"b": text}]});
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(without_white_space(&pretty), value.to_string());
        }
    }
}
