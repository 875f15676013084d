//! The commands that functions call: [`Command`], and whether it reads or writes.
//!
//! Every command of our Lua is listed here: others are rejected, since it would be unknown when to
//! send them.

use crate::redis_link::Value;
use bytes::Bytes;

/// The commands of functions. Those that read are sent when they are called, and the function waits for the reply;
/// those that write are kept until the function has ended.
const COMMANDS: &[(&str, Sort, Args)] = &[
    ("GET", Sort::Asks, Args::Key),
    ("HEXISTS", Sort::Asks, Args::Fields(1)),
    ("HGET", Sort::Asks, Args::Fields(1)),
    ("HGETALL", Sort::Asks, Args::Key),
    ("HKEYS", Sort::Asks, Args::Key),
    ("HLEN", Sort::Asks, Args::Key),
    ("HMGET", Sort::Asks, Args::Fields(1)),
    ("HSCAN", Sort::Asks, Args::Key),
    ("PTTL", Sort::Asks, Args::Key),
    ("TIME", Sort::Asks, Args::Clock),
    ("ZCARD", Sort::Asks, Args::Key),
    ("ZCOUNT", Sort::Asks, Args::Key),
    ("ZLEXCOUNT", Sort::Asks, Args::Key),
    ("ZMSCORE", Sort::Asks, Args::Key),
    ("ZRANGE", Sort::Asks, Args::Range),
    ("ZRANGEBYSCORE", Sort::Asks, Args::Range),
    ("ZREVRANGE", Sort::Asks, Args::Range),
    ("ZREVRANK", Sort::Asks, Args::Key),
    ("ZSCAN", Sort::Asks, Args::Key),
    ("ZSCORE", Sort::Asks, Args::Key),
    ("HDEL", Sort::Writes, Args::Fields(1)),
    ("HSET", Sort::Writes, Args::Fields(2)),
    ("PERSIST", Sort::Writes, Args::Key),
    ("PEXPIRE", Sort::Writes, Args::Key),
    ("SET", Sort::Writes, Args::Key),
    ("UNLINK", Sort::Writes, Args::Keys),
    ("ZADD", Sort::Writes, Args::Key),
    ("ZREM", Sort::Writes, Args::Key),
    ("ZREMRANGEBYRANK", Sort::Writes, Args::Key),
    ("ZREMRANGEBYSCORE", Sort::Writes, Args::Key),
];

const WITHSCORES: &[u8] = b"WITHSCORES";

/// Whether a command reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// The function waits for the reply.
    Asks,
    /// It is sent when the function has ended.
    Writes,
}

/// What the arguments of a command are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Args {
    /// None: it reads the node's clock.
    Clock,
    /// Keys.
    Keys,
    /// A key, and what else it needs.
    Key,
    /// The key of a hash, and its fields, one in so many arguments.
    Fields(usize),
    /// The key of a sorted set, and a range of it: with scores, the reply is pairs.
    Range,
}

/// A command of a function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Command {
    /// In capital letters.
    pub name: &'static str,
    kind: Args,
    /// The arguments after the name.
    pub args: Vec<Bytes>,
}

impl Command {
    /// Returns the command of this name, and its sort.
    #[must_use]
    pub fn of(name: &[u8], args: Vec<Bytes>) -> Option<(Self, Sort)> {
        let mut known = COMMANDS.iter();
        let known = known.find(|(known, ..)| name.eq_ignore_ascii_case(known.as_bytes()));
        known.map(|&(name, sort, kind)| (Self { name, kind, args }, sort))
    }

    /// Returns the command that reads the node's clock.
    #[must_use]
    pub const fn time() -> Self {
        Self {
            name: "TIME",
            kind: Args::Clock,
            args: Vec::new(),
        }
    }

    /// Returns whether it reads the node's clock.
    #[must_use]
    pub fn is_time(&self) -> bool {
        self.kind == Args::Clock
    }

    /// Returns the keys of its arguments.
    #[must_use]
    pub fn keys(&self) -> &[Bytes] {
        match self.kind {
            Args::Clock => &[],
            Args::Keys => &self.args,
            Args::Key | Args::Fields(_) | Args::Range => self.args.get(..1).unwrap_or_default(),
        }
    }

