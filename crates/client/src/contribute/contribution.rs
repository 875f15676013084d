//! One event: [`Contribution`].

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use crate::responses::in_micros;

/// One event: a member, its changes, and an id.
///
/// A new contribution has a random id. However often it is sent, it counts once on each of its boards,
/// within the `dedupe` span of the kind. A clone is the same event; [`anew`](Self::anew) creates another
/// event with the same content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[must_use = "a contribution does nothing until it is sent"]
pub struct Contribution {
    #[serde(skip)]
    pub(super) boards: Vec<String>,
    member: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "fields")]
    values: Vec<(String, i64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "in_micros")]
    at: Option<Timestamp>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    set: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    remove: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<String>,
}

impl Contribution {
    /// Creates an event of a member on a board such as `gifts/room-8842`.
    pub fn new(board: impl Into<String>, member: impl Into<String>) -> Self {
        Self {
            boards: vec![board.into()],
            member: member.into(),
            points: None,
            values: Vec::new(),
            id: random_id(),
            at: None,
            set: false,
            remove: false,
            window: None,
        }
    }

    /// Creates a removal of a member from all windows of a board. It has no values and no id, so it is sent
    /// again only if it definitely was not applied. A member that is not there is no error.
    pub fn removal(board: impl Into<String>, member: impl Into<String>) -> Self {
        Self {
            remove: true,
            id: None,
            ..Self::new(board, member)
        }
    }

    /// Adds a board, up to 16. The event counts in full on each of them, with the same id.
    pub fn also_on(mut self, board: impl Into<String>) -> Self {
        self.boards.push(board.into());
        self
    }

    /// Sets the points: the value, for kinds with one field.
    pub fn points(mut self, points: i64) -> Self {
        self.points = Some(points);
        self
    }

    /// Sets one field, for all other kinds. Omitted sum fields do not change.
    pub fn value(mut self, field: impl Into<String>, value: i64) -> Self {
        self.values.push((field.into(), value));
        self
    }

    /// Sets the time of the event, in whole microseconds; by default the time at which the server receives it.
    pub fn at(mut self, at: Timestamp) -> Self {
        self.at = Some(at);
        self
    }

    /// Replaces the random id by one of 1 to 128 bytes.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Removes the id, so that the server need not remember it. The contribution is then sent again only
    /// if it definitely was not applied, and an unknown outcome stays unknown.
    pub fn without_id(mut self) -> Self {
        self.id = None;
        self
    }

    /// Sets the standing to the values, which are otherwise changes of it.
    pub fn set(mut self) -> Self {
        self.set = true;
        self
    }

    /// Restricts a [removal](Self::removal), or a contribution that [sets](Self::set) a standing, to this window (any
    /// selector), which must contain the time of the event. Use one contribution for each window.
    pub fn only_in(mut self, window: impl Into<String>) -> Self {
        self.window = Some(window.into());
        self
    }

    /// Creates another event with the same content and a new random id.
    pub fn anew(&self) -> Self {
        Self {
            id: if self.remove { None } else { random_id() },
            ..self.clone()
        }
    }

    /// Returns the id, if the contribution has one.
    #[must_use]
    pub fn known_as(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Writes the contribution as JSON, with these of its boards.
    pub(super) fn write(&self, boards: &[String], into: &mut Vec<u8>) {
        #[derive(Serialize)]
        struct OnBoards<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            board: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            boards: Option<&'a [String]>,
            #[serde(flatten)]
            contribution: &'a Contribution,
        }
        let (board, boards) = match boards {
            [board] => (Some(board.as_str()), None),
            several => (None, Some(several)),
        };
        let line = OnBoards {
            board,
            boards,
            contribution: self,
        };
        serde_json::to_writer(into, &line).expect("texts and integers are JSON");
    }
}

/// Serializes fields as a map, in this order.
#[expect(clippy::ptr_arg, reason = "serde passes a reference to the field")]
fn fields<S: Serializer>(values: &Vec<(String, i64)>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().map(|(name, value)| (name, value)))
}

/// Returns 128 random bits in hexadecimal, or `None` if no randomness is available. The contribution then
/// has [no id](Contribution::without_id), which counts nothing twice either.
pub(crate) fn random_id() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(format!("{:032x}", u128::from_be_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(contribution: &Contribution) -> String {
        let mut line = Vec::new();
        contribution.write(&contribution.boards, &mut line);
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn defaults_are_omitted() {
        let plain = Contribution::new("gifts/a", "u1").points(3).without_id();
        assert_eq!(
            written(&plain),
            r#"{"board":"gifts/a","member":"u1","points":3}"#
        );
        let at = "2026-11-20T14:52:22.123999Z".parse().unwrap();
        let all = Contribution::new("hot/a", "ü\"")
            .also_on("hot/b")
            .value("z", 1)
            .value("a", -2)
            .id("evt-1")
            .at(at)
            .set()
            .only_in("day");
        assert_eq!(
            written(&all),
            r#"{"boards":["hot/a","hot/b"],"member":"ü\"","values":{"z":1,"a":-2},"id":"evt-1","at":"2026-11-20T14:52:22.123999Z","set":true,"window":"day"}"#
        );
    }

    #[test]
    fn removals_have_no_id_and_no_values() {
        let removal = Contribution::removal("gifts/a", "u1").anew();
        assert_eq!(
            written(&removal),
            r#"{"board":"gifts/a","member":"u1","remove":true}"#
        );
        assert_eq!(
            written(&removal.only_in("day")),
            r#"{"board":"gifts/a","member":"u1","remove":true,"window":"day"}"#
        );
    }

    #[test]
    fn clones_keep_the_random_id() {
        let event = Contribution::new("gifts/a", "u1").points(3);
        let id = event.known_as().unwrap();
        assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_eq!(event.clone(), event);
        let other = event.anew();
        assert_ne!(other.known_as(), event.known_as());
        assert_eq!(other.id(id), event);
    }
}
