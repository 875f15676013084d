//! The keys of a window at a target: [`Names`].

use board::{BoardName, Kind, Publication, PublishProtocol, Window};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// The suffix of the JSON's key.
const JSON: &str = ":json";

/// The prefix of the keys of a Megaboard store on Redis, of this service or another one.
const STORE: &str = "megaboard:";

/// The suffix of the version's key.
const VERSION: &str = ":version";

/// The maximum length of a memcached key.
const MEMCACHED_KEY_BYTES_MAX: usize = 250;

/// The characters that are percent-encoded in a memcached key: those that it cannot contain, and `%`.
const NOT_IN_MEMCACHED: &AsciiSet = &CONTROLS.add(b' ').add(b'%');

/// The keys of a board's window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    /// The key of the sorted set; on memcached that of the JSON.
    pub(crate) set: String,
    pub(crate) json: String,
    /// The key of the version of the published content.
    pub(crate) version: String,
}

impl Names {
    /// Returns the keys of a window at a target with this protocol, or why the board cannot be published under them.
    pub(crate) fn of(
        publication: &Publication,
        protocol: PublishProtocol,
        kind: &Kind,
        board: &BoardName,
        window: Window,
    ) -> Result<Self, String> {
        let name = kind.calendar().name(window);
        let key = publication.key.key(board, window.period(), &name);
        if key.starts_with(STORE) {
            return Err(format!(
                "the key {key:?} begins with {STORE}, which is reserved for Megaboard stores"
            ));
        }
        if protocol == PublishProtocol::Memcached {
            let key = utf8_percent_encode(&key, NOT_IN_MEMCACHED).to_string();
            if key.len() > MEMCACHED_KEY_BYTES_MAX {
                return Err(format!(
                    "the key {key:?} has more than {MEMCACHED_KEY_BYTES_MAX} bytes"
                ));
            }
            return Ok(Self::with_base(key.clone(), &key));
        }
        if key.ends_with(JSON) || key.ends_with(VERSION) {
            // It could be that of another board's JSON or version.
            return Err(format!(
                "the key {key:?} ends with {JSON} or {VERSION}, which is reserved"
            ));
        }
        if protocol == PublishProtocol::RedisCluster && hash_tag(&key).is_none() {
            // If the hash tag is the whole key, it has the slot of the key.
            let tagged = format!("{{{key}}}");
            if hash_tag(&tagged) != Some(&key) {
                return Err(format!("no second key can share the slot of {key:?}"));
            }
            return Ok(Self::with_base(key, &tagged));
        }
        Ok(Self::with_base(key.clone(), &key))
    }

    fn with_base(set: String, base: &str) -> Self {
        Self {
            set,
            json: format!("{base}{JSON}"),
            version: format!("{base}{VERSION}"),
        }
    }
}

/// Returns the hash tag of a key, the part in its first braces, which alone determines the slot.
fn hash_tag(key: &str) -> Option<&str> {
    let (_, after) = key.split_once('{')?;
    let (tag, _) = after.split_once('}')?;
    (!tag.is_empty()).then_some(tag)
}

#[cfg(test)]
mod tests {
    use board::{PublishTarget, PublishTargets, ShardCount};

    use super::*;

    fn names(url: &str, template: &str, subject: &str) -> Result<Names, String> {
        let target: PublishTarget = url.parse().unwrap();
        let protocol = target.protocol;
        let mut targets = PublishTargets::default();
        targets.add("readers".parse().unwrap(), target).unwrap();
        let shape =
            format!("{{\"publish\": {{\"target\": \"readers\", \"key\": \"{template}\"}}}}");
        let shape: wire::KindShape = serde_json::from_str(&shape).unwrap();
        let kind = shape
            .into_kind_at("gifts", ShardCount::DEFAULT, &targets)
            .unwrap();
        let board = format!("gifts/{subject}").parse().unwrap();
        let publication = kind.publication().unwrap();
        Names::of(publication, protocol, &kind, &board, Window::ALL_TIME)
    }

    fn all(set: &str, json: &str, version: &str) -> Names {
        Names {
            set: set.to_owned(),
            json: json.to_owned(),
            version: version.to_owned(),
        }
    }

    #[test]
    fn the_other_keys_are_the_key_with_a_suffix() {
        assert_eq!(
            names("redis://a", "lb:{subject}:{period}", "r"),
            Ok(all("lb:r:all", "lb:r:all:json", "lb:r:all:version"))
        );
    }

    #[test]
    fn in_a_cluster_all_keys_have_one_slot() {
        let cluster = "redis-cluster://a";
        assert_eq!(
            names(cluster, "lb:{subject}:{period}", "r"),
            Ok(all("lb:r:all", "{lb:r:all}:json", "{lb:r:all}:version"))
        );
        assert_eq!(
            names(cluster, "lb:{{{subject}}}:{period}", "r"),
            Ok(all("lb:{r}:all", "lb:{r}:all:json", "lb:{r}:all:version"))
        );
        // Empty braces are not a hash tag.
        let error = names(cluster, "{subject}:{period}", "{}r").unwrap_err();
        assert!(error.contains("slot"), "{error}");
    }

    #[test]
    fn no_key_is_the_json_or_the_version_of_another_board() {
        for subject in ["r:json", "r:version"] {
            let error = names("redis://a", "{period}:{subject}", subject).unwrap_err();
            assert!(error.contains(subject), "{error}");
        }
    }

    #[test]
    fn no_key_is_one_of_a_store() {
        for url in ["redis://a", "redis-cluster://a", "memcached://a"] {
            for (template, subject) in [
                ("{subject}:{period}", "megaboard:{registry}:kinds"),
                ("mega{subject}:{period}", "board:{registry}:kinds"),
                ("{subject}{period}", "megaboard:"),
            ] {
                let error = names(url, template, subject).unwrap_err();
                assert!(error.contains("begins with megaboard:"), "{error}");
            }
            let named = names(url, "lb:{subject}:{period}", "megaboard:x").unwrap();
            assert_eq!(named.set, "lb:megaboard:x:all");
        }
    }

    #[test]
    fn keys_of_memcached_have_no_spaces() {
        let named = names("memcached://a", "lb:{subject}:{period}", "a b%ü");
        assert_eq!(named.unwrap().set, "lb:a%20b%25%C3%BC:all");
        let error = names("memcached://a", "{subject}:{period}", &"ü".repeat(64)).unwrap_err();
        assert!(error.contains("250"), "{error}");
    }
}