    /// Returns the fields of a hash that it concerns; `None` if it concerns whole keys.
    fn fields(&self) -> Option<impl Iterator<Item = &Bytes>> {
        match self.kind {
            Args::Fields(step) => Some(self.args.iter().skip(1).step_by(step)),
            _ => None,
        }
    }

    /// Returns whether its reply depends on what the other command changes.
    #[must_use]
    pub fn sees(&self, write: &Self) -> bool {
        if !self.keys().iter().any(|key| write.keys().contains(key)) {
            return false;
        }
        match (self.fields(), write.fields()) {
            (Some(mut asked), Some(written)) => {
                let written: Vec<_> = written.collect();
                asked.any(|field| written.contains(&field))
            }
            _ => true,
        }
    }

    /// Returns whether it reads a range of a sorted set.
    #[must_use]
    pub fn is_range(&self) -> bool {
        self.kind == Args::Range
    }

    /// Returns whether its reply is to have scores.
    #[must_use]
    pub fn wants_scores(&self) -> bool {
        let mut args = self.args.iter();
        args.any(|arg| arg.eq_ignore_ascii_case(WITHSCORES))
    }

    /// Returns the command as it is sent. A range is always read with scores: the client may take a
    /// list that begins with the name of a member for a message, but never a list of pairs.
    pub fn words(&self) -> Vec<Value> {
        let mut words: Vec<Value> = self.args.iter().cloned().map(Value::Bytes).collect();
        if self.is_range() && !self.wants_scores() {
            words.push(Value::Bytes(Bytes::from_static(WITHSCORES)));
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str]) -> (Command, Sort) {
        let args = words[1..].iter().map(|arg| Bytes::from((*arg).to_owned()));
        Command::of(words[0].as_bytes(), args.collect()).unwrap()
    }

    #[test]
    fn ranges_are_read_with_scores() {
        let (plain, sort) = command(&["zrevrange", "k", "0", "1"]);
        assert_eq!((plain.name, sort), ("ZREVRANGE", Sort::Asks));
        assert!(!plain.wants_scores());
        assert_eq!(plain.words().len(), 4);
        let (scored, _) = command(&["ZREVRANGE", "k", "0", "1", "WITHSCORES"]);
        assert!(scored.wants_scores());
        assert_eq!(plain.words(), scored.words());
        let (get, _) = command(&["HGET", "k", "f"]);
        assert_eq!(get.words().len(), 2);
    }

    #[test]
    fn a_read_depends_on_writes_to_its_fields() {
        let sees = |asked: &[&str], written: &[&str]| command(asked).0.sees(&command(written).0);
        assert!(sees(
            &["HGET", "k", "f"],
            &["HSET", "k", "e", "1", "f", "2"]
        ));
        assert!(!sees(
            &["HGET", "k", "1"],
            &["HSET", "k", "e", "1", "f", "2"]
        ));
        assert!(sees(&["HMGET", "k", "a", "f"], &["HDEL", "k", "f"]));
        assert!(!sees(&["HEXISTS", "k", "a"], &["HDEL", "k", "f"]));
        assert!(sees(&["HLEN", "k"], &["HDEL", "k", "f"]));
        assert!(sees(&["HGET", "k", "f"], &["UNLINK", "j", "k"]));
        assert!(!sees(&["HLEN", "j"], &["HDEL", "k", "f"]));
        assert!(sees(&["ZCARD", "k"], &["ZADD", "k", "1", "m"]));
        assert!(!sees(&["TIME"], &["HSET", "k", "f", "1"]));
    }

    #[test]
    fn keys_are_distinguished_from_arguments() {
        let keys = |words: &[&str]| command(words).0.keys().len();
        assert_eq!(keys(&["UNLINK", "a", "b"]), 2);
        assert_eq!(keys(&["HSET", "a", "f", "v"]), 1);
        assert_eq!(keys(&["TIME"]), 0);
        assert!(Command::of(b"EVAL", Vec::new()).is_none());
    }
}
