//! The commands that functions call: [`Command`], and whether it asks or writes.
//!
//! Every command of our Lua stands here: one that does not is refused, since nobody would know when it
//! is to be sent.

use bytes::Bytes;
use redis_link::Value;

/// What may be asked: it goes to the server when it is called, and the function waits for it.
const ASKS: &[&str] = &[
    "EXISTS",
    "GET",
    "HEXISTS",
    "HGET",
    "HGETALL",
    "HKEYS",
    "HLEN",
    "HMGET",
    "HSCAN",
    "PTTL",
    TIME,
    "ZCARD",
    "ZCOUNT",
    "ZLEXCOUNT",
    "ZMSCORE",
    "ZRANGE",
    "ZRANGEBYSCORE",
    "ZRANK",
    "ZREVRANGE",
    "ZREVRANGEBYSCORE",
    "ZREVRANK",
    "ZSCAN",
    "ZSCORE",
];

/// What changes something: it is kept until the function has ended.
const WRITES: &[&str] = &[
    "HDEL",
    "HSET",
    "PERSIST",
    "PEXPIRE",
    "SET",
    "UNLINK",
    "ZADD",
    "ZREM",
    "ZREMRANGEBYRANK",
    "ZREMRANGEBYSCORE",
];

/// Asked of stretches of sorted sets: with scores, each answers pairs.
const STRETCHES: &[&str] = &["ZRANGE", "ZRANGEBYSCORE", "ZREVRANGE", "ZREVRANGEBYSCORE"];

/// The node's clock, which is no key's.
const TIME: &str = "TIME";

const WITHSCORES: &[u8] = b"WITHSCORES";

/// What becomes of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// The function waits for the answer.
    Asks,
    /// It is sent when the function has ended.
    Writes,
}

/// A command of a function's.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Command {
    /// In capital letters.
    pub name: &'static str,
    /// What follows the name.
    pub args: Vec<Bytes>,
}

impl Command {
    /// The command of this name, and what becomes of it.
    #[must_use]
    pub fn of(name: &[u8], args: Vec<Bytes>) -> Option<(Self, Sort)> {
        let among = |known: &[&'static str]| {
            let mut known = known.iter().copied();
            known.find(|known| name.eq_ignore_ascii_case(known.as_bytes()))
        };
        let (name, sort) = match (among(ASKS), among(WRITES)) {
            (Some(name), _) => (name, Sort::Asks),
            (None, Some(name)) => (name, Sort::Writes),
            (None, None) => return None,
        };
        Some((Self { name, args }, sort))
    }

    /// The node's clock.
    #[must_use]
    pub const fn time() -> Self {
        Self {
            name: TIME,
            args: Vec::new(),
        }
    }

    /// Whether it asks for the node's clock.
    #[must_use]
    pub fn is_time(&self) -> bool {
        self.name == TIME
    }

    /// The keys that it names.
    #[must_use]
    pub fn keys(&self) -> &[Bytes] {
        match self.name {
            TIME => &[],
            "EXISTS" | "UNLINK" => &self.args,
            _ => self.args.get(..1).unwrap_or_default(),
        }
    }

    /// The fields of a hash that it is about; none where it is about all of its keys.
    fn fields(&self) -> Option<impl Iterator<Item = &Bytes>> {
        let step = match self.name {
            "HDEL" | "HEXISTS" | "HGET" | "HMGET" => 1,
            // Each is followed by its value.
            "HSET" => 2,
            _ => return None,
        };
        Some(self.args.iter().skip(1).step_by(step))
    }

    /// Whether the answer to it depends on what the other changes.
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

    /// Whether it asks for a stretch of a sorted set.
    #[must_use]
    pub fn is_stretch(&self) -> bool {
        STRETCHES.contains(&self.name)
    }

    /// Whether what it is answered has scores.
    #[must_use]
    pub fn wants_scores(&self) -> bool {
        let mut args = self.args.iter();
        args.any(|arg| arg.eq_ignore_ascii_case(WITHSCORES))
    }

    /// As it is sent. A stretch is always asked for with scores: a list that begins with the name of a
    /// member may be taken for a message by the client, a list of pairs never is.
    pub fn words(&self) -> Vec<Value> {
        let mut words: Vec<Value> = self.args.iter().cloned().map(Value::Bytes).collect();
        if self.is_stretch() && !self.wants_scores() {
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
    fn stretches_are_asked_for_with_scores() {
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
    fn a_question_sees_what_is_written_to_its_fields() {
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
    fn keys_are_told_from_arguments() {
        let keys = |words: &[&str]| command(words).0.keys().len();
        assert_eq!(keys(&["UNLINK", "a", "b"]), 2);
        assert_eq!(keys(&["HSET", "a", "f", "v"]), 1);
        assert_eq!(keys(&["TIME"]), 0);
        assert!(Command::of(b"EVAL", Vec::new()).is_none());
    }
}
