//! Reading the sorted set: [`Source`], with one connection to one Redis server.
//!
//! There are no reconnects and no retries: running the command again is cheap and has the same result.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use encodings::ReadDirection;
use redis_nodes::redis_link::{ConnectOptions, Connection, Reply, ServerUrl, Value, reply};

use super::page::{self, Page, SetEntry};
use crate::delivery::Halt;

/// Includes TLS and authentication.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);

/// `COUNT` of `ZSCAN`. Redis returns all members of a small sorted set, at most 128 by default, at once.
const SCAN_COUNT: &str = "1000";

/// The server and the database of the source.
#[derive(Clone, Debug)]
pub(super) struct SourceUrl {
    server: ServerUrl,
    database: u8,
}

impl FromStr for SourceUrl {
    type Err = String;

    /// Parses a URL. Errors do not repeat the text, since it may contain a password.
    fn from_str(text: &str) -> Result<Self, String> {
        let form = "it must look like redis://[USER:PASSWORD@]HOST[:PORT][/DB], or rediss://...";
        let wrong = |why: &dyn fmt::Display| format!("{why}; {form}");
        let (server, path) = ServerUrl::with_path(text).map_err(|error| wrong(&error))?;
        let database = match path {
            "" => 0,
            path => path
                .parse()
                .map_err(|_| wrong(&"the database is not a number up to 255"))?,
        };
        Ok(Self { server, database })
    }
}

/// Formats the URL without user and password.
impl fmt::Display for SourceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.server, self.database)
    }
}

/// A sorted set, and a connection to its server.
#[derive(Clone)]
pub(super) struct Source {
    connection: Arc<Connection>,
    key: String,
    time_key: Option<String>,
    /// What scores are multiplied by.
    scale: Option<u32>,
}

impl Source {
    /// Connects, and checks that the keys are sorted sets.
    pub(super) async fn open(
        url: &SourceUrl,
        key: &str,
        time_key: Option<&str>,
        scale: Option<u32>,
    ) -> Result<Self, Halt> {
        let source = Self {
            connection: Arc::new(connect(url).await?),
            key: key.to_owned(),
            time_key: time_key.map(str::to_owned),
            scale,
        };
        for key in std::iter::once(key).chain(time_key) {
            let found = source.send("TYPE", vec![key.into()]).await?;
            match reply::text(&found).unwrap_or_default() {
                "zset" => {}
                "none" => return Err(format!("key {key:?} does not exist at {url}").into()),
                found => {
                    let why = format!("key {key:?} at {url} is a {found}, not a sorted set");
                    return Err(why.into());
                }
            }
        }
        Ok(source)
    }

    /// Returns the number of members.
    pub(super) async fn count(&self) -> Result<u64, Halt> {
        let frame = self.send("ZCARD", vec![self.key.as_str().into()]).await?;
        reply::number(&frame).ok_or_else(|| unparsable("ZCARD"))
    }

    /// Reads the page of a cursor, which is `0` at first. Members that are in the set during the whole scan are
    /// returned at least once.
    pub(super) async fn scan(&self, cursor: &str) -> Result<Page, Halt> {
        let count = ["COUNT", SCAN_COUNT].map(Value::from);
        let mut args: Vec<Value> = vec![self.key.as_str().into(), cursor.into()];
        args.extend(count);
        let frame = self.send("ZSCAN", args).await?;
        let mut page = Page::parse(&frame).ok_or_else(|| unparsable("ZSCAN"))?;
        self.complete(&mut page.entries).await?;
        Ok(page)
    }

    /// Reads the first members in this direction.
    pub(super) async fn first(
        &self,
        read_direction: ReadDirection,
        count: usize,
    ) -> Result<Vec<SetEntry>, Halt> {
        let command = match read_direction {
            ReadDirection::Reverse => "ZREVRANGE",
            ReadDirection::Forward => "ZRANGE",
        };
        let last = (count - 1).to_string();
        let args = [self.key.as_str(), "0", &last, "WITHSCORES"];
        let frame = self.send(command, args.map(Value::from).into()).await?;
        let mut entries = page::pairs(&frame).ok_or_else(|| unparsable(command))?;
        self.complete(&mut entries).await?;
        Ok(entries)
    }

