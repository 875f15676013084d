//! A primary that sentinels monitor: [`Sentinel`] follows it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::redis_link::{Address, CommandError, ConnectOptions, Connection, Task, Value, reply};
use arc_swap::ArcSwapOption;
use futures::future::join_all;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use crate::dial::Dial;
use crate::node::Node;

/// How often sentinels are asked without a reason.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// The minimum time between two rounds of asking.
const ASK_APART: Duration = Duration::from_millis(50);

/// The timeout of a question to a sentinel.
const ASK_TIMEOUT: Duration = Duration::from_secs(1);

/// The timeout of a sentinel in a round, with a new connection: the others' answers wait for it.
const ROUND_TIMEOUT: Duration = Duration::from_secs(2);

/// The primary of a name, at its current address.
#[derive(Debug)]
pub(crate) struct Sentinel {
    inner: Arc<Inner>,
    _follower: Task,
}

#[derive(Debug)]
struct Inner {
    dial: Arc<Dial>,
    name: String,
    sentinels: Vec<Address>,
    primary: ArcSwapOption<Node>,
    stale: Notify,
}

impl Sentinel {
    /// Finds the primary, until a deadline.
    pub(crate) async fn open(
        dial: &Arc<Dial>,
        sentinels: &[Address],
        name: &str,
        until: Instant,
    ) -> Result<Self, String> {
        let inner = Arc::new(Inner {
            dial: dial.clone(),
            name: name.to_owned(),
            sentinels: sentinels.to_vec(),
            primary: ArcSwapOption::empty(),
            stale: Notify::new(),
        });
        let mut kept = HashMap::new();
        while let Err(why) = inner.follow(&mut kept).await {
            if Instant::now() >= until {
                return Err(why);
            }
            sleep(ASK_APART).await;
        }
        let follower = Task::spawn(inner.clone().keep_following(kept));
        Ok(Self {
            inner,
            _follower: follower,
        })
    }

    /// Returns the primary as it was last reported.
    pub(crate) fn primary(&self) -> Result<Arc<Node>, String> {
        let primary = self.inner.primary.load_full();
        primary.ok_or_else(|| {
            format!(
                "no sentinel has reported the address of {:?}",
                self.inner.name
            )
        })
    }

    /// Has the sentinels asked again: the primary may have changed.
    pub(crate) fn stale(&self) {
        self.inner.stale.notify_one();
    }
}

/// Connections to sentinels that replied when they were last asked.
type Kept = HashMap<Address, Connection>;

impl Inner {
    async fn keep_following(self: Arc<Self>, mut kept: Kept) {
        loop {
            // Either is a reason.
            let _ = timeout(ASK_EVERY, self.stale.notified()).await;
            if let Err(why) = self.follow(&mut kept).await {
                tracing::warn!("no sentinel answers: {why}");
            }
            sleep(ASK_APART).await;
        }
    }

    /// Connects to the address that most sentinels report. Its link checks whether it is a primary.
    async fn follow(&self, kept: &mut Kept) -> Result<(), String> {
        let asked = self.sentinels.iter().map(|sentinel| {
            let connection = kept.remove(sentinel);
            async move {
                let asked = timeout(ROUND_TIMEOUT, self.ask(sentinel, connection)).await;
                let late = || Err(format!("{sentinel}: no reply in {ROUND_TIMEOUT:?}"));
                (sentinel, asked.unwrap_or_else(|_| late()))
            }
        });
        let answers = join_all(asked).await;
        let mut votes: Vec<(Address, usize)> = Vec::new();
        let mut trouble = String::new();
        for (sentinel, answer) in answers {
            match answer {
                Ok((connection, primary)) => {
                    kept.insert(sentinel.clone(), connection);
                    match votes.iter_mut().find(|(address, _)| *address == primary) {
                        Some((_, votes)) => *votes += 1,
                        None => votes.push((primary, 1)),
                    }
                }
                Err(why) => trouble = format!("{sentinel}: {why}"),
            }
        }
        // If several are equal, the first is used: the order of the URL decides.
        let most = votes.into_iter().rev().max_by_key(|(_, votes)| *votes);
        let (address, _) = most.ok_or(trouble)?;
        let primary = self.primary.load();
        if primary
            .as_ref()
            .is_none_or(|node| *node.address() != address)
        {
            tracing::info!(node = %address, "is the primary of {:?}", self.name);
            let node = Node::start(&self.dial, address, None);
            self.primary.store(Some(Arc::new(node)));
        }
        Ok(())
    }

    async fn ask(
        &self,
        sentinel: &Address,
        kept: Option<Connection>,
    ) -> Result<(Connection, Address), String> {
        if let Some(connection) = kept
            && let Ok(primary) = self.ask_over(&connection).await
        {
            return Ok((connection, primary));
        }
        let mut answer = self.ask_anew(sentinel, true).await;
        if answer.is_err() && self.dial.options.login.is_some() {
            // Sentinels may know no other sentinel.
            answer = self.ask_anew(sentinel, false).await;
        }
        answer
    }

    async fn ask_anew(
        &self,
        sentinel: &Address,
        with_login: bool,
    ) -> Result<(Connection, Address), String> {
        let options = ConnectOptions {
            silence: ASK_TIMEOUT,
            ..self.dial.sentinel(with_login)
        };
        let connection = Connection::open(&options, sentinel).await?;
        let primary = self.ask_over(&connection).await;
        let primary = primary.map_err(|error| error.to_string())?;
        Ok((connection, primary))
    }

    async fn ask_over(&self, connection: &Connection) -> Result<Address, CommandError> {
        let args = ["get-master-addr-by-name", &self.name].map(Value::from);
        let answer = connection.send("SENTINEL", args.into()).await?;
        let unknown =
            || CommandError::Lost(format!("it does not know a primary named {:?}", self.name));
        let [host, port] = reply::items(&answer).unwrap_or_default() else {
            return Err(unknown());
        };
        let port = reply::number(port).and_then(|port| u16::try_from(port).ok());
        let address = reply::text(host).zip(port);
        let (host, port) = address.ok_or_else(unknown)?;
        Ok(Address::new(host, port))
    }
}
