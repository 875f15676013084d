//! The command line of `import`: [`ImportArgs`], and the file format that it selects: [`Format`].

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::error::ErrorKind;
use clap::{Args, Command};

use super::csv::{CsvFormat, Role};
use crate::result_args::ResultArgs;
use crate::server::ServerArgs;

/// Sends a CSV or NDJSON file of contributions to a server.
///
/// A CSV file requires a header, and options that map its columns to a contribution. NDJSON, with one contribution per
/// line, requires no options. Both are UTF-8, and may be compressed with gzip.
///
/// How far it came is kept beside the file, in FILE.import-*: run again, an import continues there, and a file that is
/// through is refused. A line with an id counts once within the kind's dedupe span, however often it is sent. A last
/// line without a newline may still be being written: it is left for the next import, or for --final.
///
/// Exit status: 0 if every row was accepted or skipped, 1 if not, 130 after Ctrl-C or SIGTERM.
#[derive(Args, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line"
)]
pub struct ImportArgs {
    /// The file, or `-` for standard input. It is read as NDJSON if its name ends in .ndjson or .jsonl, or if no
    /// column is given.
    pub(super) file: PathBuf,

    #[command(flatten)]
    pub(super) server: ServerArgs,

    #[command(flatten)]
    pub(super) result: ResultArgs,

    /// Start at this line of the file, counted from 1, to continue an import that ended early.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) from_line: Option<u64>,

    /// Import a file again of which all lines were imported into this server already.
    #[arg(long)]
    pub(super) again: bool,

    /// Import the last row, too, if the file ends within it, without a newline.
    #[arg(long = "final")]
    pub(super) is_final: bool,

    /// Read the whole file, report the rows that would not be sent, and send nothing. The server is not asked.
    #[arg(long, conflicts_with = "again")]
    pub(super) dry_run: bool,

    /// Keep no state beside the file. Without it, an import that ended early does not continue by itself, and a file
    /// can be imported twice.
    #[arg(long, conflicts_with = "again")]
    pub(super) no_state: bool,

    // The last one, since its help heading applies to all options after it.
    #[command(flatten)]
    pub(super) columns: ColumnArgs,
}

/// The options that map the columns of a CSV file to contributions.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "CSV")]
pub(super) struct ColumnArgs {
    /// Kind of the boards.
    #[arg(long, value_name = "K", value_parser = NonEmptyStringValueParser::new())]
    kind: Option<String>,

    /// Subject of the board, the same for every row.
    #[arg(long, value_name = "S", value_parser = NonEmptyStringValueParser::new())]
    #[arg(conflicts_with = "subject_column")]
    subject: Option<String>,

    /// Column that names the subject of each row's board.
    #[arg(long, value_name = "C")]
    subject_column: Option<String>,

    /// Column of the member.
    #[arg(long, value_name = "C")]
    member_column: Option<String>,

    /// Column of the values, exact integers, if the kind has one field.
    #[arg(long, value_name = "C", conflicts_with = "values_columns")]
    points_column: Option<String>,

    /// Column of the values of one field; may be repeated. An empty cell gives the field no value.
    #[arg(long = "values-column", value_name = "FIELD=C", value_parser = field_column)]
    values_columns: Vec<(String, String)>,

    /// Column of the time: RFC 3339, or epoch milliseconds or microseconds. Without it, rows count when they arrive.
    #[arg(long, value_name = "C")]
    at_column: Option<String>,

    /// Column of an id, by which a row counts once, however often it is sent.
    #[arg(long, value_name = "C")]
    id_column: Option<String>,

    /// Text that marks a missing value, such as `NA`. A row that lacks a required value is skipped, as with an
    /// empty cell.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    missing: Option<String>,

    /// What separates the cells: one character, or tab. [default: that of a line `sep=;` before the header, or the one
    /// of comma, semicolon and tab with which the header has the columns]
    #[arg(long, value_name = "D", value_parser = delimiter)]
    delimiter: Option<u8>,
}

