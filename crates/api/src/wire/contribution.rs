//! Contributions as clients send them, and how their values read by a kind's rules.

use board::{ContributionId, Kind, Member, Timestamp, Value, Values, ValuesError};
use serde::Deserialize;
use shard_store::Change;
use utoipa::ToSchema;

use super::entry::is_points;
use super::scalar::{Integer, List, Moment, NamedIntegers, Text};
use crate::problem::{Problem, ProblemType};

/// Boards that one event counts on.
pub(crate) const BOARDS_MAX: usize = 16;

/// One contribution: this member, these deltas, at this time, with this id.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = Contribution)]
#[serde(
    deny_unknown_fields,
    expecting = "a contribution: an object with board, member and points or values"
)]
pub(crate) struct ContributionShape<'a> {
    /// Kind and subject; or `boards`.
    #[serde(borrow)]
    #[schema(value_type = Option<String>, example = "gifts/room-8842")]
    board: Option<Text<'a>>,
    /// One event that counts on several boards, whole on each; it needs an `id`.
    #[serde(borrow)]
    #[schema(value_type = Option<Vec<String>>, min_items = 1, max_items = 16)]
    boards: Option<List<Text<'a>, BOARDS_MAX>>,
    /// Who: 1 to 128 bytes of UTF-8 without control characters.
    #[serde(borrow)]
    #[schema(value_type = String, min_length = 1, max_length = 128, example = "u1")]
    member: Text<'a>,
    /// For kinds whose only field is `points`.
    points: Option<Integer>,
    /// For all other kinds: the fields by name.
    #[serde(borrow)]
    values: Option<NamedIntegers<'a>>,
    /// With it the contribution counts once for its board and member within the kind's dedupe span.
    #[serde(borrow)]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 128, example = "evt-1")]
    id: Option<Text<'a>>,
    /// When it happened; now unless told otherwise.
    at: Option<Moment>,
    /// The values are the standing itself, not deltas.
    #[serde(default)]
    set: bool,
    /// With `set`: the one window that it goes to.
    #[serde(borrow)]
    #[schema(value_type = Option<String>, example = "day:2026-11-20")]
    window: Option<Text<'a>>,
}

/// The boards that a contribution names, as texts.
#[derive(Debug)]
pub(crate) enum Targets<'a> {
    One(&'a str),
    Many(&'a [Text<'a>]),
}

/// A contribution whose shape is in order; its values are read by each board's kind.
#[derive(Debug)]
pub(crate) struct Contributed<'a> {
    pub(crate) targets: Targets<'a>,
    pub(crate) member: Member,
    pub(crate) at: Timestamp,
    pub(crate) id: Option<ContributionId>,
    pub(crate) named: Named<'a>,
    pub(crate) set: bool,
    /// The selector of the one window that a set goes to.
    pub(crate) window: Option<&'a str>,
    /// When it was read: what `at` is where none was given, and what `window` is relative to.
    pub(crate) read_at: Timestamp,
}

/// The values of a contribution before a kind has read them.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Named<'a> {
    Points(Integer),
    Fields(&'a NamedIntegers<'a>),
}

/// A standing as it is set outright.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = Standing)]
#[serde(deny_unknown_fields, expecting = "an object with points or values")]
pub(crate) struct StandingShape<'a> {
    /// For kinds whose only field is `points`.
    points: Option<Integer>,
    /// For all other kinds: the fields by name.
    #[serde(borrow)]
    values: Option<NamedIntegers<'a>>,
    /// With it the set counts once within the kind's dedupe span.
    #[serde(borrow)]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 128, example = "set-1")]
    id: Option<Text<'a>>,
    /// When it was so; now unless told otherwise.
    at: Option<Moment>,
}

impl ContributionShape<'_> {
    /// Checks everything that does not depend on a kind. `now` is for those without a time.
    pub(crate) fn check(&self, now: Timestamp) -> Result<Contributed<'_>, Problem> {
        let member = Member::new(&self.member.0);
        let member = member.and_then(|member| member.check_shown().map(|()| member));
        Ok(Contributed {
            targets: self.targets()?,
            member: member.map_err(|error| Problem::invalid(error.to_string()))?,
            at: self.at.map_or(now, |moment| moment.0),
            id: id(self.id.as_ref())?,
            named: Named::of(self.points, self.values.as_ref())?,
            set: self.set,
            window: self.window()?,
            read_at: now,
        })
    }

    fn window(&self) -> Result<Option<&str>, Problem> {
        match &self.window {
            Some(window) if !self.set => Err(Problem::invalid(format!(
                "window: {:?} is for \"set\": true alone; deltas count in every window of their time",
                window.0
            ))),
            window => Ok(window.as_ref().map(|window| &*window.0)),
        }
    }

    fn targets(&self) -> Result<Targets<'_>, Problem> {
        match (&self.board, &self.boards) {
            (Some(board), None) => Ok(Targets::One(&board.0)),
            (None, Some(boards)) => {
                let boards = boards.0.as_slice();
                if boards.is_empty() {
                    return Err(Problem::invalid(format!(
                        "boards: must name 1 to {BOARDS_MAX} boards"
                    )));
                }
                for (place, board) in boards.iter().enumerate() {
                    if boards[..place].contains(board) {
                        return Err(Problem::invalid(format!(
                            "boards: {:?} is named twice",
                            board.0
                        )));
                    }
                }
                if self.id.is_none() {
                    return Err(Problem::invalid(
                        "id: is missing, which an event on boards needs",
                    ));
                }
                Ok(Targets::Many(boards))
            }
            (Some(_), Some(_)) => Err(Problem::invalid("boards: stands beside board, not with it")),
            (None, None) => Err(Problem::invalid("board: is missing")),
        }
    }
}

