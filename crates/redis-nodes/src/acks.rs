//! Waits for replicas: [`Acks`] does so for all writes of a connection at once.
//!
//! `WAIT` blocks later commands on its connection, and covers all earlier ones. So one is under way
//! at a time, and callers that come meanwhile share the next one. It is no work for the node, so
//! the [`Backlog`] is notified of it.

use std::sync::Arc;
use std::time::Duration;

use crate::redis_link::{CommandError, Connection, Value, reply};
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use parking_lot::Mutex;

use crate::backlog::Backlog;

/// The maximum time that one `WAIT` may block its connection.
const WAIT_MAX: Duration = Duration::from_millis(200);

type Round = Shared<BoxFuture<'static, Result<u32, CommandError>>>;

/// The waits of one connection.
#[derive(Debug, Clone)]
pub(crate) struct Acks(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    connection: Arc<Connection>,
    /// The backlog of the connection, if calls are pipelined on it.
    backlog: Option<Arc<Backlog>>,
    /// A round that has not begun: it covers every write with a reply before its beginning.
    next: Mutex<Option<Round>>,
    round_lock: tokio::sync::Mutex<()>,
}

impl Acks {
    pub(crate) fn new(connection: Arc<Connection>, backlog: Option<Arc<Backlog>>) -> Self {
        Self(Arc::new(Inner {
            connection,
            backlog,
            next: Mutex::new(None),
            round_lock: tokio::sync::Mutex::new(()),
        }))
    }

    /// Returns how many replicas have what this connection has written so far: at least `wanted`,
    /// or as many as there are after a while.
    pub(crate) async fn count(&self, wanted: u32) -> Result<u32, CommandError> {
        let round = {
            let mut next = self.0.next.lock();
            let round = next.get_or_insert_with(|| {
                let inner = Arc::downgrade(&self.0);
                async move {
                    let gone = || CommandError::Lost("the connection ended".to_owned());
                    inner.upgrade().ok_or_else(gone)?.ask(wanted).await
                }
                .boxed()
                .shared()
            });
            round.clone()
        };
        round.await
    }
}

impl Inner {
    async fn ask(&self, wanted: u32) -> Result<u32, CommandError> {
        let _alone = self.round_lock.lock().await;
        // From here on callers join the next round.
        self.next.lock().take();
        let millis = u64::try_from(WAIT_MAX.as_millis()).unwrap_or(u64::MAX);
        let args = [u64::from(wanted), millis].map(|number| Value::from(number.to_string()));
        if let Some(backlog) = &self.backlog {
            backlog.holds_up();
        }
        let reply = self.connection.send("WAIT", args.into()).await;
        if let Some(backlog) = &self.backlog {
            backlog.goes_on();
        }
        let reply = reply?;
        let count = reply::number(&reply).and_then(|count| u32::try_from(count).ok());
        count.ok_or_else(|| CommandError::Lost("the reply to WAIT is not a number".to_owned()))
    }
}