/// Parses `FIELD=COLUMN`.
fn field_column(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((field, column)) if !field.is_empty() => Ok((field.to_owned(), column.to_owned())),
        _ => Err("it must be FIELD=COLUMN, such as laps=Laps".to_owned()),
    }
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii_punctuation() && *byte != b'"' => Ok(*byte),
        [byte @ (b'\t' | b' ')] => Ok(*byte),
        _ => Err("it must be one character such as ; or |, or tab".to_owned()),
    }
}

/// The format of the file.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Format {
    /// One contribution per line.
    Ndjson,
    /// A header, and rows.
    Csv(CsvFormat),
}

/// Ends the process with a usage error, as clap does for its own.
pub(super) fn usage_error(kind: ErrorKind, message: &str) -> ! {
    let command = ImportArgs::augment_args(Command::new("megaboard import"));
    command
        .override_usage("megaboard import [OPTIONS] <FILE>")
        .error(kind, message)
        .exit()
}

impl ImportArgs {
    /// Returns the format that the file name and the options select, or an error if they contradict each other.
    pub(super) fn format(&self) -> Result<Format, (ErrorKind, String)> {
        let uncompressed = match self.file.extension() {
            Some(extension) if extension.eq_ignore_ascii_case("gz") => self.file.with_extension(""),
            _ => self.file.clone(),
        };
        let has_extension = |extension: &str| {
            uncompressed
                .extension()
                .is_some_and(|it| it.eq_ignore_ascii_case(extension))
        };
        let is_ndjson = has_extension("ndjson") || has_extension("jsonl");
        match self.columns.options().first() {
            Some((flag, _)) if is_ndjson => Err((
                ErrorKind::ArgumentConflict,
                format!("{flag} applies to CSV only: NDJSON lines name their fields themselves"),
            )),
            None if !has_extension("csv") && !has_extension("tsv") => Ok(Format::Ndjson),
            _ => self.columns.csv().map(Format::Csv),
        }
    }
}

impl ColumnArgs {
    /// Returns the options that are set, with their flags.
    fn options(&self) -> Vec<(&'static str, String)> {
        let Self {
            kind,
            subject,
            subject_column,
            member_column,
            points_column,
            values_columns,
            at_column,
            id_column,
            missing,
            delimiter,
        } = self;
        let texts = [
            ("--kind", kind),
            ("--subject", subject),
            ("--subject-column", subject_column),
            ("--member-column", member_column),
            ("--points-column", points_column),
            ("--at-column", at_column),
            ("--id-column", id_column),
            ("--missing", missing),
        ];
        let texts = texts.into_iter();
        let set = texts.filter_map(|(flag, value)| Some((flag, value.clone()?)));
        let fields = values_columns.iter();
        let fields = fields.map(|(field, column)| ("--values-column", format!("{field}={column}")));
        let delimiter = delimiter.map(|byte| ("--delimiter", char::from(byte).to_string()));
        set.chain(fields).chain(delimiter).collect()
    }

    /// Returns the options that are set as text, which differs for different options.
    pub(super) fn text(&self) -> String {
        let set = self.options().into_iter();
        let set = set.map(|(flag, value)| format!("{flag}={value}"));
        set.collect::<Vec<_>>().join("\0")
    }

