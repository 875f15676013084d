//! The command line of `import`: [`ImportArgs`], and the file format that it selects: [`Format`].

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::error::ErrorKind;
use clap::{Args, Command};

use super::csv::{ColumnNames, SubjectSource};
use crate::result_args::ResultArgs;
use crate::server::ServerArgs;

/// Sends a CSV or NDJSON file of contributions to a server.
///
/// A CSV file requires a header, and options that map its columns to a contribution. NDJSON, with one contribution per
/// line, requires no options. Both may be compressed with gzip.
///
/// How far it came is kept beside the file, in FILE.import-*: run again, an import continues there, and a file that is
/// through is refused. A line with an id counts once within the kind's dedupe span, however often it is sent.
///
/// Exit status: 0 if every row was accepted or skipped, 1 if not, 130 after Ctrl-C or SIGTERM.
#[derive(Args, Debug)]
pub struct ImportArgs {
    /// The file, or `-` for standard input. It is read as NDJSON if its name ends in .ndjson or .jsonl, or if no
    /// column is given.
    pub(super) file: PathBuf,

    #[command(flatten)]
    pub(super) server: ServerArgs,

    #[command(flatten)]
    pub(super) result: ResultArgs,

    /// Start at this line of the file, counted from 1, to continue an import that ended early.
    #[arg(long, value_name = "N")]
    pub(super) from_line: Option<u64>,

    /// Import a file again of which all lines were imported into this server already.
    #[arg(long)]
    pub(super) again: bool,

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

    /// Column of the points: exact integers.
    #[arg(long, value_name = "C")]
    points_column: Option<String>,

    /// Column of the time: RFC 3339 or epoch milliseconds. Without it, rows count when they arrive.
    #[arg(long, value_name = "C")]
    at_column: Option<String>,

    /// Column of an id, by which a row counts once, however often it is sent.
    #[arg(long, value_name = "C")]
    id_column: Option<String>,

    /// Text that marks a missing value, such as `NA`. A row that lacks a required value is skipped, as with an
    /// empty cell.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    missing: Option<String>,
}

/// The format of the file.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Format {
    /// One contribution per line.
    Ndjson,
    /// A header, and rows with these columns.
    Csv {
        kind: String,
        columns: ColumnNames,
        missing: Option<String>,
    },
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
        match self.columns.flags().first() {
            Some(flag) if is_ndjson => Err((
                ErrorKind::ArgumentConflict,
                format!("{flag} applies to CSV only: NDJSON lines name their fields themselves"),
            )),
            None if !has_extension("csv") => Ok(Format::Ndjson),
            _ => self.columns.csv(),
        }
    }
}

impl ColumnArgs {
    /// Returns all options with their flags.
    fn options(&self) -> [(&'static str, Option<&str>); 8] {
        let Self {
            kind,
            subject,
            subject_column,
            member_column,
            points_column,
            at_column,
            id_column,
            missing,
        } = self;
        [
            ("--kind", kind),
            ("--subject", subject),
            ("--subject-column", subject_column),
            ("--member-column", member_column),
            ("--points-column", points_column),
            ("--at-column", at_column),
            ("--id-column", id_column),
            ("--missing", missing),
        ]
        .map(|(flag, value)| (flag, value.as_deref()))
    }

    /// Returns the flags of the options that are set.
    fn flags(&self) -> Vec<&'static str> {
        let set = self.options().into_iter();
        let set = set.filter(|(_, value)| value.is_some());
        set.map(|(flag, _)| flag).collect()
    }

    /// Returns the options that are set as text, which differs for different options.
    pub(super) fn text(&self) -> String {
        let set = self.options().into_iter();
        let set = set.filter_map(|(flag, value)| Some(format!("{flag}={}", value?)));
        set.collect::<Vec<_>>().join("\0")
    }

    fn csv(&self) -> Result<Format, (ErrorKind, String)> {
        let require = |value: &Option<String>, flag: &str| {
            value.clone().ok_or_else(|| {
                (
                    ErrorKind::MissingRequiredArgument,
                    format!("{flag} is required for a CSV file"),
                )
            })
        };
        Ok(Format::Csv {
            kind: require(&self.kind, "--kind")?,
            columns: ColumnNames {
                subject: match &self.subject_column {
                    Some(column) => SubjectSource::Column(column.clone()),
                    None => SubjectSource::Fixed(require(
                        &self.subject,
                        "--subject or --subject-column",
                    )?),
                },
                member: require(&self.member_column, "--member-column")?,
                points: require(&self.points_column, "--points-column")?,
                at: self.at_column.clone(),
                id: self.id_column.clone(),
            },
            missing: self.missing.clone(),
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
            Ok(Format::Csv {
                kind: "k".to_owned(),
                columns: ColumnNames {
                    subject: SubjectSource::Fixed("s".to_owned()),
                    member: "m".to_owned(),
                    points: "p".to_owned(),
                    at: None,
                    id: None,
                },
                missing: Some("-".to_owned()),
            })
        );
        for (line, flag) in [
            ("a.csv", "--kind"),
            ("a.csv.gz", "--kind"),
            ("- --kind k", "--subject or --subject-column"),
            ("- --kind k --subject s", "--member-column"),
            (
                "- --kind k --subject s --member-column m",
                "--points-column",
            ),
        ] {
            let (kind, message) = format(line).unwrap_err();
            assert_eq!(kind, ErrorKind::MissingRequiredArgument);
            assert!(message.starts_with(flag), "{message}");
        }
        let both = format("- --kind k --subject s --subject-column c").unwrap_err();
        assert_eq!(both.0, ErrorKind::ArgumentConflict);
    }
}
