//! A call made without scripts: [`Transaction`], attempts until one holds.
//!
//! ```text
//! WATCH keys, TIME, first question ─► questions ─► MULTI, writes, EXEC
//!        ▲                                                  │ nil: a key had changed
//!        └── all that was asked, at once ◄──────────────────┘
//! ```
//!
//! What was decided was decided on what the server still has when it takes the writes: as if the function
//! had run there, at the moment of `WATCH`. How late it is is looked at then, too: a call that must not come behind
//! something watches a [`Fence`](super::fence::Fence), which ends with it.

use std::time::Duration;

use redis_link::{Reply, Value};
use tokio::time::{Instant, sleep_until};

use super::function_call::FunctionCall;
use super::read_set::{Isolation, ReadSet, error_words};
use super::session::Session;
use crate::call::Effect;
use crate::fault::Fault;
use lua_functions::Command;
use lua_functions::{Broken, Step};
use redis_link::Backoff;

/// The first and the longest pause before a call is tried again that met another write.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(5));

/// Commands that one transaction writes.
const WRITES_MAX: usize = 8_000;

/// A call that is being made.
#[derive(Debug)]
pub(crate) struct Transaction<'a> {
    session: &'a mut Session,
    call: FunctionCall<'a>,
    /// It is asked past its deadline what became of the call: the function refuses what is new.
    is_late: bool,
    /// What the last attempt asked.
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

    /// How often another write came between, and how often an answer was waited for.
    pub(crate) fn spent(self) -> (u64, u64) {
        let round_trips = std::mem::take(&mut self.session.round_trips);
        (self.conflicts, round_trips)
    }

    /// Makes it, and answers what the function says.
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
            // A complete read set has no conflicts, however soon it is taken.
            if self.call.effect != Effect::Read {
                sleep_until((now + pause.next_pause()).min(self.call.until)).await;
            }
        }
    }

    /// Nothing where something changed meanwhile.
    async fn attempt(&mut self) -> Result<Option<bytes::Bytes>, Fault> {
        let call = self.call;
        let broken = |broken: Broken| Fault::Redis(format!("ERR {}: {broken}", call.function));
        // The interpreter lends itself to the run, the session to the read set.
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
            // What one command answers is of one moment.
            Isolation::Nothing | Isolation::Watched if writes.is_empty() && is_one => true,
            Isolation::Nothing | Isolation::Watched => self.commit(&writes).await?,
        };
        Ok(holds.then_some(said))
    }

    /// Writes what was decided, unless something has changed since. Without anything to write it reports
    /// whether that is so.
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
        // A refused command is reported before `EXEC` is, which then writes nothing.
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
