//! The columns of a contribution: [`Columns`], named on the command line and found in the header.

use super::header::HeaderError;
use super::record::Cells;

/// The subject of the boards: the same for all rows, or a column.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::import) enum SubjectSource<C> {
    /// The same subject for all rows.
    Fixed(String),
    /// The subject in this column.
    Column(C),
}

/// The values of a contribution.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::import) enum ValueSource<C> {
    /// The one field of the kind.
    Points(C),
    /// Fields by name.
    Fields(Vec<(String, C)>),
}

/// The columns of a contribution, given by their names (`C` is `String`) or as [`Column`]s.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::import) struct Columns<C> {
    pub(in crate::import) subject: SubjectSource<C>,
    pub(in crate::import) member: C,
    pub(in crate::import) values: ValueSource<C>,
    pub(in crate::import) at: Option<C>,
    pub(in crate::import) id: Option<C>,
}

/// A column of the file.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) index: usize,
}

impl<C> Columns<C> {
    /// Returns the columns that each row must have.
    pub(super) fn required(&self) -> impl Iterator<Item = &C> {
        let others = [self.points(), self.at.as_ref()];
        self.names().chain(others.into_iter().flatten())
    }

    /// Returns the columns of names: those of subjects, members and ids.
    pub(super) fn names(&self) -> impl Iterator<Item = &C> {
        let subject = match &self.subject {
            SubjectSource::Fixed(_) => None,
            SubjectSource::Column(column) => Some(column),
        };
        let names = [subject, Some(&self.member), self.id.as_ref()];
        names.into_iter().flatten()
    }

    /// Returns the columns of values.
    pub(super) fn values(&self) -> impl Iterator<Item = &C> {
        let fields = self.fields().iter().map(|(_, column)| column);
        self.points().into_iter().chain(fields)
    }

    fn points(&self) -> Option<&C> {
        match &self.values {
            ValueSource::Points(column) => Some(column),
            ValueSource::Fields(_) => None,
        }
    }

    /// Returns the columns of which each row must have one.
    pub(super) fn fields(&self) -> &[(String, C)] {
        match &self.values {
            ValueSource::Points(_) => &[],
            ValueSource::Fields(fields) => fields,
        }
    }
}

impl Columns<String> {
    /// Returns how many of the columns a header has.
    pub(super) fn count_in(&self, header: Cells<'_>) -> usize {
        let fields = self.fields().iter().map(|(_, name)| name);
        let names = self.required().chain(fields);
        names
            .filter(|name| header.iter().any(|it| it == name.as_bytes()))
            .count()
    }

    /// Finds the columns in a header.
    pub(super) fn find(self, header: Cells<'_>) -> Result<Columns<Column>, HeaderError> {
        let column = |name: String| find(name, header);
        let field = |(field, name): (String, String)| Ok((field, column(name)?));
        Ok(Columns {
            subject: match self.subject {
                SubjectSource::Fixed(subject) => SubjectSource::Fixed(subject),
                SubjectSource::Column(name) => SubjectSource::Column(column(name)?),
            },
            member: column(self.member)?,
            values: match self.values {
                ValueSource::Points(name) => ValueSource::Points(column(name)?),
                ValueSource::Fields(fields) => {
                    let fields = fields.into_iter().map(field);
                    ValueSource::Fields(fields.collect::<Result<_, HeaderError>>()?)
                }
            },
            at: self.at.map(column).transpose()?,
            id: self.id.map(column).transpose()?,
        })
    }
}

fn find(name: String, header: Cells<'_>) -> Result<Column, HeaderError> {
    let columns = || {
        let names = header.iter().map(String::from_utf8_lossy);
        let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
        names.join(", ")
    };
    let is_named = |(_, cell): &(usize, &[u8])| *cell == name.as_bytes();
    let mut found = header.iter().enumerate().filter(is_named);
    match (found.next(), found.next()) {
        (Some((index, _)), None) => Ok(Column { name, index }),
        (None, _) => Err(HeaderError::Missing {
            columns: columns(),
            column: name,
        }),
        (Some(_), Some(_)) => Err(HeaderError::Twice {
            columns: columns(),
            column: name,
        }),
    }
}
