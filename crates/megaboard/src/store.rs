//! Stores by URL.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use shard_store::{ShardStore, StoreError};
use store_local::{LocalDisk, LocalError, LocalSettings, LocalStore, OpenError};
use store_redis::{RedisOpenError, RedisSettings, RedisStore, RedisUrl};

/// Where the URL of a store is set, for messages.
const SETTINGS: &str = "--store, MEGABOARD_STORE or server.store";

/// The URL of a store, as in `--store`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StoreUrl {
    /// `memory:`.
    Memory,
    /// `embedded:DIR`.
    Embedded(PathBuf),
    /// `redis://HOST` and the other schemes of Redis.
    Redis(RedisUrl),
}

/// Settings of stores, other than their URLs. Each store uses those that apply to it.
#[derive(Debug, Clone)]
pub(crate) struct StoreSettings {
    /// The memory store uses the limit of remembered ids and the pause after a clock jump, and all stores the memory
    /// budget: of boards, and of writes in flight to Redis.
    pub(crate) embedded: LocalSettings,
    pub(crate) redis: RedisSettings,
}

/// A store could not be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreFailed {
    #[error("store: {0}; {advice}: {SETTINGS}", advice = folder_advice(.0))]
    Folder(#[from] OpenError),
    #[error("store: {0}")]
    Embedded(#[from] LocalError),
    #[error("store: {0}{advice}", advice = redis_advice(.0, .1))]
    Redis(RedisOpenError, RedisUrl),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl FromStr for StoreUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("memory", "")) => Ok(Self::Memory),
            Some(("embedded", folder)) if !folder.is_empty() => Ok(Self::Embedded(folder.into())),
            Some((scheme, _)) if scheme.starts_with("redis") => match text.parse() {
                Ok(url) => Ok(Self::Redis(url)),
                Err(error) => Err(format!("store: {error}")),
            },
            _ => {
                let text = without_login(text);
                Err(format!(
                    "store {text:?} is not the URL of a store{}; accepted are embedded:DIR, memory:, \
                     redis://HOST:PORT[,HOST:PORT...], redis-cluster://HOST:PORT[,...] and \
                     redis-sentinel://HOST:PORT[,...]/NAME, the last three also as rediss",
                    suggestion(&text)
                ))
            }
        }
    }
}

/// Returns a URL without the part before its last `@`, which may be a password.
fn without_login(text: &str) -> String {
    let Some((before, after)) = text.rsplit_once('@') else {
        return text.to_owned();
    };
    let scheme = before.split_once("://").map_or("", |(scheme, _)| scheme);
    format!("{scheme}://...@{after}")
}

/// Returns what was probably meant by a text without a scheme.
fn suggestion(text: &str) -> String {
    match text {
        "memory" => ": write memory:".to_owned(),
        folder if !folder.is_empty() && !folder.contains(':') => {
            format!(": for the folder write embedded:{folder}")
        }
        _ => String::new(),
    }
}

/// Returns what to do about an error of the folder.
fn folder_advice(error: &OpenError) -> &'static str {
    match error {
        OpenError::Locked(_) => "stop it, or choose another folder",
        OpenError::Io(_, error) if error.kind() == ErrorKind::NotFound => {
            "create it, or choose another folder"
        }
        OpenError::Io(_, error) if error.kind() == ErrorKind::PermissionDenied => {
            "permit this user to write there, or choose another folder"
        }
        OpenError::Io(..) => "choose another folder",
    }
}

/// Returns what to do about an error of Redis.
fn redis_advice(error: &RedisOpenError, url: &RedisUrl) -> String {
    let RedisOpenError::Unreachable(why) = error else {
        return String::new();
    };
    if why.contains("cluster support disabled") {
        return format!("; it is a single server: write redis:// in {SETTINGS}");
    }
    // A server without TLS waits for the rest of what it takes for a command.
    let is_silent = ["timed out", "no connection within"]
        .iter()
        .any(|it| why.contains(it));
    let tls = if is_silent && url.to_string().starts_with("rediss") {
        "; if it does not use TLS, write redis instead of rediss"
    } else {
        ""
    };
    format!("; start it, or correct the address of the store: {SETTINGS}{tls}")
}