impl StandingShape<'_> {
    pub(crate) fn values(&self, kind: &Kind) -> Result<Values, Problem> {
        Named::of(self.points, self.values.as_ref())?.read_outright(kind)
    }

    pub(crate) fn at(&self, now: Timestamp) -> Timestamp {
        self.at.map_or(now, |moment| moment.0)
    }

    pub(crate) fn id(&self) -> Result<Option<ContributionId>, Problem> {
        id(self.id.as_ref())
    }
}

impl Contributed<'_> {
    /// What it does to a standing of a kind.
    pub(crate) fn change(&self, kind: &Kind) -> Result<Change, Problem> {
        if self.set {
            self.named.read_outright(kind).map(Change::Set)
        } else {
            self.named.read_by(kind).map(Change::Fold)
        }
    }
}

fn id(text: Option<&Text<'_>>) -> Result<Option<ContributionId>, Problem> {
    let id = text.map(|text| ContributionId::new(&text.0)).transpose();
    id.map_err(|error| Problem::invalid(error.to_string()))
}

impl<'a> Named<'a> {
    /// Points or values, one of them.
    pub(crate) fn of(
        points: Option<Integer>,
        values: Option<&'a NamedIntegers<'a>>,
    ) -> Result<Self, Problem> {
        match (points, values) {
            (Some(points), None) => Ok(Self::Points(points)),
            (None, Some(values)) => Ok(Self::Fields(values)),
            (Some(_), Some(_)) => Err(Problem::invalid(
                "values: stands beside points, not with it",
            )),
            (None, None) => Err(Problem::invalid("points: is missing (or values, by field)")),
        }
    }
}

impl Named<'_> {
    /// The values by the kind's fields.
    pub(crate) fn read_by(self, kind: &Kind) -> Result<Values, Problem> {
        let rules = kind.rules();
        let mut values = Values::default();
        match self {
            Self::Points(points) if is_points(rules) => values.set(0, exact("points", points)?),
            Self::Points(_) => {
                let fields: Vec<&str> = rules.fields().iter().map(|f| f.name.as_str()).collect();
                let (name, fields) = (kind.name(), fields.join(", "));
                let detail = format!("points: kind {name} has the fields {fields}: say values");
                return Err(Problem::invalid(detail));
            }
            Self::Fields(named) => {
                for (name, integer) in &named.0 {
                    let index = rules.field_index(&name.0).ok_or_else(|| {
                        let detail =
                            format!("values: kind {} has no field {:?}", kind.name(), name.0);
                        Problem::invalid(detail)
                    })?;
                    values.set(index, exact(&name.0, *integer)?);
                }
            }
        }
        rules.check(&values).map_err(|error| unfit(&error))?;
        Ok(values)
    }
}

impl Named<'_> {
    /// The values of a standing, which is exactly these.
    pub(crate) fn read_outright(self, kind: &Kind) -> Result<Values, Problem> {
        let values = self.read_by(kind)?;
        let checked = kind.rules().check_outright(&values);
        checked.map_err(|error| unfit(&error))?;
        Ok(values)
    }
}

fn unfit(error: &ValuesError) -> Problem {
    let kind = match error {
        ValuesError::OutOfRange { .. } => ProblemType::OutOfRange,
        ValuesError::Missing(_) | ValuesError::Empty => ProblemType::Invalid,
    };
    Problem::new(kind, error.to_string())
}

fn exact(name: &str, integer: Integer) -> Result<Value, Problem> {
    let number = match integer {
        Integer::Exact(value) => return Ok(value),
        Integer::Outside(number) => number.to_string(),
        Integer::Huge(number) => format!("{number:e}"),
    };
    let detail = format!("{name}: {number} is outside ±9007199254740991");
    Err(Problem::new(ProblemType::OutOfRange, detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_named_as_they_were_sent() {
        for number in [
            "9007199254740992",
            "-9007199254740993",
            "9223372036854775807",
            "-9223372036854775808",
            "18446744073709551615",
            "1e300",
        ] {
            let integer = serde_json::from_str(number).unwrap();
            let problem = exact("points", integer).unwrap_err();
            let detail = format!("points: {number} is outside ±9007199254740991");
            assert_eq!(problem.detail, detail);
        }
    }
}
