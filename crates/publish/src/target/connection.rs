//! One connection to a Redis: [`Connection`], a centralized fred client that never reconnects and never
//! sends anything twice.

use std::fmt;
use std::pin::pin;

use fred::clients::Client;
use fred::error::{Error, ErrorKind};
use fred::interfaces::ClientLike;
use fred::types::config::{Config, Server, ServerConfig, TcpConfig, TlsConfig};
use fred::types::{Builder, ClusterHash, CustomCommand, RespVersion, Value};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::{COMMAND_TIMEOUT, CONNECT_TIMEOUT, Fault};

/// How fred says that it took a command no more.
const TASK_IS_GONE: &str = "Failed to send command to router.";

/// Where a node listens.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Address {
    pub(super) host: String,
    pub(super) port: u16,
}

impl Address {
    /// What a node calls another one in a redirection: `HOST:PORT`, with an IPv6 address bare, or
    /// `:PORT` when it is on the host of the one that says so.
    pub(super) fn told_by(text: &str, teller: &Self) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let host = match host {
            "" | "?" => &teller.host,
            host => host,
        };
        Some(Self {
            host: host.to_owned(),
            port: port.parse().ok().filter(|port| *port != 0)?,
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// What all connections to a target have in common.
pub(super) struct Dial {
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
    pub(super) database: Option<u8>,
    pub(super) tls: Option<TlsConfig>,
}

/// A command and its arguments.
pub(super) type Command = (&'static str, Vec<Value>);

/// A connection; it ends when this is dropped.
pub(super) struct Connection {
    client: Client,
    task: AbortHandle,
}

impl Connection {
    /// Connects and logs in.
    pub(super) async fn open(dial: &Dial, address: &Address) -> Result<Self, Fault> {
        let away = |why: &str| Fault::Away(format!("{address}: {why}"));
        let client = client_for(dial, address).map_err(|error| away(error.details()))?;
        let listener = client.clone();
        let mut connected = pin!(listener.wait_for_connect());
        // From the first poll on it listens: nothing that happens to the task is missed.
        let _ = futures::poll!(&mut connected);
        let task = client.connect().abort_handle();
        let connection = Self { client, task };
        match timeout(CONNECT_TIMEOUT, connected).await {
            Ok(Ok(())) => Ok(connection),
            Ok(Err(error)) => Err(away(plain(error.details()))),
            Err(_) => Err(away(&format!("no connection within {CONNECT_TIMEOUT:?}"))),
        }
    }

    /// Sends commands in one go, and answers what each was answered.
    pub(super) async fn send(
        &self,
        commands: Vec<Command>,
    ) -> Result<Vec<Result<Value, String>>, Fault> {
        let count = commands.len();
        let pipeline = self.client.pipeline();
        for (name, args) in commands {
            let command = CustomCommand::new_static(name, ClusterHash::FirstKey, false);
            let queued: Result<Value, Error> = pipeline.custom(command, args).await;
            queued.map_err(|error| Fault::Away(plain(error.details()).to_owned()))?;
        }
        let answers = timeout(COMMAND_TIMEOUT, pipeline.try_all::<Value>()).await;
        let answers = answers.map_err(|_| Fault::Away("no answer in time".to_owned()))?;
        if answers.len() != count {
            return Err(Fault::Away("the connection ended".to_owned()));
        }
        answers.into_iter().map(answer).collect()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// An answer of Redis, its errors included; what else goes wrong is the connection's.
fn answer(result: Result<Value, Error>) -> Result<Result<Value, String>, Fault> {
    let error = match result {
        Ok(value) => return Ok(Ok(value)),
        Err(error) => error,
    };
    let words = plain(error.details()).to_owned();
    match error.kind() {
        ErrorKind::Timeout => Err(Fault::Away("no answer in time".to_owned())),
        ErrorKind::Canceled => Err(Fault::Away("the connection ended".to_owned())),
        ErrorKind::IO | ErrorKind::Tls | ErrorKind::Routing | ErrorKind::Backpressure => {
            Err(Fault::Away(words))
        }
        _ if words == TASK_IS_GONE => Err(Fault::Away("the connection has ended".to_owned())),
        _ => Ok(Err(words)),
    }
}

fn client_for(dial: &Dial, address: &Address) -> Result<Client, Error> {
    let config = Config {
        server: ServerConfig::Centralized {
            server: Server::new(address.host.as_str(), address.port),
        },
        version: RespVersion::RESP3,
        username: dial.user.clone(),
        password: dial.password.clone(),
        database: dial.database,
        tls: dial.tls.clone(),
        ..Config::default()
    };
    Builder::from_config(config)
        .with_connection_config(|connection| {
            connection.connection_timeout = CONNECT_TIMEOUT;
            connection.internal_command_timeout = CONNECT_TIMEOUT;
            connection.max_command_attempts = 1;
            connection.max_redirections = 0;
            connection.disable_cluster_health_check = true;
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

/// What the system says, out of what fred makes of it:
/// `Os { code: 111, kind: ConnectionRefused, message: "Connection refused" }`.
fn plain(details: &str) -> &str {
    let message = details.split_once("message: \"");
    let message = message.and_then(|(_, message)| message.split('"').next());
    message.unwrap_or(details)
}
