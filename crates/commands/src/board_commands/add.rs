//! `megaboard add`: sends one contribution, and prints the standings of its member.

use std::error::Error;
use std::fmt::Write as _;
use std::io;
use std::process::ExitCode;

use crate::integer::{self, IntegerError};
use crate::result_args::ResultArgs;
use crate::runtime::Runtime;
use crate::server::{ServerArgs, board_name};
use crate::terminal::{Cells, printable, table};
use clap::Args;
use megaboard_client::{BoardName, ContributeError, Contribution, Returning, Standing};
use serde::Serialize;

use crate::board_commands::client;
use crate::board_commands::standings::{Fields, or_dash};

/// Contributes to a board, which the first contribution creates.
///
/// Prints the member's standing and rank in each window. Without --id the contribution has a random id. If there was no
/// response, the error has the id: with it the contribution counts once, however often it is sent.
///
/// Examples: megaboard add gifts/room-1 ada 30. megaboard add races/monza ada laps=3 seconds=1200.
#[derive(Args, Debug)]
pub struct AddArgs {
    /// The board, as KIND/SUBJECT.
    #[arg(value_parser = board_name)]
    board: BoardName,

    /// The member.
    member: String,

    /// The points, or FIELD=NUMBER for each field of a kind with others.
    #[arg(value_name = "VALUE", required = true, allow_negative_numbers = true, value_parser = Value::parse)]
    values: Vec<Value>,

    /// Id of the contribution: one with the same id counts once.
    #[arg(long, value_name = "ID")]
    id: Option<String>,

    #[command(flatten)]
    server: ServerArgs,

    #[command(flatten)]
    result: ResultArgs,
}

/// A value of a contribution.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Points(i64),
    Field(String, i64),
}

impl Value {
    fn parse(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            integer::parse(text).map_err(|error| match error {
                IntegerError::Outside => format!("{text} {error}"),
                IntegerError::NotInteger => format!("{text:?} {error}: write 30, or laps=3"),
            })
        };
        match text.split_once('=') {
            Some(("", _)) => Err("the field has no name: write laps=3".to_owned()),
            Some((field, value)) => Ok(Self::Field(field.to_owned(), number(value)?)),
            None => number(text).map(Self::Points),
        }
    }
}

/// What is printed.
#[derive(Serialize)]
struct Added {
    board: String,
    member: String,
    id: Option<String>,
    applied: u64,
    duplicates: u64,
    windows: Vec<Standing>,
}

/// Runs the command.
pub fn run(args: &AddArgs) -> Result<ExitCode, Box<dyn Error>> {
    let contributions = [args.contribution()?];
    let [contribution] = &contributions;
    let id = contribution.known_as().map(str::to_owned);
    let client = client(&args.server)?;
    let sent = async {
        let sent = client
            .contribute(&contributions)
            .returning(Returning::Ranks);
        sent.await
    };
    let outcome = Runtime::start()?.block_on(sent);
    let mut outcome = outcome.map_err(|error| undecided(error, id.as_deref()))?;
    if let Some(rejected) = outcome.rejected.first() {
        return Err(format!("not added: {}: {}", rejected.kind, rejected.detail).into());
    }
    let added = Added {
        board: args.board.to_string(),
        member: args.member.clone(),
        id,
        applied: outcome.applied,
        duplicates: outcome.duplicates,
        windows: outcome
            .standings
            .pop()
            .map(|it| it.windows)
            .unwrap_or_default(),
    };
    args.result
        .print(&added, render)
        .map_err(|error| unprinted(&error, &added))?;
    Ok(ExitCode::SUCCESS)
}

impl AddArgs {
    fn contribution(&self) -> Result<Contribution, String> {
        let mut contribution = Contribution::new(&self.board, &self.member);
        if let Some(id) = &self.id {
            contribution = contribution.id(id);
        }
        match self.values.as_slice() {
            [Value::Points(points)] => Ok(contribution.points(*points)),
            values => values
                .iter()
                .try_fold(contribution, |contribution, value| match value {
                    Value::Field(field, value) => Ok(contribution.value(field, *value)),
                    Value::Points(points) => Err(format!(
                        "{points} has no field: with several values, write FIELD=NUMBER for each"
                    )),
                }),
        }
    }
}

