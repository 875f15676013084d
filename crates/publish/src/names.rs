//! What a board's window is called where it is published: [`Names`].

use board::{BoardName, Kind, Publication, PublishProtocol, Window};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// What the JSON's key ends with.
const JSON: &str = ":json";

/// What the keys of a store on Redis begin with: this service's own, or another one's.
const STORE: &str = "megaboard:";

/// What the key of the version ends with.
const VERSION: &str = ":version";

/// Bytes of a key of memcached.
const MEMCACHED_KEY_BYTES_MAX: usize = 250;

/// What cannot be in a key of memcached. `%` is written as what stands for it.
const NOT_IN_MEMCACHED: &AsciiSet = &CONTROLS.add(b' ').add(b'%');

/// The keys of a board's window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    /// The sorted set; on a memcached the JSON.
    pub(crate) set: String,
    pub(crate) json: String,
    /// What is published there. It says which version of the board it is.
    pub(crate) version: String,
}

/// Why a board cannot be published under its name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NameError {
    /// Its key could be one of a store's own.
    #[error("the key {0:?} begins with {STORE}, which is reserved for Megaboard stores")]
    Store(String),
    /// Its key would be that of another board's JSON.
    #[error("the key {0:?} ends with {JSON} or {VERSION}, which is reserved")]
    Reserved(String),
    /// Its slot in a cluster is not known.
    #[error("no second key can share the slot of {0:?}")]
    Slot(String),
    /// It is too long.
    #[error("the key {0:?} has more than {MEMCACHED_KEY_BYTES_MAX} bytes")]
    Long(String),
}

impl Names {
    pub(crate) fn of(
        publication: &Publication,
        protocol: PublishProtocol,
        kind: &Kind,
        board: &BoardName,
        window: Window,
    ) -> Result<Self, NameError> {
        let name = kind.calendar().name(window);
        let key = publication.key.key(board, window.period(), &name);
        if key.starts_with(STORE) {
            return Err(NameError::Store(key));
        }
        if protocol == PublishProtocol::Memcached {
            let key = utf8_percent_encode(&key, NOT_IN_MEMCACHED).to_string();
            if key.len() > MEMCACHED_KEY_BYTES_MAX {
                return Err(NameError::Long(key));
            }
            return Ok(Self::beside(key.clone(), &key));
        }
        if key.ends_with(JSON) || key.ends_with(VERSION) {
            return Err(NameError::Reserved(key));
        }
        if protocol == PublishProtocol::RedisCluster && tag(&key).is_none() {
            // A tag that is all of the key hashes as the key does.
            let tagged = format!("{{{key}}}");
            if tag(&tagged) != Some(&key) {
                return Err(NameError::Slot(key));
            }
            return Ok(Self::beside(key, &tagged));
        }
        Ok(Self::beside(key.clone(), &key))
    }

    fn beside(set: String, key: &str) -> Self {
        Self {
            set,
            json: format!("{key}{JSON}"),
            version: format!("{key}{VERSION}"),
        }
    }
}

/// What of a key decides its slot, where that is not all of it: what stands in the first braces.
fn tag(key: &str) -> Option<&str> {
    let (_, rest) = key.split_once('{')?;
    let (tag, _) = rest.split_once('}')?;
    (!tag.is_empty()).then_some(tag)
}

#[cfg(test)]
mod tests {
    use board::{PublishTarget, PublishTargets};

    use super::*;

    fn names(url: &str, template: &str, subject: &str) -> Result<Names, String> {
        let target: PublishTarget = url.parse().unwrap();
        let protocol = target.protocol;
        let mut targets = PublishTargets::default();
        targets.add("readers".parse().unwrap(), target).unwrap();
        let shape =
            format!("{{\"publish\": {{\"target\": \"readers\", \"key\": \"{template}\"}}}}");
        let shape: wire::KindShape = serde_json::from_str(&shape).unwrap();
        let kind = shape.into_kind_at("gifts", &targets).unwrap();
        let board = format!("gifts/{subject}").parse().unwrap();
        let publication = kind.publication().unwrap();
        Names::of(publication, protocol, &kind, &board, Window::ALL_TIME)
            .map_err(|error| error.to_string())
    }

    fn three(set: &str, json: &str, version: &str) -> Names {
        Names {
            set: set.to_owned(),
            json: json.to_owned(),
            version: version.to_owned(),
        }
    }

    #[test]
    fn keys_stand_beside_the_set() {
        assert_eq!(
            names("redis://a", "lb:{subject}:{period}", "r"),
            Ok(three("lb:r:all", "lb:r:all:json", "lb:r:all:version"))
        );
    }

    #[test]
    fn in_a_cluster_they_share_its_slot() {
        let cluster = "redis-cluster://a";
        assert_eq!(
            names(cluster, "lb:{subject}:{period}", "r"),
            Ok(three("lb:r:all", "{lb:r:all}:json", "{lb:r:all}:version"))
        );
        assert_eq!(
            names(cluster, "lb:{{{subject}}}:{period}", "r"),
            Ok(three("lb:{r}:all", "lb:{r}:all:json", "lb:{r}:all:version"))
        );
        // What stands in braces is no tag where it is empty.
        let error = names(cluster, "{subject}:{period}", "{}r").unwrap_err();
        assert!(error.contains("slot"), "{error}");
    }

    #[test]
    fn no_board_is_called_as_what_stands_beside_another() {
        for subject in ["r:json", "r:version"] {
            let error = names("redis://a", "{period}:{subject}", subject).unwrap_err();
            assert!(error.contains(subject), "{error}");
        }
    }

    #[test]
    fn no_board_is_called_as_a_key_of_a_store() {
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