    fn csv(&self) -> Result<CsvFormat, (ErrorKind, String)> {
        let require = |is_set: bool, flag: &str| {
            let missing = format!("{flag} is required for a CSV file");
            is_set
                .then_some(())
                .ok_or((ErrorKind::MissingRequiredArgument, missing))
        };
        require(self.kind.is_some(), "--kind")?;
        let has_subject = self.subject.is_some() || self.subject_column.is_some();
        require(has_subject, "--subject or --subject-column")?;
        require(self.member_column.is_some(), "--member-column")?;
        let has_values = self.points_column.is_some() || !self.values_columns.is_empty();
        require(has_values, "--points-column or --values-column")?;
        let mut fields = BTreeSet::new();
        let mut given = self.values_columns.iter();
        if let Some((field, _)) = given.find(|(field, _)| !fields.insert(field)) {
            return Err((
                ErrorKind::ArgumentConflict,
                format!("--values-column is given twice for the field {field}"),
            ));
        }
        let columns = [
            (Role::Subject, &self.subject_column),
            (Role::Member, &self.member_column),
            (Role::Id, &self.id_column),
            (Role::Points, &self.points_column),
            (Role::At, &self.at_column),
        ];
        let columns = columns.into_iter();
        let columns = columns.filter_map(|(role, name)| Some((role, name.clone()?)));
        let fields = self.values_columns.iter().cloned();
        let fields = fields.map(|(field, name)| (Role::Field(field), name));
        Ok(CsvFormat {
            kind: self.kind.clone().unwrap_or_default(),
            subject: self.subject.clone().unwrap_or_default(),
            columns: columns.chain(fields).collect(),
            missing: self.missing.clone(),
            delimiter: self.delimiter,
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: ImportArgs,
    }

    fn format(line: &str) -> Result<Format, (ErrorKind, String)> {
        let line = Line::try_parse_from(std::iter::once("import").chain(line.split(' ')))
            .map_err(|error| (error.kind(), error.to_string()))?;
        line.args.format()
    }

    #[test]
    fn ndjson_is_selected_by_the_file_name_or_by_no_options() {
        for line in ["a.ndjson", "a.JSONL.gz", "-", "events.txt", "/dev/stdin"] {
            assert_eq!(format(line), Ok(Format::Ndjson), "{line}");
        }
        let (kind, message) = format("a.jsonl --kind gifts").unwrap_err();
        assert_eq!(kind, ErrorKind::ArgumentConflict);
        assert!(message.contains("--kind"), "{message}");
    }

    #[test]
    fn csv_requires_its_options() {
        let complete = "a.txt --kind k --subject s --member-column m --points-column p --missing -";
        assert_eq!(
            format(complete),
            Ok(Format::Csv(CsvFormat {
                kind: "k".to_owned(),
                subject: "s".to_owned(),
                columns: vec![
                    (Role::Member, "m".to_owned()),
                    (Role::Points, "p".to_owned())
                ],
                missing: Some("-".to_owned()),
                delimiter: None,
            }))
        );
        for (line, flag) in [
            ("a.csv", "--kind"),
            ("a.csv.gz", "--kind"),
            ("a.tsv", "--kind"),
            ("- --kind k", "--subject or --subject-column"),
            ("- --kind k --subject s", "--member-column"),
            (
                "- --kind k --subject s --member-column m",
                "--points-column or --values-column",
            ),
        ] {
            let (kind, message) = format(line).unwrap_err();
            assert_eq!(kind, ErrorKind::MissingRequiredArgument);
            assert!(message.starts_with(flag), "{message}");
        }
        for both in [
            "- --kind k --subject s --subject-column c",
            "- --points-column p --values-column f=c",
            "- --kind k --subject s --member-column m --values-column f=c --values-column f=d",
        ] {
            assert_eq!(format(both).unwrap_err().0, ErrorKind::ArgumentConflict);
        }
    }

    #[test]
    fn columns_of_fields_and_delimiters_are_parsed() {
        let laps = ("laps".to_owned(), "Laps = all".to_owned());
        assert_eq!(field_column("laps=Laps = all"), Ok(laps));
        for wrong in ["laps", "=Laps", ""] {
            assert!(field_column(wrong).is_err(), "{wrong}");
        }
        for (text, byte) in [
            (";", b';'),
            ("|", b'|'),
            ("tab", b'\t'),
            ("\\t", b'\t'),
            ("\t", b'\t'),
        ] {
            assert_eq!(delimiter(text), Ok(byte), "{text}");
        }
        for wrong in ["", "\"", "a", "1", ";;", "；", "\n"] {
            assert!(delimiter(wrong).is_err(), "{wrong}");
        }
    }
}
