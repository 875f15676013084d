//! Contributions as clients send them: NDJSON and JSON over HTTP, ZINCRBY over Redis's protocol.

use std::fmt::Write as _;

use crate::http;
use crate::random::Random;
use crate::resp;
use crate::sample::member;

/// Where contributions go.
const PATH: &str = "/v1/contributions";

/// The largest number of points that one adds.
const POINTS_MAX: u64 = 100;

/// No factor of any number of members that is measured: steps of it come by every member once, in
/// an order that is as good as random.
const STRIDE: u64 = 7_654_321;

/// A stream of contributions to one board.
#[derive(Debug, Clone)]
pub struct Contributions {
    board: String,
    members: u64,
    random: Random,
    /// Where the next one by [`Contributions::everyone`] stands.
    place: u64,
    /// What ids begin with, and the next one's number.
    ids: Option<(String, u64)>,
}

impl Contributions {
    /// By so many members to this board; another stream for each seed.
    #[must_use]
    pub fn to(board: &str, members: u64, seed: u64) -> Self {
        Self {
            board: board.to_owned(),
            members,
            random: Random::new(seed),
            place: 0,
            ids: None,
        }
    }

    /// The same, each with an id that begins so.
    #[must_use]
    pub fn with_ids(mut self, prefix: &str) -> Self {
        self.ids = Some((prefix.to_owned(), 0));
        self
    }

    /// Numbers of members, drawn at random.
    pub fn anyone(&mut self, len: u64) -> Vec<u64> {
        (0..len).map(|_| self.random.below(self.members)).collect()
    }

    /// Numbers of members, each once; none when all have been.
    pub fn everyone(&mut self, len: u64) -> Vec<u64> {
        let first = self.place;
        self.place = self.members.min(first + len);
        (first..self.place)
            .map(|place| place * STRIDE % self.members)
            .collect()
    }

    /// A request of one contribution by each of these members, as lines.
    pub fn lines(&mut self, numbers: &[u64]) -> String {
        let mut body = String::new();
        for number in numbers {
            self.append_json(&mut body, *number);
            body.push('\n');
        }
        http::post(PATH, "application/x-ndjson", &body)
    }

    /// A request of one contribution.
    pub fn single(&mut self, number: u64) -> String {
        let mut body = String::new();
        self.append_json(&mut body, number);
        http::post(PATH, "application/json", &body)
    }

    /// The same for Redis, as a pipeline.
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
    fn everyone_comes_once() {
        let mut contributions = Contributions::to("one/live", 1000, 1);
        let mut numbers = Vec::new();
        loop {
            let some = contributions.everyone(300);
            if some.is_empty() {
                break;
            }
            numbers.extend(some);
        }
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..1000));
    }

    #[test]
    fn ids_differ_and_follow_the_contract() {
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
