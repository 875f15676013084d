//! One connection to one address: [`Connection`], a centralized fred client that never reconnects
//! and never sends anything twice. Its owner opens another connection when it has ended. What it
//! receives has passed a [`Guard`].
//!
//! Replies come in the order of the commands. So a command times out when the whole connection has
//! been silent for a while, however many commands were sent before it. Then the connection is
//! ended: nothing is sent again whose reply may still arrive.
//!
//! Its futures are boxed: the body of an `async fn` is compiled again in every crate that polls it,
//! and with these all of fred would be.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use fred::clients::{Client, Pipeline};
use fred::error::{Error, ErrorKind};
use fred::interfaces::ClientLike;
use fred::types::config::{Config, Options, ServerConfig};
use fred::types::{Builder, ClusterHash, CustomCommand, Resp3Frame, RespVersion, Value};
use futures::future::{BoxFuture, maybe_done};
use parking_lot::Mutex;
use tokio::task::coop::unconstrained;
use tokio::time::{Instant, sleep_until, timeout};

use crate::redis_link::address::Address;
use crate::redis_link::command_error::CommandError;
use crate::redis_link::connect_options::ConnectOptions;
use crate::redis_link::end::{ENDED, End};
use crate::redis_link::guard::Guard;
use crate::redis_link::reply::Reply;
use crate::redis_link::reply_limits::ReplyError;
use crate::redis_link::task::Task;

/// The maximum time that one command waits for its reply, however many others are answered before
/// it.
const COMMAND_MAX: Duration = Duration::from_secs(30);

/// How much longer than the last of the commands that are sent together the others may wait.
const TOGETHER_LONGER: Duration = Duration::from_secs(1);

/// The reason for ending a connection that receives no replies.
const SILENT: &str = "no answer in time";

/// The maximum number of commands that wait in the queue of one connection.
const QUEUE_MAX_COMMANDS: usize = 10_000;

/// fred's message when its task does not accept a command any more.
const TASK_IS_GONE: &str = "Failed to send command to router.";

/// A command and its arguments.
pub type Command = (&'static str, Vec<Value>);

/// A connection.
#[derive(Debug)]
pub struct Connection {
    client: Client,
    task: Task,
    silence: Duration,
    activity: Mutex<Activity>,
    end: End,
    _guard: Task,
}

/// What a connection is doing.
#[derive(Debug)]
struct Activity {
    /// When the last reply arrived.
    answered: Instant,
    /// Commands that wait for a reply.
    waiting: usize,
    /// Since when there have been such commands.
    busy_since: Instant,
}

/// A command that waits for its reply, until it is dropped.
struct Waiting<'a>(&'a Mutex<Activity>);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.lock().waiting -= 1;
    }
}