impl Default for StoreUrl {
    /// The default store.
    fn default() -> Self {
        Self::Embedded("./megaboard-data".into())
    }
}

impl StoreUrl {
    /// Opens the store for a server. A folder is created if it does not exist.
    pub(crate) async fn open(
        &self,
        settings: &StoreSettings,
    ) -> Result<Arc<dyn ShardStore>, StoreFailed> {
        match self {
            Self::Memory => {
                let LocalSettings {
                    memory,
                    id_bytes_max,
                    clock_pause,
                    ..
                } = &settings.embedded;
                let store = LocalStore::in_memory_with_limits(memory.clone(), *id_bytes_max)?;
                Ok(Arc::new(store.with_steady_clock(*clock_pause)))
            }
            Self::Embedded(folder) => {
                let disk = Arc::new(LocalDisk::open(folder)?);
                Ok(Arc::new(LocalStore::open(disk, &settings.embedded)?))
            }
            Self::Redis(url) => {
                let store = RedisStore::open(url, &settings.redis).await;
                let store = store.map_err(|error| StoreFailed::Redis(error, url.clone()))?;
                Ok(Arc::new(store.within(settings.embedded.memory.clone())))
            }
        }
    }

    /// Opens the store for inspection. A folder is not changed; also returns what may be missing at the end of its
    /// journal. On Redis, servers may run at the same time.
    pub(crate) async fn inspect(
        &self,
        settings: &StoreSettings,
    ) -> Result<(Arc<dyn ShardStore>, Vec<String>), StoreFailed> {
        match self {
            Self::Memory => Ok((Arc::new(LocalStore::in_memory()?), Vec::new())),
            Self::Embedded(folder) => {
                let disk = LocalDisk::open_read_only(folder)?;
                let (store, doubts) = LocalStore::inspect(&disk)?;
                Ok((Arc::new(store), doubts))
            }
            Self::Redis(_) => Ok((self.open(settings).await?, Vec::new())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_a_store_says_what_to_do() {
        let folder = |error| StoreFailed::from(error).to_string();
        let io = |kind: ErrorKind| OpenError::Io("d".into(), kind.into());
        let redis = |url: &str, why: &str| {
            let error = RedisOpenError::Unreachable(why.to_owned());
            StoreFailed::Redis(error, url.parse().unwrap()).to_string()
        };
        for (error, advice) in [
            (
                folder(OpenError::Locked("d".into())),
                "; stop it, or choose another folder: --store,",
            ),
            (
                folder(io(ErrorKind::NotFound)),
                "; create it, or choose another folder: --store,",
            ),
            (
                folder(io(ErrorKind::PermissionDenied)),
                "; permit this user to write there, or",
            ),
            (
                redis("rediss://h:1", "h:1: no connection within 2s"),
                "write redis instead of rediss",
            ),
            (
                redis(
                    "redis-cluster://h:1",
                    "ERR This instance has cluster support disabled",
                ),
                "; it is a single server: write redis:// in --store",
            ),
        ] {
            assert!(
                error.starts_with("store: ") && error.contains(advice),
                "{error}"
            );
        }
        let plain = redis("redis://h:1", "h:1: no connection within 2s");
        assert!(!plain.contains("rediss"), "{plain}");
    }

    #[test]
    fn an_error_of_a_url_says_what_to_write() {
        for (text, advice) in [
            ("memory", ": write memory:; accepted are"),
            (
                "./boards",
                ": for the folder write embedded:./boards; accepted are",
            ),
            ("", "store \"\" is not the URL of a store; accepted are"),
            ("postgres://a", "is not the URL of a store; accepted are"),
        ] {
            let error = text.parse::<StoreUrl>().unwrap_err();
            assert!(error.contains(advice), "{error}");
        }
        let redis = "redis://h:1:2".parse::<StoreUrl>().unwrap_err();
        assert!(redis.starts_with("store: "), "{redis}");
        let error = "postgres://me:s3cret@a".parse::<StoreUrl>().unwrap_err();
        assert!(!error.contains("s3cret"), "{error}");
    }
}