    /// Reads the current scores of these members. Members that are not in the set are omitted.
    pub(super) async fn find(&self, members: &[String]) -> Result<Vec<SetEntry>, Halt> {
        let names = members
            .iter()
            .map(|member| member.clone().into_bytes().into());
        let names: Vec<bytes::Bytes> = names.collect();
        let scores = self.scores(&self.key, names.iter()).await?;
        let found = names.into_iter().zip(scores);
        let mut entries: Vec<SetEntry> = found
            .filter_map(|(member, score)| Some(SetEntry::new(member, score?)))
            .collect();
        self.complete(&mut entries).await?;
        Ok(entries)
    }

    /// Scales the scores, and adds the times of a second set.
    async fn complete(&self, entries: &mut [SetEntry]) -> Result<(), Halt> {
        if let Some(scale) = self.scale {
            for entry in entries.iter_mut() {
                entry.score = entry.score.scaled(scale);
            }
        }
        let Some(key) = self.time_key.as_ref().filter(|_| !entries.is_empty()) else {
            return Ok(());
        };
        let scores = self
            .scores(key, entries.iter().map(|entry| &entry.member))
            .await?;
        for (entry, score) in entries.iter_mut().zip(scores) {
            entry.time_score = score;
        }
        Ok(())
    }

    async fn scores(
        &self,
        key: &str,
        members: impl Iterator<Item = &bytes::Bytes>,
    ) -> Result<Vec<Option<page::Score>>, Halt> {
        let mut args: Vec<Value> = vec![key.into()];
        args.extend(members.map(|member| Value::Bytes(member.clone())));
        if args.len() == 1 {
            return Ok(Vec::new());
        }
        let sent = args.len() - 1;
        let frame = self.send("ZMSCORE", args).await?;
        let scores = page::scores(&frame).filter(|scores| scores.len() == sent);
        scores.ok_or_else(|| unparsable("ZMSCORE"))
    }

    // fred may mistake an array of 3 or 4 items that begins with a user's string for a pub/sub message. The replies to
    // the commands used here begin with a cursor, a pair or a score.
    async fn send(&self, command: &'static str, args: Vec<Value>) -> Result<Reply, Halt> {
        let reply = self.connection.send(command, args).await;
        reply.map_err(|error| format!("{command}: {error}").into())
    }
}

fn unparsable(command: &'static str) -> Halt {
    format!("{command}: the reply could not be parsed").into()
}

async fn connect(url: &SourceUrl) -> Result<Connection, Halt> {
    let failed = |cause: String| Halt::Failed(format!("{url}: {cause}"));
    let options = ConnectOptions {
        database: Some(url.database),
        connect_timeout: CONNECT_TIMEOUT,
        silence: COMMAND_TIMEOUT,
        ..url.server.connect_options().map_err(failed)?
    };
    let opened = Connection::open(&options, &url.server.address).await;
    opened.map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_displayed_without_the_password() {
        let url: SourceUrl = "redis://u:secret@h:7000/3".parse().unwrap();
        assert_eq!(url.to_string(), "redis://h:7000/3");
        assert!(!format!("{url:?}").contains("secret"));
        let url: SourceUrl = "redis://h".parse().unwrap();
        assert_eq!(url.to_string(), "redis://h:6379/0");
        for wrong in [
            "http://h",
            "h:6379",
            "redis-cluster://h:1",
            "redis://u:secret@",
            "redis://u:secret@h:1/x",
            "redis://u:secret@h:1/3/4",
        ] {
            let error = wrong.parse::<SourceUrl>().unwrap_err();
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
