//! One connection to Redis: [`Connection`], a centralized fred client that never reconnects and never
//! sends anything twice; and looking into what it answers.
//!
//! No answer asked for here is an array that begins with a text of a user's, which the client would
//! take for a message of its own: streams are read as a map, claims begin with a cursor, names of
//! consumers are ours.

use std::time::Duration;

use bytes::Bytes;
use fred::clients::Client;
use fred::error::ErrorKind;
use fred::interfaces::ClientLike as _;
use fred::types::config::{Config, Options, Server, ServerConfig, TcpConfig, TlsConnector};
use fred::types::{Builder, ClusterHash, CustomCommand, Resp3Frame, RespVersion, Value};
use tokio::time::timeout;

use super::url::StreamsUrl;
use crate::redis_error::plain;

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
pub(super) struct Connection {
    client: Client,
}

impl Connection {
    pub(super) async fn open(url: &StreamsUrl, db: u8) -> Result<Self, Fault> {
        let lost = |error: fred::error::Error| Fault::Lost(plain(&error));
        let client = client_for(url, db).map_err(lost)?;
        match timeout(CONNECT_TIMEOUT, client.init()).await {
            Ok(Ok(_)) => Ok(Self { client }),
            Ok(Err(error)) => Err(lost(error)),
            Err(_) => Err(Fault::Lost(format!(
                "no connection within {CONNECT_TIMEOUT:?}"
            ))),
        }
    }

    /// Sends one command.
    pub(super) async fn send(
        &self,
        command: &'static str,
        args: Vec<Value>,
    ) -> Result<Resp3Frame, Fault> {
        self.send_within(command, args, COMMAND_TIMEOUT).await
    }

    /// Sends one command with each of these arguments, all at once; the answers as texts, where they are.
    pub(super) async fn send_all(
        &self,
        command: &'static str,
        calls: Vec<Vec<Value>>,
    ) -> Result<Vec<Option<String>>, Fault> {
        let lost = |error: fred::error::Error| Fault::Lost(plain(&error));
        let pipeline = self.client.pipeline();
        for args in calls {
            let custom = CustomCommand::new_static(command, ClusterHash::FirstKey, false);
            // It only waits in the pipeline.
            let () = pipeline.custom(custom, args).await.map_err(lost)?;
        }
        let answers = timeout(COMMAND_TIMEOUT, pipeline.all::<Vec<Option<String>>>()).await;
        let answers = answers.map_err(|_| Fault::Lost("no answer in time".to_owned()))?;
        answers.map_err(lost)
    }

    /// Sends one command that Redis may hold for so long before it answers.
    pub(super) async fn send_blocking(
        &self,
        command: &'static str,
        args: Vec<Value>,
        held: Duration,
    ) -> Result<Resp3Frame, Fault> {
        self.send_within(command, args, COMMAND_TIMEOUT + held)
            .await
    }

    async fn send_within(
        &self,
        command: &'static str,
        args: Vec<Value>,
        within: Duration,
    ) -> Result<Resp3Frame, Fault> {
        let options = Options {
            timeout: Some(within),
            ..Options::default()
        };
        let client = self.client.with_options(&options);
        // One caller sends one command at a time, so that none is held up behind a blocking one.
        let custom = CustomCommand::new_static(command, ClusterHash::FirstKey, false);
        match client.custom_raw(custom, args).await {
            Ok(Resp3Frame::SimpleError { data, .. }) => Err(Fault::Refused(data.to_string())),
            Ok(Resp3Frame::BlobError { data, .. }) => {
                Err(Fault::Refused(String::from_utf8_lossy(&data).into_owned()))
            }
            Ok(reply) => Ok(reply),
            Err(error) if *error.kind() == ErrorKind::Timeout => {
                Err(Fault::Lost("no answer in time".to_owned()))
            }
            Err(error) => Err(Fault::Lost(plain(&error))),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let client = self.client.clone();
        // Only the task of the client ends by this; nothing waits for it.
        tokio::spawn(async move { client.quit().await });
    }
}

fn client_for(url: &StreamsUrl, db: u8) -> Result<Client, fred::error::Error> {
    let tls = if url.tls {
        Some(TlsConnector::default_rustls()?.into())
    } else {
        None
    };
    let config = Config {
        server: ServerConfig::Centralized {
            server: Server::new(url.host.as_str(), url.port),
        },
        version: RespVersion::RESP3,
        username: url.login.as_ref().and_then(|login| login.user.clone()),
        password: url.login.as_ref().map(|login| login.password.clone()),
        database: Some(db).filter(|db| *db > 0),
        tls,
        ..Config::default()
    };
    Builder::from_config(config)
        .with_connection_config(|connection| {
            connection.connection_timeout = CONNECT_TIMEOUT;
            connection.internal_command_timeout = CONNECT_TIMEOUT;
            connection.max_command_attempts = 1;
            connection.reconnect_errors = Vec::new();
            connection.tcp = TcpConfig {
                nodelay: Some(true),
                ..TcpConfig::default()
            };
        })
        .with_performance_config(|performance| {
            performance.default_command_timeout = COMMAND_TIMEOUT;
        })
        .build()
}

/// Arguments out of texts.
pub(super) fn words(words: &[&str]) -> Vec<Value> {
    words.iter().map(|word| Value::from(*word)).collect()
}

/// The bytes of a string of any kind.
pub(super) fn bytes(reply: &Resp3Frame) -> Option<&Bytes> {
    match reply {
        Resp3Frame::BlobString { data, .. }
        | Resp3Frame::SimpleString { data, .. }
        | Resp3Frame::VerbatimString { data, .. } => Some(data),
        _ => None,
    }
}

/// A string of any kind as text.
pub(super) fn text(reply: &Resp3Frame) -> Option<&str> {
    std::str::from_utf8(bytes(reply)?).ok()
}

/// A number, or a string that is one.
pub(super) fn number(reply: &Resp3Frame) -> Option<u64> {
    match reply {
        Resp3Frame::Number { data, .. } => u64::try_from(*data).ok(),
        other => text(other)?.parse().ok(),
    }
}

/// The items of an array; of anything else none.
pub(super) fn items(reply: &Resp3Frame) -> &[Resp3Frame] {
    match reply {
        Resp3Frame::Array { data, .. } => data,
        _ => &[],
    }
}
