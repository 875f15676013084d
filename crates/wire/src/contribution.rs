//! Contributions as clients send them, and their values by the rules of a kind.

mod plain;

use board::{ContributionId, Kind, Member, Timestamp, Value, Values, ValuesError};
use serde::Deserialize;
use shard_store::Change;

use crate::error::ShapeError;
use crate::scalar::{Integer, List, Moment, NamedIntegers, Text};

/// The number of boards of one contribution.
pub const BOARDS_MAX: usize = 16;

/// A contribution of a member to one or several boards.
#[derive(Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Contribution))]
#[serde(
    deny_unknown_fields,
    expecting = "a contribution: an object with board, member and points, values or remove"
)]
pub struct ContributionShape<'a> {
    /// The board, kind and subject. Exactly one of `board` and `boards` is required.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, example = "gifts/room-8842"))]
    board: Option<Text<'a>>,
    /// Several boards, in all of which the contribution counts fully. Requires an `id`.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<String>>, min_items = 1, max_items = 16))]
    boards: Option<List<Text<'a>, BOARDS_MAX>>,
    /// The member: 1 to 128 bytes of UTF-8 without control characters.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schema(value_type = String, min_length = 1, max_length = 128, example = "u1"))]
    member: Text<'a>,
    /// The value, for kinds with one field.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Integer<'static>>))]
    points: Option<Integer<'a>>,
    /// The fields by name, for any kind.
    #[serde(borrow)]
    values: Option<NamedIntegers<'a>>,
    /// A contribution with an id counts once for its board and member within the kind's dedupe span.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, min_length = 1, max_length = 128, example = "evt-1"))]
    id: Option<Text<'a>>,
    /// When it happened. Defaults to now.
    at: Option<Moment>,
    /// The values replace the standing instead of changing it.
    #[serde(default)]
    set: bool,
    /// Removes the member instead: without values, `at` and `id`. A member that is not there is no error.
    #[serde(default)]
    remove: bool,
    /// With `set` or `remove`: the only window that is changed.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, example = "day:2026-11-20"))]
    window: Option<Text<'a>>,
}

/// The boards of a contribution, as texts.
#[derive(Debug, Clone, Copy)]
pub enum Targets<'a> {
    /// One board.
    One(&'a str),
    /// One event for all of these boards.
    Many(&'a [Text<'a>]),
}

/// A contribution that was checked without its kinds. Each board's kind then reads the values.
///
/// The member and the id are copied from the request once. A contribution to a single board is moved afterwards.
#[derive(Debug, Clone)]
pub struct Contributed<'a> {
    /// The boards.
    pub targets: Targets<'a>,
    /// The member.
    pub member: Member,
    /// When it happened.
    pub at: Timestamp,
    /// The id, with which the contribution counts once.
    pub id: Option<ContributionId>,
    change: InputChange<'a>,
    /// The selector of the only window that is set, or removed from.
    pub window: Option<&'a str>,
    /// When it was read: the default of `at`, and the time that `window` is relative to.
    pub read_at: Timestamp,
}

/// The values of a contribution, not yet read by a kind.
#[derive(Debug, Clone, Copy)]
pub enum InputValues<'a> {
    /// `points`, of kinds that have one field.
    Points(Integer<'a>),
    /// `values`, by the names of the fields.
    Fields(&'a NamedIntegers<'a>),
}

/// The change of a contribution, not yet read by a kind.
#[derive(Debug, Clone, Copy)]
enum InputChange<'a> {
    Fold(InputValues<'a>),
    Set(InputValues<'a>),
    Remove,
}

/// A standing that replaces the current one.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Standing))]
#[serde(deny_unknown_fields, expecting = "an object with points or values")]
pub struct StandingShape<'a> {
    /// The value, for kinds with one field.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Integer<'static>>))]
    points: Option<Integer<'a>>,
    /// The fields by name, for any kind.
    #[serde(borrow)]
    values: Option<NamedIntegers<'a>>,
    /// A request with an id counts once within the kind's dedupe span.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, min_length = 1, max_length = 128, example = "set-1"))]
    id: Option<Text<'a>>,
    /// When the standing was reached. Defaults to now.
    at: Option<Moment>,
}

