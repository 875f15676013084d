//! The positions of the columns in a row: [`Columns`], found by name in the header.

use std::io;

use super::record::Cells;

/// An invalid header.
#[derive(Debug, thiserror::Error)]
pub(in crate::import) enum HeaderError {
    #[error("the file is empty; a header is expected")]
    Empty,
    #[error("the header could not be parsed: {0}")]
    Broken(String),
    #[error("there is no column \"{column}\"; the columns are {columns}")]
    Missing { column: String, columns: String },
    #[error("there is more than one column \"{column}\"; the columns are {columns}")]
    Twice { column: String, columns: String },
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The subject of the boards: the same for all rows, or a column, given by its name (`C` is `String`) or as a
/// [`Column`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::import) enum SubjectSource<C> {
    /// The same subject for all rows.
    Fixed(String),
    /// The subject in this column.
    Column(C),
}

/// The columns named on the command line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::import) struct ColumnNames {
    pub(in crate::import) subject: SubjectSource<String>,
    pub(in crate::import) member: String,
    pub(in crate::import) points: String,
    pub(in crate::import) at: Option<String>,
    pub(in crate::import) id: Option<String>,
}

/// A column of the file.
pub(super) struct Column {
    pub(super) name: String,
    pub(super) index: usize,
}

/// The columns of a contribution.
pub(super) struct Columns {
    pub(super) subject: SubjectSource<Column>,
    pub(super) member: Column,
    pub(super) points: Column,
    pub(super) at: Option<Column>,
    pub(super) id: Option<Column>,
    /// The number of cells in a row.
    pub(super) width: usize,
}

impl Columns {
    /// Finds the columns in a header.
    pub(super) fn find(names: ColumnNames, header: Cells<'_>) -> Result<Self, HeaderError> {
        let column = |name: String| find(name, header);
        Ok(Self {
            subject: match names.subject {
                SubjectSource::Fixed(subject) => SubjectSource::Fixed(subject),
                SubjectSource::Column(name) => SubjectSource::Column(column(name)?),
            },
            member: column(names.member)?,
            points: column(names.points)?,
            at: names.at.map(column).transpose()?,
            id: names.id.map(column).transpose()?,
            width: header.len(),
        })
    }

    /// Returns all columns. A row that lacks one of their cells is skipped.
    pub(super) fn required(&self) -> impl Iterator<Item = &Column> {
        let subject = match &self.subject {
            SubjectSource::Fixed(_) => None,
            SubjectSource::Column(column) => Some(column),
        };
        [&self.member, &self.points]
            .into_iter()
            .chain(subject)
            .chain(&self.at)
            .chain(&self.id)
    }
}

fn find(name: String, header: Cells<'_>) -> Result<Column, HeaderError> {
    let mut found = (0..header.len()).filter(|&index| header.get(index) == name.as_bytes());
    match (found.next(), found.next()) {
        (Some(index), None) => Ok(Column { name, index }),
        (None, _) => Err(HeaderError::Missing {
            column: name,
            columns: list(header),
        }),
        (Some(_), Some(_)) => Err(HeaderError::Twice {
            column: name,
            columns: list(header),
        }),
    }
}

fn list(header: Cells<'_>) -> String {
    let names: Vec<_> = (0..header.len())
        .map(|index| format!("\"{}\"", String::from_utf8_lossy(header.get(index))))
        .collect();
    names.join(", ")
}
