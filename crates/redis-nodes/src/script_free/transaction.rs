//! A call made without scripts: [`Transaction`], with attempts until one succeeds.
//!
//! ```text
//! WATCH keys, TIME, first read ─► reads ─► MULTI, writes, EXEC
//!        ▲                                        │ nil: a key has changed
//!        └── everything that was read, at once ◄──┘
//! ```
//!
//! The function's decisions are based on what the server still has when it applies the writes: as
//! if the function had run there, at the moment of `WATCH`. The deadline is checked then, too: a
//! call that must not be applied after a closing watches a [`Fence`](super::fence::Fence), which
//! expires at the closing.

use std::time::Duration;

use crate::redis_link::{Reply, Value};
use tokio::time::{Instant, sleep_until};

use super::function_call::FunctionCall;
use super::read_set::{Isolation, ReadSet, error_words};
use super::session::Session;
use crate::call::Effect;
use crate::fault::Fault;
use crate::lua_functions::Command;
use crate::lua_functions::{Broken, Step};
use crate::redis_link::Backoff;

/// The first and the longest pause before a call is tried again that had a conflict with another
/// write.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(5));

/// The maximum number of commands that one transaction writes.
const WRITES_MAX: usize = 8_000;

/// A call that is being made.
#[derive(Debug)]
pub(crate) struct Transaction<'a> {
    session: &'a mut Session,
    call: FunctionCall<'a>,
    /// Whether the call only finds out, past its deadline, if it was applied: the function rejects
    /// it otherwise.
    is_late: bool,
    /// What the last attempt read.
    learned: Vec<Command>,
    conflicts: u64,
}

impl<'a> Transaction<'a> {
    pub(crate) fn new(session: &'a mut Session, call: FunctionCall<'a>) -> Self {
        Self {
            session,
            call,
            is_late: Instant::now() >= call.until,
            learned: Vec::new(),
            conflicts: 0,
        }
    }

    /// Returns how many conflicts with other writes occurred, and how many replies were waited for.
    pub(crate) fn spent(self) -> (u64, u64) {
        let round_trips = std::mem::take(&mut self.session.round_trips);
        (self.conflicts, round_trips)
    }

    /// Makes the call, and returns the function's reply.
    pub(crate) async fn run(&mut self) -> Result<bytes::Bytes, Fault> {
        let mut pause = Backoff::new(PAUSES.0, PAUSES.1);
        loop {
            if let Some(said) = self.attempt().await? {
                return Ok(said);
            }
            self.conflicts += 1;
            let now = Instant::now();
            if now >= self.call.until {
                let times = self.conflicts;
                let why = format!("TRYAGAIN other writes came between, {times} times");
                return Err(Fault::Redis(why));
            }
            // A complete read set has no conflicts, however soon it is read.
            if self.call.effect != Effect::Read {
                sleep_until((now + pause.next_pause()).min(self.call.until)).await;
            }
        }
    }

    /// Returns `None` if something changed meanwhile.
    async fn attempt(&mut self) -> Result<Option<bytes::Bytes>, Fault> {
        let call = self.call;
        let broken = |broken: Broken| Fault::Redis(format!("ERR {}: {broken}", call.function));
        // The run borrows the interpreter, the read set the session.
        let interpreter = self.session.interpreter.clone();
        let begun = interpreter.begin(call.name, call.keys, call.args);
        let mut run = begun.map_err(broken)?;
        let learned = std::mem::take(&mut self.learned);
        let mut reads = ReadSet::new(self.session, call, learned);
        let mut writes: Vec<Command> = Vec::new();
        let said = loop {
            match run.step().map_err(broken)? {
                Step::Says(said) => break said,
                Step::Writes(command) => writes.push(command),
                Step::Asks(command) => {
                    if writes.iter().any(|write| command.sees(write)) {
                        let why = format!("{} reads a key that the call has written", command.name);
                        return Err(broken(Broken(why)));
                    }
                    let reply = reads.ask(&command).await?;
                    run.answer(&command, reply).map_err(broken)?;
                }
            }
        };
        let (asked, hold, is_one) = reads.end();
        self.learned = asked;
        let holds = match hold {
            Isolation::Whole if writes.is_empty() => true,
            Isolation::Whole | Isolation::Torn => false,
            // The reply to one command is of one moment.
            Isolation::Nothing | Isolation::Watched if writes.is_empty() && is_one => true,
            Isolation::Nothing | Isolation::Watched => self.commit(&writes).await?,
        };
        Ok(holds.then_some(said))
    }

    /// Writes, unless something that was read has changed. Returns whether nothing has changed,
    /// also if there is nothing to write.
    async fn commit(&mut self, writes: &[Command]) -> Result<bool, Fault> {
        if writes.len() > WRITES_MAX {
            let why = format!("ERR {}: more than {WRITES_MAX} writes", self.call.function);
            return Err(Fault::Redis(why));
        }
        if !writes.is_empty() && !self.is_late && Instant::now() >= self.call.until {
            // Its result would reach no caller.
            return Err(Fault::Redis("TRYAGAIN the deadline had passed".to_owned()));
        }
        let mut commands: Vec<(&'static str, Vec<Value>)> = vec![("MULTI", Vec::new())];
        commands.extend(writes.iter().map(|write| (write.name, write.words())));
        commands.push(("EXEC", Vec::new()));
        let replies = self.session.send(commands).await?;
        self.session.watches = false;
        // A rejected command is reported before `EXEC` is, which then writes nothing.
        let replies = replies.into_iter().collect::<Result<Vec<_>, _>>()?;
        match replies.last() {
            Some(Reply::Null) => Ok(false),
            Some(Reply::Array { data, .. }) => match data.iter().find_map(error_words) {
                None => Ok(true),
                Some(words) => Err(Fault::Lost(format!("a part was not written: {words}"))),
            },
            _ => Err(Fault::Lost("the reply to EXEC is not a list".to_owned())),
        }
    }
}
