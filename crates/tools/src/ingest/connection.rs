//! One connection to Redis: [`Connection`], and looking into what it answers.
//!
//! No answer asked for here is an array that begins with a text of a user's, which the client would
//! take for a message of its own: streams are read as a map, claims begin with a cursor, names of
//! consumers are ours.

use std::time::Duration;

use redis_link::{ConnectOptions, Reply, Value, reply};

use super::url::StreamsUrl;

pub(super) use redis_link::reply::{bytes, number, text};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const COMMAND_TIMEOUT: Duration = Duration::from_secs(5);

/// Why a command has no answer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub(super) enum Fault {
    /// Redis answered with an error.
    #[error("{0}")]
    Refused(String),
    /// The connection failed: whether the command was carried out is unknown.
    #[error("Redis cannot be reached: {0}")]
    Lost(String),
}

impl From<redis_link::Fault> for Fault {
    fn from(fault: redis_link::Fault) -> Self {
        match fault {
            redis_link::Fault::Redis(words) => Self::Refused(words),
            redis_link::Fault::NotSent(words) | redis_link::Fault::Lost(words) => Self::Lost(words),
        }
    }
}

impl Fault {
    /// The stream is not there, or has no such group.
    pub(super) fn is_no_group(&self) -> bool {
        matches!(self, Self::Refused(words) if words.starts_with("NOGROUP"))
    }

    /// The same, saying which stream Redis spoke of.
    pub(super) fn at(self, stream: &str) -> Self {
        match self {
            Self::Refused(words) => Self::Refused(format!("{words} ({stream})")),
            lost @ Self::Lost(_) => lost,
        }
    }

    /// What waiting does not mend: who we are, or what we may do.
    pub(super) fn is_lasting(&self) -> bool {
        const LASTING: [&str; 4] = ["NOAUTH", "WRONGPASS", "NOPERM", "WRONGTYPE"];
        match self {
            Self::Refused(words) | Self::Lost(words) => {
                LASTING.iter().any(|code| words.contains(code))
            }
        }
    }
}

/// A connection.
pub(super) struct Connection(redis_link::Connection);

impl Connection {
    pub(super) async fn open(url: &StreamsUrl, db: u8) -> Result<Self, Fault> {
        let options = url.server.connect_options(None);
        let options = ConnectOptions {
            database: Some(db),
            connect_timeout: CONNECT_TIMEOUT,
            silence: COMMAND_TIMEOUT,
            ..options.map_err(|error| Fault::Lost(error.to_string()))?
        };
        let opened = redis_link::Connection::open(&options, &url.server.address).await;
        let (connection, _ended) = opened.map_err(Fault::Lost)?;
        Ok(Self(connection))
    }

    /// Sends one command.
    pub(super) async fn send(
        &self,
        command: &'static str,
        args: Vec<Value>,
    ) -> Result<Reply, Fault> {
        Ok(self.0.send(command, args).await?)
    }

    /// Sends one command with each of these arguments, all at once; the answers as texts, where they are.
    pub(super) async fn send_all(
        &self,
        command: &'static str,
        calls: Vec<Vec<Value>>,
    ) -> Result<Vec<Option<String>>, Fault> {
        let commands = calls.into_iter().map(|args| (command, args)).collect();
        let replies = self.0.send_together(commands).await?.into_iter();
        let texts = replies.map(|reply| Ok(text(&reply?).map(str::to_owned)));
        texts.collect()
    }

    /// Sends one command that Redis may hold for so long before it answers.
    pub(super) async fn send_blocking(
        &self,
        command: &'static str,
        args: Vec<Value>,
        held: Duration,
    ) -> Result<Reply, Fault> {
        Ok(self.0.send_blocking(command, args, held).await?)
    }
}

/// Arguments out of texts.
pub(super) fn words(words: &[&str]) -> Vec<Value> {
    words.iter().map(|word| Value::from(*word)).collect()
}

/// The items of an array; of anything else none.
pub(super) fn items(reply: &Reply) -> &[Reply] {
    reply::items(reply).unwrap_or_default()
}
