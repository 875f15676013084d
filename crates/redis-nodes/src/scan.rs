//! Scans the keys of all nodes, some at a time: [`KeyScan`].

use std::sync::Arc;

use bytes::Bytes;

use crate::link::Link;
use crate::redis_link::{Reply, reply};

/// The approximate number of keys of a step, which delays other calls of the node.
const STEP_KEYS: &str = "500";

/// A scan of our keys, one node after the other. A key may be returned more than once.
#[derive(Debug)]
pub struct KeyScan {
    links: Vec<Arc<Link>>,
    cursor: String,
}

impl KeyScan {
    /// Creates a scan of the nodes of these links.
    pub(crate) fn new(links: Vec<Arc<Link>>) -> Self {
        Self {
            links,
            cursor: "0".to_owned(),
        }
    }

    /// Returns some further keys, and their node; `None` at the end.
    pub async fn next_keys(&mut self) -> Result<Option<ScannedKeys>, String> {
        let Some(link) = self.links.last().cloned() else {
            return Ok(None);
        };
        let args = [&*self.cursor, "MATCH", "megaboard:{*", "COUNT", STEP_KEYS];
        let answer = link.send("SCAN", &args).await;
        let answer = answer.map_err(|error| link.failure(&error))?;
        let garbled = || format!("{}: the reply to SCAN could not be parsed", link.address());
        let Some([cursor, keys]) = reply::items(&answer) else {
            return Err(garbled());
        };
        reply::text(cursor)
            .ok_or_else(garbled)?
            .clone_into(&mut self.cursor);
        let keys = reply::items(keys).ok_or_else(garbled)?.iter();
        let keys = keys.filter_map(|key| reply::bytes(key).cloned()).collect();
        if self.cursor == "0" {
            self.links.pop();
        }
        Ok(Some(ScannedKeys { keys, link }))
    }
}

/// Keys of one node.
#[derive(Debug)]
pub struct ScannedKeys {
    /// Their names.
    pub keys: Vec<Bytes>,
    link: Arc<Link>,
}

impl ScannedKeys {
    /// Returns whether a key still exists.
    pub async fn has(&self, key: &str) -> Result<bool, String> {
        let left = self.link.send("PTTL", &[key]).await;
        let left = left.map_err(|error| self.link.failure(&error))?;
        // -2: the key does not exist. Any other reply is of a key that does.
        Ok(!matches!(left, Reply::Number { data: -2, .. }))
    }

    /// Returns whether a hash has this field.
    pub async fn has_field(&self, key: &str, field: &str) -> Result<bool, String> {
        let has = self.link.send("HEXISTS", &[key, field]).await;
        let has = has.map_err(|error| self.link.failure(&error))?;
        Ok(reply::number(&has) == Some(1))
    }
}
