//! The configured keys as admins see them, without their hashes: [`KeyList`].

use board::Timestamp;
use serde::Serialize;

use crate::access::Access;
use crate::key::Key;

/// All configured keys.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Keys))]
pub struct KeyList {
    /// By name; empty if no keys are configured.
    pub keys: Vec<ListedKey>,
}

/// A configured key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Key))]
pub struct ListedKey {
    /// The name in logs and error messages.
    pub name: String,
    /// `read`, `write` or `admin`; each includes those before it.
    #[cfg_attr(feature = "schema", schema(example = "write"))]
    pub scope: &'static str,
    /// The kinds whose boards it may access. Left out: all kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub kinds: Option<Vec<String>>,
    /// How many requests it may make a second, on average. Left out: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub requests_per_second: Option<u32>,
    /// How many requests it may make at once. Left out: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub burst: Option<u32>,
    /// When it ends. Left out: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(format = DateTime, nullable = false))]
    pub expires_at: Option<String>,
    /// Whether it has ended.
    pub expired: bool,
}

impl ListedKey {
    pub(crate) fn of(key: &Key, now: Timestamp) -> Self {
        let kinds = key.kinds.as_ref();
        let rate = key.rate.requests_per_second;
        Self {
            name: key.name.clone(),
            scope: key.scope.as_str(),
            kinds: kinds.map(|kinds| kinds.iter().map(ToString::to_string).collect()),
            requests_per_second: rate.map(Into::into),
            burst: key.rate.burst.or(rate).map(Into::into),
            expires_at: key.expires_at.map(|end| end.to_string()),
            expired: key.check_time(now).is_err(),
        }
    }
}

impl Access {
    /// Lists the configured keys.
    #[must_use]
    pub fn listed_keys(&self, now: Timestamp) -> KeyList {
        let keys = self.keys();
        let mut keys: Vec<_> = keys.all().map(|key| ListedKey::of(key, now)).collect();
        keys.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        KeyList { keys }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::new_key::NewKey;
    use crate::settings::AccessSettings;

    #[test]
    fn keys_are_listed_by_name_without_secrets() {
        let new_keys = [(); 2].map(|()| NewKey::generate().unwrap());
        let [ingest, game] = &new_keys;
        let settings = json!([
            {"name": "ingest", "hash": ingest.hash(), "scope": "admin"},
            {"name": "game", "hash": game.hash(), "scope": "write", "kinds": ["races", "gifts"],
             "requests_per_second": 5, "expires_at": "2026-11-20T15:00:00Z"},
        ]);
        let settings = AccessSettings {
            keys: serde_json::from_value(settings).unwrap(),
            ..AccessSettings::default()
        };
        let access = Access::new(&settings).unwrap();
        let end = Timestamp::parse_rfc3339("2026-11-20T15:00:00Z").unwrap();
        let before = Timestamp::from_millis(end.millis() - 1);
        for (now, expired) in [(before, false), (end, true)] {
            let listed = serde_json::to_value(access.listed_keys(now)).unwrap();
            let expected = json!({"keys": [
                {"name": "game", "scope": "write", "kinds": ["gifts", "races"], "requests_per_second": 5,
                 "burst": 5, "expires_at": "2026-11-20T15:00:00.000000Z", "expired": expired},
                {"name": "ingest", "scope": "admin", "expired": false},
            ]});
            assert_eq!(listed, expected);
        }
    }
}
