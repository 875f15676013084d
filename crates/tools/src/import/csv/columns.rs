//! Where in a row each cell stands: [`Columns`], found by name in the header.

use std::io;

use super::record::Cells;

/// Why a file's header does not serve.
#[derive(Debug, thiserror::Error)]
pub(in crate::import) enum HeaderError {
    /// Not a header at all.
    #[error("it is empty; expected a header")]
    Empty,
    /// The first row cannot be read.
    #[error("its header cannot be read: {0}")]
    Broken(String),
    /// A column is not there.
    #[error("it has no column \"{column}\"; its columns are {there}")]
    Missing { column: String, there: String },
    /// A column is there more than once.
    #[error("it has more than one column \"{column}\"; its columns are {there}")]
    Twice { column: String, there: String },
    /// The file cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Where the subject of the boards comes from: a text for all, or a column, by its name (`C` is
/// `String`) or its [`Place`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::import) enum SubjectSource<C> {
    /// The same board for every row.
    Fixed(String),
    /// The board is named in the row.
    Column(C),
}

/// The columns that a command line names.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::import) struct ColumnNames {
    pub(in crate::import) subject: SubjectSource<String>,
    pub(in crate::import) member: String,
    pub(in crate::import) points: String,
    pub(in crate::import) at: Option<String>,
    pub(in crate::import) id: Option<String>,
}

/// A column of the file.
pub(super) struct Place {
    pub(super) name: String,
    pub(super) index: usize,
}

/// The columns that make a contribution.
pub(super) struct Columns {
    pub(super) subject: SubjectSource<Place>,
    pub(super) member: Place,
    pub(super) points: Place,
    pub(super) at: Option<Place>,
    pub(super) id: Option<Place>,
    /// How many cells a row has.
    pub(super) width: usize,
}

impl Columns {
    pub(super) fn find(names: ColumnNames, header: Cells<'_>) -> Result<Self, HeaderError> {
        let place = |name: String| find(name, header);
        Ok(Self {
            subject: match names.subject {
                SubjectSource::Fixed(subject) => SubjectSource::Fixed(subject),
                SubjectSource::Column(name) => SubjectSource::Column(place(name)?),
            },
            member: place(names.member)?,
            points: place(names.points)?,
            at: names.at.map(place).transpose()?,
            id: names.id.map(place).transpose()?,
            width: header.len(),
        })
    }

    /// The columns whose cells a row cannot do without.
    pub(super) fn needed(&self) -> impl Iterator<Item = &Place> {
        let subject = match &self.subject {
            SubjectSource::Fixed(_) => None,
            SubjectSource::Column(place) => Some(place),
        };
        [&self.member, &self.points]
            .into_iter()
            .chain(subject)
            .chain(&self.at)
            .chain(&self.id)
    }
}

fn find(name: String, header: Cells<'_>) -> Result<Place, HeaderError> {
    let mut found = (0..header.len()).filter(|&index| header.get(index) == name.as_bytes());
    match (found.next(), found.next()) {
        (Some(index), None) => Ok(Place { name, index }),
        (None, _) => Err(HeaderError::Missing {
            column: name,
            there: list(header),
        }),
        (Some(_), Some(_)) => Err(HeaderError::Twice {
            column: name,
            there: list(header),
        }),
    }
}

fn list(header: Cells<'_>) -> String {
    let names: Vec<_> = (0..header.len())
        .map(|index| format!("\"{}\"", String::from_utf8_lossy(header.get(index))))
        .collect();
    names.join(", ")
}