/// Returns the error of a result that could not be printed, with what is known of the contribution.
fn unprinted(error: &io::Error, added: &Added) -> String {
    let id = added.id.as_ref();
    let id = id.map_or(String::new(), |id| format!(" with --id {id}"));
    format!("standard output: {error}; it was added{id}")
}

/// Returns the error of a contribution that may have been applied with how to repeat it.
fn undecided(error: ContributeError, id: Option<&str>) -> Box<dyn Error> {
    let may_be_applied = error.undecided.iter().any(|it| it.may_be_applied);
    match id.filter(|_| may_be_applied) {
        Some(id) => format!(
            "{}; it may have been added: run it again with --id {id}, so that it counts once",
            error.cause
        )
        .into(),
        None => error.cause.into(),
    }
}

/// Formats a heading, and a table of the windows.
fn render(added: &Added) -> String {
    let mut text = format!("{}  {}", printable(&added.board), printable(&added.member));
    if added.duplicates > 0 {
        text.push_str("  counted before, with the same id");
    }
    let fields = Fields::of(added.windows.iter().map(|it| &it.values));
    let mut columns = vec![("window", Cells::Text), ("rank", Cells::Numbers)];
    columns.extend(fields.columns());
    let rows = added.windows.iter().map(|standing| {
        // Kinds that rank only their best have members without a rank.
        let mut row = vec![standing.window.clone(), or_dash(standing.rank)];
        row.extend(fields.cells(&standing.values));
        row
    });
    if !added.windows.is_empty() {
        let _ = write!(text, "\n{}", table(&columns, rows));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_points_or_a_field() {
        assert_eq!(Value::parse("-30"), Ok(Value::Points(-30)));
        let laps = Value::Field("laps".to_owned(), 3);
        assert_eq!(Value::parse("laps=3"), Ok(laps.clone()));
        assert_eq!(Value::parse("laps=3.0"), Ok(laps));
        assert_eq!(Value::parse("+1.5E+3"), Ok(Value::Points(1_500)));
        let outside = Value::parse("-99999999999999999999").unwrap_err();
        assert_eq!(
            outside,
            "-99999999999999999999 is outside ±9007199254740991"
        );
        for wrong in [
            "",
            "1.5",
            "laps",
            "laps=",
            "laps=x",
            "=3",
            "9223372036854775808",
        ] {
            assert!(Value::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_result_that_is_not_printed_was_still_added() {
        let mut added = Added {
            board: "gifts/a".to_owned(),
            member: "u".to_owned(),
            id: Some("x1".to_owned()),
            applied: 1,
            duplicates: 0,
            windows: vec![],
        };
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let error = format!("standard output: {full}; it was added");
        assert_eq!(unprinted(&full, &added), format!("{error} with --id x1"));
        added.id = None;
        assert_eq!(unprinted(&full, &added), error);
    }

    #[test]
    fn windows_are_rows() {
        let window = |text: &str| serde_json::from_str(text).unwrap();
        let mut added = Added {
            board: "races/a".to_owned(),
            member: "u\n".to_owned(),
            id: None,
            applied: 1,
            duplicates: 0,
            windows: vec![
                window(
                    r#"{"window":"day:2026-11-20","values":{"laps":3,"seconds":null},"reached_at":"2026-11-20T14:52:22Z",
                    "rank":12,"position":12}"#,
                ),
                window(
                    r#"{"window":"all","values":{"laps":40,"seconds":7},"reached_at":"2026-11-20T14:52:22Z"}"#,
                ),
            ],
        };
        assert_eq!(
            render(&added),
            "races/a  u\\u{a}\n window          rank  laps  seconds\n day:2026-11-20    12     3        -\n \
             all                -    40        7"
        );
        (added.duplicates, added.windows) = (1, vec![]);
        assert_eq!(
            render(&added),
            "races/a  u\\u{a}  counted before, with the same id"
        );
    }
}
