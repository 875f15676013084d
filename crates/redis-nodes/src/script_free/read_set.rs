//! What one attempt of a call has read from the server: [`ReadSet`].
//!
//! All that a function reads must be of one moment. Either its keys are watched before the first
//! read, so that the end of the attempt shows whether anything has changed; or, if the function
//! only reads, everything that it read last time is read again in one `MULTI`.

use std::collections::{HashMap, HashSet};

use crate::redis_link::{CommandError, Reply, Value};

use super::closing_key::ClosingKey;
use super::session::Session;
use super::transaction::FunctionCall;
use crate::call::Effect;
use crate::lua_functions::Command;

/// The number of reads that are sent together at the beginning of an attempt; the others are sent
/// when the function makes them.
const LEARNED_MAX: usize = 4_000;

/// Whether what was read is of one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Isolation {
    /// Nothing was read.
    Nothing,
    /// Keys are watched.
    Watched,
    /// Everything was read in one transaction.
    Whole,
    /// Something else was read as well: it is not of one moment.
    Torn,
}

/// What an attempt has read.
#[derive(Debug)]
pub(crate) struct ReadSet<'a> {
    session: &'a mut Session,
    function: FunctionCall<'a>,
    /// What the previous attempt read; empty in the first one.
    learned: Vec<Command>,
    seen: HashMap<Command, Reply>,
    asked: Vec<Command>,
    hold: Isolation,
}

impl<'a> ReadSet<'a> {
    pub(crate) fn new(
        session: &'a mut Session,
        function: FunctionCall<'a>,
        learned: Vec<Command>,
    ) -> Self {
        Self {
            session,
            function,
            learned,
            seen: HashMap::new(),
            asked: Vec::new(),
            hold: Isolation::Nothing,
        }
    }

    /// Returns the reply to a read, the same whenever it is repeated.
    pub(crate) async fn ask(&mut self, command: &Command) -> Result<&Reply, CommandError> {
        if self.hold == Isolation::Nothing {
            if self.function.call.effect == Effect::Read && !self.learned.is_empty() {
                self.take_whole().await?;
            } else {
                self.watch(command).await?;
            }
        }
        if !self.asked.contains(command) {
            self.asked.push(command.clone());
        }
        if !self.seen.contains_key(command) {
            if self.hold == Isolation::Whole {
                self.hold = Isolation::Torn;
            }
            let commands = vec![(command.name, command.words())];
            let reply = self.send(commands).await?.pop();
            let reply = reply.unwrap_or(Reply::Null);
            self.seen.insert(command.clone(), reply);
        }
        Ok(&self.seen[command])
    }

    /// Returns what was read, its isolation, and whether several commands are needed for that.
    pub(crate) fn end(self) -> (Vec<Command>, Isolation, bool) {
        let of_keys = self.asked.iter().filter(|command| !command.is_time());
        let is_one = of_keys.count() <= 1;
        (self.asked, self.hold, is_one)
    }

    /// Watches the keys of the call, and sends all reads that are expected at once.
    async fn watch(&mut self, first: &Command) -> Result<(), CommandError> {
        let mut questions = std::mem::take(&mut self.learned);
        questions.truncate(LEARNED_MAX);
        if self.function.call.effect != Effect::Read {
            // Nearly every write reads the clock.
            questions.push(Command::time());
        }
        questions.push(first.clone());
        let mut known = HashSet::new();
        questions.retain(|command| known.insert(command.clone()));
        let mut commands = self.clean();
        let closing_key = self.function.closing_key;
        commands.extend(closing_key.map(ClosingKey::set));
        if !self.function.call.keys.is_empty() {
            let keys = self
                .function
                .call
                .keys
                .iter()
                .chain(closing_key.map(ClosingKey::key))
                .cloned();
            commands.push(("WATCH", keys.map(Value::Bytes).collect()));
            self.session.watches = true;
        }
        let before = commands.len();
        commands.extend(questions.iter().map(|asked| (asked.name, asked.words())));
        let replies = self.send(commands).await?;
        self.seen
            .extend(questions.into_iter().zip(replies.into_iter().skip(before)));
        self.hold = Isolation::Watched;
        Ok(())
    }

    /// Repeats in one transaction what the last attempt read. The clock comes first: the client may
    /// mistake a reply that begins with a user's text for a message.
    async fn take_whole(&mut self) -> Result<(), CommandError> {
        let mut questions = vec![Command::time()];
        let learned = std::mem::take(&mut self.learned).into_iter();
        questions.extend(
            learned
                .filter(|command| !command.is_time())
                .take(LEARNED_MAX),
        );
        let mut commands = self.clean();
        commands.push(("MULTI", Vec::new()));
        commands.extend(questions.iter().map(|asked| (asked.name, asked.words())));
        commands.push(("EXEC", Vec::new()));
        let reply = self.send(commands).await?.pop();
        let Some(Reply::Array { data, .. }) = reply else {
            return Err(CommandError::NotSent(
                "the reply to EXEC is not a list".to_owned(),
            ));
        };
        if let Some(words) = data.iter().find_map(error_words) {
            return Err(CommandError::Redis(words));
        }
        self.seen.extend(questions.into_iter().zip(data));
        self.hold = Isolation::Whole;
        Ok(())
    }

    /// Unwatches what an earlier attempt watched.
    fn clean(&mut self) -> Vec<(&'static str, Vec<Value>)> {
        if std::mem::take(&mut self.session.watches) {
            vec![("UNWATCH", Vec::new())]
        } else {
            Vec::new()
        }
    }

    /// If this fails, nothing was applied.
    async fn send(
        &mut self,
        commands: Vec<(&'static str, Vec<Value>)>,
    ) -> Result<Vec<Reply>, CommandError> {
        let sent = self.session.send(commands).await;
        let replies = sent.map_err(|error| match error {
            CommandError::Lost(words) => CommandError::NotSent(words),
            other => other,
        })?;
        replies.into_iter().collect()
    }
}

/// Returns the message of an error within a reply.
pub(crate) fn error_words(reply: &Reply) -> Option<String> {
    match reply {
        Reply::SimpleError { data, .. } => Some(data.to_string()),
        Reply::BlobError { data, .. } => Some(String::from_utf8_lossy(data).into_owned()),
        _ => None,
    }
}
