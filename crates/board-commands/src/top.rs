//! `megaboard top`: prints the best entries of a board as a table, in the order of the response.

use std::error::Error;
use std::fmt::{self, Write as _};
use std::process::ExitCode;

use clap::Args;
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use crate::board_path::{BoardPath, encoded};
use crate::runtime::Runtime;
use crate::server::ServerArgs;
use crate::terminal::{self, printable};

/// Shows the top of a board as a table.
#[derive(Args, Debug)]
pub struct TopArgs {
    /// The board, as KIND/SUBJECT.
    #[arg(value_parser = BoardPath::parse)]
    board: BoardPath,

    #[command(flatten)]
    server: ServerArgs,

    /// The window: a period such as day or 6h for the current one, all, or one by name, such as
    /// day:2026-11-20. [default: the first window of the kind]
    #[arg(long, value_name = "WINDOW")]
    window: Option<String>,

    /// Number of entries.
    #[arg(short, value_name = "N", default_value_t = 20)]
    n: u32,
}

/// Runs the command.
pub fn run(args: &TopArgs) -> Result<ExitCode, Box<dyn Error>> {
    let client = args.server.client()?;
    let response = Runtime::start()?.block_on(client.get(path(args)))?;
    if response.status != 200 {
        return Err(response.problem().to_string().into());
    }
    let top: Top = serde_json::from_slice(&response.body).map_err(|error| {
        format!(
            "{} returned a response that could not be parsed: {error}",
            client.url()
        )
    })?;
    terminal::print(&render(&top))?;
    Ok(ExitCode::SUCCESS)
}

fn path(args: &TopArgs) -> String {
    let mut path = format!("{}/top?n={}", args.board, args.n);
    if let Some(window) = &args.window {
        let _ = write!(path, "&window={}", encoded(window));
    }
    path
}

/// The members of the response that are shown.
#[derive(Deserialize)]
struct Top {
    board: String,
    window: String,
    as_of: String,
    members: u64,
    starts_at: Option<String>,
    ends_at: Option<String>,
    #[serde(default, rename = "final")]
    is_final: bool,
    #[serde(default)]
    stale: bool,
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    rank: u64,
    member: String,
    points: Option<i64>,
    #[serde(default)]
    values: Fields,
    reached_at: Option<String>,
}

impl Entry {
    /// Returns the fields, for kinds with `points` and for kinds with `values`.
    fn fields(&self) -> Vec<(&str, Option<i64>)> {
        let values = self
            .values
            .0
            .iter()
            .map(|(name, value)| (name.as_str(), *value));
        self.points
            .map(|points| ("points", Some(points)))
            .into_iter()
            .chain(values)
            .collect()
    }
}

/// The fields of a standing, in the order of the response, which is that of the kind.
#[derive(Default)]
struct Fields(Vec<(String, Option<i64>)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of integers")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Fields, M::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// Formats a heading, and a table unless the board is empty.
fn render(top: &Top) -> String {
    let mut text = format!(
        "{}  {}  {} {}  as of {}",
        printable(&top.board),
        printable(&top.window),
        top.members,
        if top.members == 1 {
            "member"
        } else {
            "members"
        },
        printable(&top.as_of)
    );
    for (word, at) in [("from", &top.starts_at), ("until", &top.ends_at)] {
        if let Some(at) = at {
            let _ = write!(text, "  {word} {}", printable(at));
        }
    }
    if top.is_final {
        text.push_str("  final");
    }
    if top.stale {
        text.push_str("  stale: the store cannot be reached");
    }
    if let Some(first) = top.entries.first() {
        let names = first
            .fields()
            .into_iter()
            .map(|(name, _)| name.to_owned())
            .collect();
        text.push('\n');
        text.push_str(table(&top.entries, names).trim_fmt().as_str());
    }
    text
}

fn table(entries: &[Entry], names: Vec<String>) -> Table {
    let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic);
    let mut header = vec![right("rank".to_owned()), Cell::new("member")];
    header.extend(
        names
            .into_iter()
            .map(|name| right(printable(&name).into_owned())),
    );
    header.push(Cell::new("reached at"));
    table.set_header(header);
    for entry in entries {
        let mut row = vec![
            right(entry.rank.to_string()),
            Cell::new(printable(&entry.member)),
        ];
        let values = entry.fields().into_iter().map(|(_, value)| value);
        // A field that no contribution has set has no value.
        row.extend(values.map(|value| right(value.map_or("-".to_owned(), |n| n.to_string()))));
        row.push(Cell::new(printable(
            entry.reached_at.as_deref().unwrap_or_default(),
        )));
        table.add_row(row);
    }
    table
}

#[cfg(test)]
mod tests;
