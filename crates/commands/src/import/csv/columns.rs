//! The columns of a contribution: [`Column`], named on the command line and found in the header.

use super::record::Cells;

/// What a column has.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::import) enum Role {
    /// The subject of the board.
    Subject,
    Member,
    Id,
    /// The value of a kind with one field.
    Points,
    /// The value of this field. Each row must have one of these columns, and all of the others.
    Field(String),
    At,
}

/// A column of the file.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) role: Role,
    pub(super) name: String,
    pub(super) index: usize,
}

impl Column {
    pub(super) fn is_field(&self) -> bool {
        matches!(self.role, Role::Field(_))
    }
}

/// Returns how many of these columns a header has.
pub(super) fn count_in(header: Cells<'_>, columns: &[(Role, String)]) -> usize {
    let is_there = |(_, name): &&(Role, String)| header.iter().any(|it| it == name.as_bytes());
    columns.iter().filter(is_there).count()
}

/// Finds a column in a header.
pub(super) fn find(role: Role, name: String, header: Cells<'_>) -> Result<Column, String> {
    let is_named = |(_, cell): &(usize, &[u8])| *cell == name.as_bytes();
    let mut found = header.iter().enumerate().filter(is_named);
    let what = match (found.next(), found.next()) {
        (Some((index, _)), None) => return Ok(Column { role, name, index }),
        (None, _) => "there is no column",
        (Some(_), Some(_)) => "there is more than one column",
    };
    let names = header.iter().map(String::from_utf8_lossy);
    let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
    let names = names.join(", ");
    Err(format!("{what} \"{name}\"; the columns are {names}"))
}