impl ContributionShape<'_> {
    /// Checks everything that does not depend on a kind. `now` is the default time.
    pub fn check(&self, now: Timestamp) -> Result<Contributed<'_>, ShapeError> {
        let member = Member::new(&self.member.0);
        let member = member.and_then(|member| member.check_visible().map(|()| member));
        Ok(Contributed {
            targets: self.targets()?,
            member: member.map_err(|error| ShapeError::invalid(error.to_string()))?,
            at: self.at.map_or(now, |moment| moment.0),
            id: id(self.id.as_ref())?,
            change: self.change()?,
            window: self.window()?,
            read_at: now,
        })
    }

    fn change(&self) -> Result<InputChange<'_>, ShapeError> {
        if !self.remove {
            let values = InputValues::of(self.points, self.values.as_ref())?;
            let change = if self.set {
                InputChange::Set
            } else {
                InputChange::Fold
            };
            return Ok(change(values));
        }
        let others = [
            ("points", self.points.is_some()),
            ("values", self.values.is_some()),
            ("set", self.set),
            ("at", self.at.is_some()),
            ("id", self.id.is_some()),
        ];
        match others.into_iter().find(|(_, is_given)| *is_given) {
            None => Ok(InputChange::Remove),
            Some((name, _)) => Err(ShapeError::invalid(format!(
                "{name}: cannot be given together with remove"
            ))),
        }
    }

    fn window(&self) -> Result<Option<&str>, ShapeError> {
        match &self.window {
            Some(window) if !self.set && !self.remove => Err(ShapeError::invalid(format!(
                "window: {:?} requires \"set\": true or \"remove\": true; deltas count in every window of their time",
                window.0
            ))),
            window => Ok(window.as_ref().map(|window| &*window.0)),
        }
    }

    fn targets(&self) -> Result<Targets<'_>, ShapeError> {
        match (&self.board, &self.boards) {
            (Some(board), None) => Ok(Targets::One(&board.0)),
            (None, Some(boards)) => {
                let boards = boards.0.as_slice();
                if boards.is_empty() {
                    return Err(ShapeError::invalid(format!(
                        "boards: must name 1 to {BOARDS_MAX} boards"
                    )));
                }
                for (index, board) in boards.iter().enumerate() {
                    if boards[..index].contains(board) {
                        return Err(ShapeError::invalid(format!(
                            "boards: {:?} is named twice",
                            board.0
                        )));
                    }
                }
                if self.id.is_none() && !self.remove {
                    return Err(ShapeError::invalid(
                        "id: is missing: a contribution to several boards requires one",
                    ));
                }
                Ok(Targets::Many(boards))
            }
            (Some(_), Some(_)) => Err(ShapeError::invalid(
                "boards: cannot be given together with board",
            )),
            (None, None) => Err(ShapeError::invalid("board: is missing")),
        }
    }
}

impl StandingShape<'_> {
    /// Returns the values by the kind's fields.
    pub fn values(&self, kind: &Kind) -> Result<Values, ShapeError> {
        InputValues::of(self.points, self.values.as_ref())?.read_outright(kind)
    }

    /// Returns when the standing was reached, by default `now`.
    #[must_use]
    pub fn at(&self, now: Timestamp) -> Timestamp {
        self.at.map_or(now, |moment| moment.0)
    }

    /// Returns the id, with which the request counts once.
    pub fn id(&self) -> Result<Option<ContributionId>, ShapeError> {
        id(self.id.as_ref())
    }
}

impl Contributed<'_> {
    /// Returns whether it removes its member.
    #[must_use]
    pub const fn is_removal(&self) -> bool {
        matches!(self.change, InputChange::Remove)
    }

    /// Returns the change of a standing of this kind.
    pub fn change(&self, kind: &Kind) -> Result<Change, ShapeError> {
        match self.change {
            InputChange::Fold(values) => values.read_by(kind).map(Change::Fold),
            InputChange::Set(values) => values.read_outright(kind).map(Change::Set),
            InputChange::Remove => Ok(Change::Remove),
        }
    }
}

