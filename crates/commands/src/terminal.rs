//! Output to the terminal: escaping of control characters, and printing that tolerates a closed pipe.
//!
//! Names and messages come from servers and files. Control characters could change the terminal, and bidirectional
//! controls the appearance of a line; both are printed as escapes.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::time::Duration;

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

/// The minimum width to which a column of names is wrapped. Below it, names would have a few letters per line.
const NAMES_WIDTH_MIN: u16 = 16;

const PROGRESS_SHOWN_EVERY: Duration = Duration::from_millis(200);

/// Replaces control characters and invisible characters by escapes, `\u{..}`.
///
/// Joiners (U+200C, U+200D) and selectors of styles are kept, since Persian and emoji need them.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |char, shown| shown.extend(char.escape_unicode()))
}

fn escaped(text: &str, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if !text.contains(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        if is_unprintable(char) {
            escape(char, &mut shown);
        } else {
            shown.push(char);
        }
    }
    Cow::Owned(shown)
}

/// Returns true for controls and invisible characters, except the joiners and the selectors of emoji.
fn is_unprintable(char: char) -> bool {
    let is_of_scripts = matches!(char, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}');
    char.is_control() || (board::is_invisible(char) && !is_of_scripts)
}

/// Formats a result as JSON on one line, in which strings have the same characters escaped.
pub fn json(result: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string(result)?;
    let shown = escaped(&text, |char, shown| {
        for unit in char.encode_utf16(&mut [0; 2]) {
            let _ = write!(shown, "\\u{unit:04x}");
        }
    });
    Ok(shown.into_owned())
}

/// Writes one message to standard error.
pub fn report(message: &str) {
    // If standard error is closed, there is nowhere to report that.
    let _ = writeln!(io::stderr(), "megaboard: {}", printable(message));
}

/// Writes text, which must be printable, to standard output.
pub fn print(text: &str) -> io::Result<()> {
    print_line(text).map(drop)
}

/// Writes text, which must be printable, to standard output. Returns false if nobody reads it any more: `megaboard top
/// ... | head -3` closes the pipe.
pub fn print_line(text: &str) -> io::Result<bool> {
    let mut stdout = io::stdout();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        outcome => outcome.map(|()| true),
    }
}

/// Formats numbers as runs, within which the first of each pair are consecutive: `1 to 4, 7`.
pub(crate) fn runs(numbers: &[(u64, u64)]) -> String {
    let runs = numbers.chunk_by(|(number, _), (next, _)| number + 1 == *next);
    let runs = runs.filter_map(|run| Some((run.first()?.1, run.last()?.1)));
    let runs = runs.map(|(first, last)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first} to {last}")
        }
    });
    runs.collect::<Vec<_>>().join(", ")
}

/// How the cells of a column are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Wrapped to the width of the terminal.
    Names,
    /// Never wrapped.
    Text,
    /// Aligned to the right, and never wrapped.
    Numbers,
}

/// Formats a table without borders. Nothing is wrapped if the terminal has no width, or is too narrow for it.
pub fn table(columns: &[(&str, Cells)], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    layout(columns, rows, None)
}

fn layout(
    columns: &[(&str, Cells)],
    rows: impl IntoIterator<Item = Vec<String>>,
    width: Option<u16>,
) -> String {
    let cell = |(text, (_, cells)): (&str, &(&str, Cells))| {
        let cell = Cell::new(printable(text));
        match cells {
            Cells::Numbers => cell.set_alignment(CellAlignment::Right),
            Cells::Names | Cells::Text => cell,
        }
    };
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    if let Some(width) = width {
        table.set_width(width);
    }
    table.set_header(columns.iter().map(|column| cell((column.0, column))));
    for row in rows {
        table.add_row(row.iter().map(String::as_str).zip(columns).map(cell));
    }
    let widths = table.column_max_content_widths();
    let needed = widths.iter().zip(columns).map(|(width, (_, cells))| {
        let width = match cells {
            Cells::Names => NAMES_WIDTH_MIN.min(*width),
            Cells::Text | Cells::Numbers => *width,
        };
        // One column of padding on each side.
        usize::from(width) + 2
    });
    let needed: usize = needed.sum();
    // Terminals without a size, as in containers, have the width 0.
    if table
        .width()
        .is_some_and(|width| usize::from(width) >= needed)
    {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        for (column, (_, cells)) in table.column_iter_mut().zip(columns) {
            if *cells != Cells::Names {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
    }
    table.trim_fmt()
}

/// Shows the progress on standard error, if that is a terminal.
pub(crate) fn progress(template: &str) -> ProgressBar {
    let bar = ProgressBar::no_length();
    bar.enable_steady_tick(PROGRESS_SHOWN_EVERY);
    bar.set_style(ProgressStyle::with_template(template).expect("it is a template"));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_escaped_and_letters_are_not() {
        assert_eq!(printable("\u{1b}[2Jx\n"), "\\u{1b}[2Jx\\u{a}");
        assert_eq!(
            printable("a\u{202e}b\u{2066}c\u{200f}"),
            "a\\u{202e}b\\u{2066}c\\u{200f}"
        );
        assert_eq!(printable("a\u{9b}b\u{7f}"), "a\\u{9b}b\\u{7f}");
        assert_eq!(
            printable("\u{3164}\u{2800}\u{115f}"),
            "\\u{3164}\\u{2800}\\u{115f}"
        );
        for plain in ["用户一", "é", "e\u{301}", "👩\u{200d}💻", "می\u{200c}خواهم"] {
            assert!(matches!(printable(plain), Cow::Borrowed(_)), "{plain}");
        }
    }

    #[test]
    fn json_has_the_same_text_with_escapes() {
        let text = "\u{1b}[1m\u{9b}\u{202e}\u{3164}\u{e0041}\u{7f}é👩\u{200d}💻\n";
        let shown = json(&text).unwrap();
        let escapes = r#""\u001b[1m\u009b\u202e\u3164\udb40\udc41\u007f"#;
        assert!(shown.starts_with(escapes), "{shown}");
        assert!(!shown.contains(is_unprintable), "{shown:?}");
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
        assert_eq!(json(&"用户一").unwrap(), "\"用户一\"");
    }

    #[test]
    fn only_names_are_wrapped_and_only_if_there_is_space_for_them() {
        let columns = [
            ("n", Cells::Numbers),
            ("x", Cells::Names),
            ("m", Cells::Numbers),
        ];
        let row = [
            "1".to_owned(),
            "x".repeat(30),
            "9007199254740991".to_owned(),
        ];
        let wrapped_at = |width: u16| {
            let text = layout(&columns, [row.to_vec()], Some(width));
            text.split_once('\n').unwrap().1.to_owned()
        };
        let whole = format!(" 1  {}  9007199254740991", "x".repeat(30));
        for width in [0, 20, 38, 80] {
            assert_eq!(wrapped_at(width), whole, "{width}");
        }
        let narrow = format!(
            " 1  {}  9007199254740991\n    {}",
            "x".repeat(16),
            "x".repeat(14)
        );
        assert_eq!(wrapped_at(39), narrow);
    }
}