impl Connection {
    /// Connects and logs in.
    #[must_use]
    pub fn open<'a>(
        options: &'a ConnectOptions,
        address: &'a Address,
    ) -> BoxFuture<'a, Result<Self, String>> {
        Box::pin(async move {
            let within = options.connect_timeout;
            let opened = timeout(within, Self::connect(options, address)).await;
            opened.unwrap_or_else(|_| Err(format!("no connection within {within:?}")))
        })
    }

    async fn connect(options: &ConnectOptions, address: &Address) -> Result<Self, String> {
        let end = End::default();
        let guard = Guard::connect(options, address, end.clone()).await?;
        let client = client_for(options, &guard.path).map_err(|error| error.to_string())?;
        let listener = client.clone();
        let mut connected = pin!(listener.wait_for_connect());
        // It listens from the first poll on, so that the end of the task is not missed.
        let _ = futures::poll!(&mut connected);
        let task = Task::of(&client.connect());
        let why = match connected.await {
            // It takes the end of what it reads for an empty reply.
            Ok(()) => end.why(),
            Err(error) => {
                // An error of Redis comes before the end of the connection, and says more.
                let is_lost = matches!(error.kind(), ErrorKind::Canceled | ErrorKind::IO);
                let ended = end.why().filter(|_| is_lost);
                Some(ended.unwrap_or_else(|| error.details().into()))
            }
        };
        if let Some(why) = why {
            if why.contains("Invalid HELLO") || *why == *ReplyError::Malformed.to_string() {
                return Err("the server at this address is not a Redis".to_owned());
            }
            return Err(why.to_string());
        }
        let now = Instant::now();
        let activity = Activity {
            answered: now,
            waiting: 0,
            busy_since: now,
        };
        Ok(Self {
            client,
            task,
            silence: options.silence,
            activity: Mutex::new(activity),
            end,
            _guard: guard.task,
        })
    }

    /// Ends the connection: callers that wait for a reply fail at once.
    pub fn end(&self) {
        self.end_for(ENDED);
    }

    fn end_for(&self, why: &str) {
        self.end.record(why);
        self.task.end();
    }

    /// Completes when the connection has ended, and returns why.
    pub async fn ended(&self) -> Arc<str> {
        self.end.ended().await;
        self.ended_for()
    }

    /// Returns whether the connection has ended.
    pub fn is_ended(&self) -> bool {
        self.task.is_finished() || self.end.is_over()
    }

    /// Returns why the connection has ended.
    pub fn ended_for(&self) -> Arc<str> {
        self.end.why().unwrap_or_else(|| ENDED.into())
    }

    /// Returns whether the connection was ended because no reply had arrived for too long.
    pub fn ended_silent(&self) -> bool {
        self.end.why().is_some_and(|why| *why == *SILENT)
    }

    /// Returns since when commands have been waiting while no reply arrived.
    pub fn silent_since(&self) -> Option<Instant> {
        let activity = self.activity.lock();
        let since = activity.busy_since.max(activity.answered);
        (activity.waiting > 0).then_some(since)
    }

    /// Sends one command.
    pub fn send(
        &self,
        command: &'static str,
        args: Vec<Value>,
    ) -> BoxFuture<'_, Result<Reply, CommandError>> {
        Box::pin(self.send_within(command, args, self.silence, COMMAND_MAX))
    }

    /// Sends one command to which Redis may reply only after `held`.
    pub fn send_blocking(
        &self,
        command: &'static str,
        args: Vec<Value>,
        held: Duration,
    ) -> BoxFuture<'_, Result<Reply, CommandError>> {
        Box::pin(self.send_within(command, args, self.silence + held, COMMAND_MAX + held))
    }

    async fn send_within(
        &self,
        command: &'static str,
        args: Vec<Value>,
        silence: Duration,
        within: Duration,
    ) -> Result<Reply, CommandError> {
        let options = Options {
            timeout: Some(within),
            ..Options::default()
        };
        let client = self.client.with_options(&options);
        let answer = client.custom_raw(custom(command), args);
        let answer = self.until_silent(silence, answer).await?;
        if answer.is_ok() {
            self.is_answering();
        }
        match answer {
            Ok(Resp3Frame::SimpleError { data, .. }) => Err(CommandError::Redis(data.to_string())),
            Ok(Resp3Frame::BlobError { data, .. }) => Err(CommandError::Redis(
                String::from_utf8_lossy(&data).into_owned(),
            )),
            Ok(reply) => Ok(reply),
            Err(error) => {
                if *error.kind() == ErrorKind::Timeout {
                    // Its reply may still arrive.
                    self.end_for(SILENT);
                }
                Err(self.command_error(&error))
            }
        }
    }

    fn is_answering(&self) {
        self.activity.lock().answered = Instant::now();
    }

    fn waits(&self, now: Instant) -> Waiting<'_> {
        let mut activity = self.activity.lock();
        if activity.waiting == 0 {
            activity.busy_since = now;
        }
        activity.waiting += 1;
        Waiting(&self.activity)
    }

    /// Waits for the reply to a command as long as replies arrive, to this command or to others.
    async fn until_silent<T>(
        &self,
        silence: Duration,
        response: impl Future<Output = T>,
    ) -> Result<T, CommandError> {
        // A command that is sent now would wait forever: fred does not end its queue.
        if self.is_ended() {
            return Err(CommandError::NotSent(self.ended_for().to_string()));
        }
        let mut ended = pin!(self.end.ended());
        let sent = Instant::now();
        let _waiting = self.waits(sent);
        let mut response = pin!(response);
        loop {
            let silent_since = sent.max(self.activity.lock().answered);
            tokio::select! {
                biased;
                response = &mut response => return Ok(response),
                () = &mut ended => return Err(CommandError::Lost(self.ended_for().to_string())),
                () = sleep_until(silent_since + silence) => {
                    if silent_since == sent.max(self.activity.lock().answered) {
                        self.end_for(SILENT);
                    }
                }
            }
        }
    }

    /// Sends commands one after the other, and returns the reply to each.
    ///
    /// The last one times out first, and is sent only after all others: a transaction that it ends
    /// is applied as a whole or not at all.
    pub fn send_together(
        &self,
        commands: Vec<Command>,
    ) -> BoxFuture<'_, Result<Vec<Result<Reply, CommandError>>, CommandError>> {
        Box::pin(async move {
            let last = commands.len().saturating_sub(1);
            let mut sent = Vec::with_capacity(commands.len());
            for (place, (command, args)) in commands.into_iter().enumerate() {
                let within = if place == last {
                    COMMAND_MAX
                } else {
                    COMMAND_MAX + TOGETHER_LONGER
                };
                // The first poll puts a command into the queue, even if its task has used up its
                // budget: otherwise `EXEC` would be sent before the commands of its transaction.
                let answer = unconstrained(self.send_within(command, args, self.silence, within));
                let mut answer = Box::pin(maybe_done(answer));
                let _ = futures::poll!(answer.as_mut());
                if let Some(Err(error)) = answer.as_mut().output_mut() {
                    return Err(error.clone());
                }
                sent.push(answer);
            }
            // When the last one has a reply, all have.
            if let Some(last) = sent.last_mut() {
                last.as_mut().await;
            }
            let mut answers = Vec::with_capacity(sent.len());
            for mut answer in sent.into_iter().rev() {
                answer.as_mut().await;
                match answer.as_mut().take_output() {
                    Some(Err(error @ (CommandError::NotSent(_) | CommandError::Lost(_)))) => {
                        return Err(error);
                    }
                    Some(answer) => answers.push(answer),
                    None => return Err(CommandError::Lost("a reply arrived too early".to_owned())),
                }
            }
            answers.reverse();
            Ok(answers)
        })
    }

    /// Sends one command directly after `ASKING`, and returns the reply to the command.
    pub fn send_asking(
        &self,
        command: &'static str,
        args: Vec<Value>,
    ) -> BoxFuture<'_, Result<Bytes, CommandError>> {
        Box::pin(async move {
            let pipeline = Pipeline::from(self.client.clone());
            for (command, args) in [("ASKING", Vec::new()), (command, args)] {
                let queued: Result<Value, Error> = pipeline.custom(custom(command), args).await;
                queued.map_err(|error| CommandError::NotSent(error.to_string()))?;
            }
            let answers = timeout(COMMAND_MAX, pipeline.try_all::<Value>());
            let answers = self.until_silent(self.silence, answers).await?;
            let Ok(mut answers) = answers else {
                self.end_for(SILENT);
                return Err(CommandError::Lost(SILENT.to_owned()));
            };
            if answers.iter().any(Result::is_ok) {
                self.is_answering();
            }
            match (answers.pop(), answers.pop()) {
                (Some(Ok(Value::String(text))), Some(Ok(_))) => Ok(text.into_inner()),
                (Some(Ok(Value::Bytes(bytes))), Some(Ok(_))) => Ok(bytes),
                // Each command has a reply; this one is from Redis.
                (Some(Err(error)), Some(_)) | (_, Some(Err(error))) => {
                    Err(CommandError::Redis(error.details().to_owned()))
                }
                (Some(Err(error)), None) => Err(self.command_error(&error)),
                _ => Err(CommandError::Lost(
                    "the reply is not one of a function".to_owned(),
                )),
            }
        })
    }

    fn command_error(&self, error: &Error) -> CommandError {
        match error.kind() {
            ErrorKind::Backpressure => CommandError::NotSent("too many calls wait".to_owned()),
            ErrorKind::Unknown if error.details() == TASK_IS_GONE => {
                CommandError::NotSent(self.ended_for().to_string())
            }
            ErrorKind::Timeout => CommandError::Lost(SILENT.to_owned()),
            ErrorKind::Canceled | ErrorKind::IO => CommandError::Lost(self.ended_for().to_string()),
            // CLUSTERDOWN arrives here: fred ends a connection that receives it, with all its commands.
            _ => CommandError::Lost(error.details().to_owned()),
        }
    }
}

fn custom(command: &'static str) -> CustomCommand {
    CustomCommand::new_static(command, ClusterHash::FirstKey, false)
}

fn client_for(options: &ConnectOptions, path: &Path) -> Result<Client, Error> {
    let config = Config {
        server: ServerConfig::new_unix_socket(path),
        version: if options.is_resp2 {
            RespVersion::RESP2
        } else {
            RespVersion::RESP3
        },
        username: options.login.as_ref().and_then(|login| login.user.clone()),
        password: options.login.as_ref().map(|login| login.password.clone()),
        database: options.database.filter(|database| *database > 0),
        ..Config::default()
    };
    Builder::from_config(config)
        .with_connection_config(|connection| {
            connection.connection_timeout = options.connect_timeout;
            connection.internal_command_timeout = options.connect_timeout;
            connection.max_command_attempts = 1;
            connection.max_redirections = 0;
            connection.max_command_buffer_len = QUEUE_MAX_COMMANDS;
            connection.disable_cluster_health_check = true;
            // The caller gets errors; the connection remains usable.
            connection.reconnect_errors = Vec::new();
        })
        .with_performance_config(|performance| {
            performance.default_command_timeout = COMMAND_MAX;
        })
        .build()
}
