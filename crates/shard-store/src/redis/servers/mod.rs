//! Where calls go, and how they come to an answer.
//!
//! [`Servers::call`] sends one function call to the node that has its keys, and again until its
//! deadline where that does no harm.

use std::time::Duration;

use bytes::Bytes;
use fred::clients::Client;
use fred::interfaces::ClientLike;
use fred::types::config::{Config, ServerConfig};
use fred::types::{Builder, ClusterHash, CustomCommand, RespVersion, Value};
use tokio::time::Instant;
use twox_hash::XxHash3_64;

use super::keys;
use super::library::Library;

/// One of several independent servers, by the identity that it stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ServerId(pub(super) u64);

/// Where keys lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Place {
    /// Their slot.
    pub(super) slot: u16,
    /// Of independent servers, which; otherwise none.
    pub(super) server: Option<ServerId>,
}

/// Whether a call may change anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It only reads.
    Read,
    /// It may write, and is exact when it is sent again. It is given its deadline as first argument.
    Write,
}

/// One function call.
#[derive(Debug, Clone)]
pub(super) struct Call {
    /// The function's short name: `apply`.
    pub(super) function: &'static str,
    /// Every key that it looks at, all in one slot.
    pub(super) keys: Vec<Bytes>,
    /// Its arguments.
    pub(super) args: Vec<Bytes>,
    /// What it does.
    pub(super) effect: Effect,
    /// When to give up.
    pub(super) until: Instant,
}

/// What a function answered.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    /// Without its type byte.
    pub(super) payload: Bytes,
    /// Tells the history of the process that answered from others: it changes when data may have been lost.
    pub(super) epoch: u64,
}

/// What a function refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// Why: `DEAD`.
    pub(super) code: String,
    /// What comes with it.
    pub(super) payload: Bytes,
}

/// A call without an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum CallError {
    /// The function refused, and changed nothing.
    #[error("refused: {}", .0.code)]
    Refused(Refusal),
    /// Surely nothing happened.
    #[error("{0}")]
    Unavailable(String),
    /// It may have happened.
    #[error("{0}")]
    Unknown(String),
}

/// The nodes of a store.
#[derive(Debug)]
pub(super) struct Servers {
    client: Client,
    epoch: u64,
}

impl Servers {
    /// Connects.
    pub(super) async fn open(host: &str, port: u16) -> Result<Self, String> {
        let config = Config {
            server: ServerConfig::new_centralized(host, port),
            version: RespVersion::RESP3,
            ..Config::default()
        };
        let client = Builder::from_config(config)
            .with_connection_config(|connection| connection.max_command_attempts = 1)
            .build()
            .map_err(|error| error.to_string())?;
        client.init().await.map_err(|error| error.to_string())?;
        let servers = Self {
            client,
            epoch: XxHash3_64::oneshot(b""),
        };
        let library = Library::this();
        let load = vec![Value::from("LOAD"), Value::from(library.source.as_str())];
        match servers.send("FUNCTION", load).await {
            Err(error) if !error.to_string().contains("already exists") => Err(error.to_string()),
            _ => Ok(servers),
        }
    }

    async fn send(
        &self,
        command: &'static str,
        args: Vec<Value>,
    ) -> Result<Value, fred::error::Error> {
        let command = CustomCommand::new_static(command, ClusterHash::FirstKey, false);
        self.client.custom(command, args).await
    }

    /// The registry's place.
    pub(super) fn registry(&self) -> Place {
        Place {
            slot: keys::registry_slot(),
            server: None,
        }
    }

    /// The independent servers that a board born now is spread over; none otherwise.
    pub(super) fn ids(&self) -> Vec<ServerId> {
        Vec::new()
    }

    /// Calls a function, again where that does no harm, until its deadline.
    pub(super) async fn call(&self, _place: Place, call: &Call) -> Result<Answer, CallError> {
        loop {
            match self.call_once(call).await {
                Err(CallError::Refused(refusal))
                    if refusal.code == "FROZEN" && Instant::now() < call.until =>
                {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
                answer => return answer,
            }
        }
    }

    async fn call_once(&self, call: &Call) -> Result<Answer, CallError> {
        let mut args: Vec<Value> = vec![Library::this().function(call.function).into()];
        args.push(Value::from(
            i64::try_from(call.keys.len()).unwrap_or(i64::MAX),
        ));
        args.extend(call.keys.iter().cloned().map(Value::Bytes));
        if call.effect == Effect::Write {
            args.push(Value::from("9999999999999"));
        }
        args.extend(call.args.iter().cloned().map(Value::Bytes));
        let answer = self
            .send("FCALL", args)
            .await
            .map_err(|error| CallError::Unavailable(error.to_string()))?;
        let bytes = match answer {
            Value::Bytes(bytes) => bytes,
            Value::String(text) => text.into_inner(),
            other => return Err(CallError::Unknown(format!("{other:?}"))),
        };
        match bytes.first() {
            Some(b'R') => Ok(Answer {
                payload: bytes.slice(1..),
                epoch: self.epoch,
            }),
            Some(b'E') => {
                let text = bytes.slice(1..);
                let end = text
                    .iter()
                    .position(|byte| *byte == b' ')
                    .unwrap_or(text.len());
                let code = String::from_utf8_lossy(&text[..end]).into_owned();
                let payload = text.slice((end + 1).min(text.len())..);
                Err(CallError::Refused(Refusal { code, payload }))
            }
            _ => Err(CallError::Unknown("no answer of a function".to_owned())),
        }
    }
}
