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
//! call that must not be applied after a closing watches a [`ClosingKey`], which
//! expires at the closing.

use std::time::Duration;

use crate::redis_link::{Backoff, CommandError, Reply, Value};
use bytes::Bytes;
use tokio::time::{Instant, sleep_until};

use super::closing_key::ClosingKey;
use super::read_set::{Isolation, ReadSet, error_words};
use super::session::Session;
use crate::call::{Call, Effect};
use crate::lua_functions::{Broken, Command, Step};

/// The first and the longest pause before a call is tried again that had a conflict with another
/// write.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(5));

/// The maximum number of commands that one transaction writes.
const WRITES_MAX: usize = 8_000;

/// A call with the arguments of its function.
#[derive(Debug, Clone, Copy)]
pub(super) struct FunctionCall<'a> {
    pub(super) call: &'a Call,
    /// The function's full name.
    pub(super) name: &'a str,
    /// Including the deadline, by the node's clock, if it has one.
    pub(super) args: &'a [Bytes],
    /// The key that expires when the call must not be applied any more.
    pub(super) closing_key: Option<&'a ClosingKey>,
}

/// A call that is being made.
#[derive(Debug)]
pub(crate) struct Transaction<'a> {
    session: &'a mut Session,
    function: FunctionCall<'a>,
    /// Whether the call only finds out, past its deadline, if it was applied: the function rejects
    /// it otherwise.
    is_late: bool,
    /// What the last attempt read.
    learned: Vec<Command>,
    conflicts: u64,
}

impl<'a> Transaction<'a> {
    pub(crate) fn new(session: &'a mut Session, function: FunctionCall<'a>) -> Self {
        Self {
            session,
            function,
            is_late: Instant::now() >= function.call.until,
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
    pub(crate) async fn run(&mut self) -> Result<Bytes, CommandError> {
        let mut pause = Backoff::new(PAUSES.0, PAUSES.1);
        loop {
            if let Some(said) = self.attempt().await? {
                return Ok(said);
            }
            self.conflicts += 1;
            let now = Instant::now();
            if now >= self.function.call.until {
                let times = self.conflicts;
                let why = format!("TRYAGAIN other writes came between, {times} times");
                return Err(CommandError::Redis(why));
            }
            // A complete read set has no conflicts, however soon it is read.
            if self.function.call.effect != Effect::Read {
                sleep_until((now + pause.next_pause()).min(self.function.call.until)).await;
            }
        }
    }

    /// Returns `None` if something changed meanwhile.
    async fn attempt(&mut self) -> Result<Option<Bytes>, CommandError> {
        let function = self.function;
        let broken = |broken: Broken| {
            CommandError::Redis(format!("ERR {}: {broken}", function.call.function))
        };
        // The run borrows the interpreter, the read set the session.
        let interpreter = self.session.interpreter.clone();
        let begun = interpreter.begin(function.name, &function.call.keys, function.args);
        let mut run = begun.map_err(broken)?;
        let learned = std::mem::take(&mut self.learned);
        let mut reads = ReadSet::new(self.session, function, learned);
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
    async fn commit(&mut self, writes: &[Command]) -> Result<bool, CommandError> {
        if writes.len() > WRITES_MAX {
            let why = format!(
                "ERR {}: more than {WRITES_MAX} writes",
                self.function.call.function
            );
            return Err(CommandError::Redis(why));
        }
        if !writes.is_empty() && !self.is_late && Instant::now() >= self.function.call.until {
            // Its result would reach no caller.
            return Err(CommandError::Redis(
                "TRYAGAIN the deadline had passed".to_owned(),
            ));
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
                Some(words) => Err(CommandError::Lost(format!(
                    "a part was not written: {words}"
                ))),
            },
            _ => Err(CommandError::Lost(
                "the reply to EXEC is not a list".to_owned(),
            )),
        }
    }
}
