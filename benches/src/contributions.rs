//! Requests with contributions: NDJSON and JSON over HTTP, and `ZINCRBY` for Redis.

use std::fmt::Write as _;
use std::io;

use crate::http::{self, Connection};
use crate::resp;
use crate::sample::member;
use scale::random::Random;

const PATH: &str = "/v1/contributions";

/// The maximum points of a contribution.
const POINTS_MAX: u64 = 100;

/// Coprime to all numbers of members: steps of this length reach every member once, in a practically random order.
const STRIDE: u64 = 7_654_321;

/// Generates contributions to one board.
#[derive(Debug, Clone)]
pub struct Contributions {
    board: String,
    members: u64,
    random: Random,
    /// The number of members returned by [`Contributions::next_members`].
    next: u64,
    /// The prefix of ids, and the number of the next one.
    ids: Option<(String, u64)>,
}

impl Contributions {
    /// Generates contributions of this number of members, different ones for each seed.
    #[must_use]
    pub fn to(board: &str, members: u64, seed: u64) -> Self {
        Self {
            board: board.to_owned(),
            members,
            random: Random::new(seed),
            next: 0,
            ids: None,
        }
    }

    /// Gives each contribution an id with this prefix.
    #[must_use]
    pub fn with_ids(mut self, prefix: &str) -> Self {
        self.ids = Some((prefix.to_owned(), 0));
        self
    }

    /// Returns random members.
    pub fn random_members(&mut self, len: u64) -> Vec<u64> {
        (0..len).map(|_| self.random.below(self.members)).collect()
    }

    /// Returns the next members. Each member is returned once; after all of them, the result is empty.
    pub fn next_members(&mut self, len: u64) -> Vec<u64> {
        let first = self.next;
        self.next = self.members.min(first + len);
        (first..self.next)
            .map(|index| index * STRIDE % self.members)
            .collect()
    }

    /// Returns an NDJSON request with one contribution of each of these members.
    pub fn lines(&mut self, numbers: &[u64]) -> String {
        let mut body = String::new();
        for number in numbers {
            self.append_json(&mut body, *number);
            body.push('\n');
        }
        http::post(PATH, "application/x-ndjson", &body)
    }

    /// Sends one contribution of each member, in requests of `batch`.
    pub fn fill(&mut self, connection: &mut Connection, batch: u64) -> io::Result<()> {
        loop {
            let members = self.next_members(batch);
            if members.is_empty() {
                return Ok(());
            }
            http::apply_all(connection, &self.lines(&members))?;
        }
    }

    /// Returns a JSON request with one contribution.
    pub fn single(&mut self, number: u64) -> String {
        let mut body = String::new();
        self.append_json(&mut body, number);
        http::post(PATH, "application/json", &body)
    }

    /// Returns a pipeline of `ZINCRBY` with one contribution of each of these members.
    pub fn commands(&mut self, numbers: &[u64]) -> String {
        let mut pipeline = String::new();
        for number in numbers {
            let (points, member) = (self.points().to_string(), member(*number));
            let command = ["ZINCRBY", &self.board, &points, member.as_str()];
            resp::append(&mut pipeline, &command);
        }
        pipeline
    }

    fn append_json(&mut self, text: &mut String, number: u64) {
        let points = self.points();
        let (board, member) = (&self.board, member(number));
        // Writing into a string cannot fail.
        let _ = write!(
            text,
            r#"{{"board":"{board}","member":"{member}","points":{points}"#
        );
        if let Some((prefix, next)) = &mut self.ids {
            let _ = write!(text, r#","id":"{prefix}-{next}""#);
            *next += 1;
        }
        text.push('}');
    }

    const fn points(&mut self) -> u64 {
        1 + self.random.below(POINTS_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_member_is_returned_once() {
        let mut contributions = Contributions::to("one/live", 1000, 1);
        let mut numbers = Vec::new();
        loop {
            let members = contributions.next_members(300);
            if members.is_empty() {
                break;
            }
            numbers.extend(members);
        }
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..1000));
    }

    #[test]
    fn ids_are_numbered() {
        let mut contributions = Contributions::to("one/live", 10, 1).with_ids("a");
        let first = contributions.single(3);
        assert!(
            first.contains(r#"{"board":"one/live","member":"u000000003","points":"#),
            "{first}"
        );
        assert!(first.ends_with(r#","id":"a-0"}"#), "{first}");
        assert!(contributions.lines(&[4]).ends_with("\"id\":\"a-1\"}\n"));
    }
}
