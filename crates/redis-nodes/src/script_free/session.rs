//! Sessions of calls without scripts: [`Session`] is a connection with an interpreter, [`Sessions`]
//! are those of one node for one sort of calls.
//!
//! A watch applies to all commands of a connection, so a session makes one call at a time.

use std::sync::{Arc, Weak};

use crate::redis_link::{Address, CommandError, Connection, Reply, Value};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::acks::Acks;
use crate::dial::Dial;
use crate::info::Info;
use crate::lua_functions::Interpreter;
use crate::probe::ask_info;

/// The maximum number of concurrent reads, and of writes, on one node; others wait.
pub(crate) const SESSIONS_MAX: u32 = 4;

/// A connection with an interpreter.
#[derive(Debug)]
pub(crate) struct Session {
    connection: Arc<Connection>,
    acks: Acks,
    pub(crate) interpreter: Interpreter,
    /// Whether keys may be watched.
    pub(crate) watches: bool,
    /// How often it has waited for a reply.
    pub(crate) round_trips: u64,
}

impl Session {
    /// Sends commands together; either each has a reply, or for none of them is known whether it
    /// was applied.
    pub(crate) async fn send(
        &mut self,
        commands: Vec<(&'static str, Vec<Value>)>,
    ) -> Result<Vec<Result<Reply, CommandError>>, CommandError> {
        self.round_trips += 1;
        self.connection.send_together(commands).await
    }
}

/// The sessions of one process for its reads, or its writes.
#[derive(Debug)]
pub(crate) struct Sessions {
    dial: Dial,
    address: Address,
    /// Identifies the process to which they are connected.
    history: String,
    permits: Arc<Semaphore>,
    idle: Mutex<Vec<Session>>,
    /// All that may be connected.
    made: Mutex<Vec<Weak<Connection>>>,
}

impl Sessions {
    pub(crate) fn new(dial: &Dial, address: &Address, info: &Info) -> Arc<Self> {
        Arc::new(Self {
            dial: dial.clone(),
            address: address.clone(),
            history: info.history.clone(),
            permits: Arc::new(Semaphore::new(SESSIONS_MAX as usize)),
            idle: Mutex::new(Vec::new()),
            made: Mutex::new(Vec::new()),
        })
    }

    /// Waits for a session that is not in use.
    pub(crate) async fn take(self: &Arc<Self>, until: Instant) -> Result<Lease, CommandError> {
        let permits = timeout_at(until, self.permits.clone().acquire_owned()).await;
        let permits = match permits {
            Ok(Ok(permits)) => permits,
            Ok(Err(_)) => return Err(CommandError::NotSent("the connection has ended".to_owned())),
            Err(_) => return Err(CommandError::NotSent("too many calls wait".to_owned())),
        };
        let session = loop {
            let idle = self.idle.lock().pop();
            match idle {
                Some(session) if !session.connection.is_ended() => break session,
                Some(_) => {}
                None => {
                    let opened = timeout_at(until, self.open()).await;
                    break opened.map_err(|_| {
                        CommandError::NotSent("no connection in time".to_owned())
                    })??;
                }
            }
        };
        Ok(Lease {
            session: Some(session),
            is_fit: false,
            sessions: self.clone(),
            _permit: permits,
        })
    }

    /// Connects to the process of the link, and to no other: its replies are attributed to that
    /// process.
    async fn open(&self) -> Result<Session, CommandError> {
        let opened = Connection::open(&self.dial.options, &self.address).await;
        let connection = opened.map_err(CommandError::NotSent)?;
        let info = ask_info(&connection, Some("replication")).await;
        let info = info.map_err(|error| CommandError::NotSent(error.to_string()))?;
        if !info.is_primary() || info.history != self.history {
            return Err(CommandError::NotSent(
                "it restarted or was promoted".to_owned(),
            ));
        }
        let interpreter = Interpreter::new(self.dial.library.lua());
        let interpreter =
            interpreter.map_err(|broken| CommandError::NotSent(broken.to_string()))?;
        let connection = Arc::new(connection);
        let mut made = self.made.lock();
        made.retain(|connection| connection.strong_count() > 0);
        made.push(Arc::downgrade(&connection));
        Ok(Session {
            acks: Acks::new(connection.clone(), None),
            connection,
            interpreter,
            watches: false,
            round_trips: 0,
        })
    }

    /// Ends the sessions: callers that wait for a reply fail at once.
    pub(crate) fn end(&self) {
        self.permits.close();
        self.idle.lock().clear();
        for connection in self.made.lock().drain(..) {
            if let Some(connection) = connection.upgrade() {
                connection.end();
            }
        }
    }
}

/// A session in use. One that was dropped in the middle of a call is not used again.
#[derive(Debug)]
pub(crate) struct Lease {
    session: Option<Session>,
    is_fit: bool,
    sessions: Arc<Sessions>,
    _permit: OwnedSemaphorePermit,
}

impl Lease {
    pub(crate) fn session(&mut self) -> &mut Session {
        self.is_fit = false;
        self.session
            .as_mut()
            .expect("it is there until the lease ends")
    }

    /// Records that no call is under way on it.
    pub(crate) fn is_done(&mut self) {
        self.is_fit = true;
    }

    /// Returns how many replicas have the writes: at least `wanted`, or as many as there are after
    /// a while.
    pub(crate) async fn count(&mut self, wanted: u32) -> Result<u32, CommandError> {
        let acks = self.session().acks.clone();
        let count = acks.count(wanted).await?;
        self.is_done();
        Ok(count)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let session = self.session.take().filter(|_| self.is_fit);
        if let Some(session) = session.filter(|session| !session.connection.is_ended()) {
            self.sessions.idle.lock().push(session);
        }
    }
}