fn id(text: Option<&Text<'_>>) -> Result<Option<ContributionId>, ShapeError> {
    let id = text.map(|text| ContributionId::new(&text.0)).transpose();
    id.map_err(|error| ShapeError::invalid(error.to_string()))
}

impl<'a> InputValues<'a> {
    /// Returns the values from `points` or `values`, exactly one of which is required.
    pub fn of(
        points: Option<Integer<'a>>,
        values: Option<&'a NamedIntegers<'a>>,
    ) -> Result<Self, ShapeError> {
        match (points, values) {
            (Some(points), None) => Ok(Self::Points(points)),
            (None, Some(values)) => Ok(Self::Fields(values)),
            (Some(_), Some(_)) => Err(ShapeError::invalid(
                "values: cannot be given together with points",
            )),
            (None, None) => Err(ShapeError::invalid(
                "points: is missing: points or values is required",
            )),
        }
    }
}

impl InputValues<'_> {
    /// Returns the values by the kind's fields.
    pub(crate) fn read_by(self, kind: &Kind) -> Result<Values, ShapeError> {
        let rules = kind.rules();
        let mut values = Values::default();
        match self {
            Self::Points(points) if rules.fields().len() == 1 => {
                values.set(0, exact("points", points)?);
            }
            Self::Points(_) => {
                let fields: Vec<&str> = rules.fields().iter().map(|f| f.name.as_str()).collect();
                let (name, fields) = (kind.name(), fields.join(", "));
                let detail = format!("points: kind {name} has the fields {fields}: use values");
                return Err(ShapeError::invalid(detail));
            }
            Self::Fields(named) => {
                for (name, integer) in &named.0 {
                    let index = rules.field_index(&name.0).ok_or_else(|| {
                        let detail =
                            format!("values: kind {} has no field {:?}", kind.name(), name.0);
                        ShapeError::invalid(detail)
                    })?;
                    values.set(index, exact(&name.0, *integer)?);
                }
            }
        }
        rules.check(&values).map_err(|error| shape_error(&error))?;
        Ok(values)
    }
}

impl InputValues<'_> {
    /// Returns the values of a standing that is set to exactly these values.
    pub fn read_outright(self, kind: &Kind) -> Result<Values, ShapeError> {
        let values = self.read_by(kind)?;
        let checked = kind.rules().check_outright(&values);
        checked.map_err(|error| shape_error(&error))?;
        Ok(values)
    }
}

fn shape_error(error: &ValuesError) -> ShapeError {
    match error {
        ValuesError::OutOfRange { .. } => ShapeError::OutOfRange(error.to_string()),
        ValuesError::Missing(_) | ValuesError::Empty => ShapeError::invalid(error.to_string()),
    }
}

fn exact(name: &str, integer: Integer<'_>) -> Result<Value, ShapeError> {
    match integer {
        Integer::Exact(value) => Ok(value),
        Integer::Outside(number) => Err(ShapeError::OutOfRange(format!(
            "{name}: {number} is outside ±9007199254740991"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_repeat_numbers_out_of_range_as_they_were_sent() {
        for number in [
            "9007199254740992",
            "-9007199254740993",
            "9223372036854775807",
            "-9223372036854775808",
            "18446744073709551615",
            "9007199254740993.0",
            "-9007199254740993.50",
            "123456789012345678901234567890",
            "1e300",
            "1E400",
            "-1.5e+400",
        ] {
            let integer = serde_json::from_str(number).unwrap();
            let error = exact("points", integer).unwrap_err();
            let detail = format!("points: {number} is outside ±9007199254740991");
            assert_eq!(error, ShapeError::OutOfRange(detail));
        }
    }

    #[test]
    fn integers_may_be_written_as_doubles() {
        for (json, value) in [("-0", 0), ("50.0", 50), ("5e1", 50), ("-7", -7)] {
            let integer = serde_json::from_str(json).unwrap();
            assert_eq!(exact("points", integer).ok(), Value::new(value), "{json}");
        }
        for json in ["1.5", "\"1\"", "true", "[1]", "{}"] {
            let error = serde_json::from_str::<Integer<'_>>(json).unwrap_err();
            let why = format!("{json} is not an integer");
            assert!(error.to_string().starts_with(&why), "{error}");
        }
    }
}
