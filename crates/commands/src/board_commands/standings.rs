//! Columns of standings in tables: [`Fields`].

use crate::terminal::Cells;
use megaboard_client::Values;

/// The fields of standings, in the order of the kind.
pub(crate) struct Fields<'a>(Vec<&'a str>);

impl<'a> Fields<'a> {
    /// Returns the fields of the first of these standings. All of a board have the same.
    pub(crate) fn of(standings: impl IntoIterator<Item = &'a Values>) -> Self {
        let first = standings.into_iter().next();
        let fields = first.into_iter().flat_map(Values::iter);
        Self(fields.map(|(name, _)| name).collect())
    }

    pub(crate) fn columns(&self) -> impl Iterator<Item = (&'a str, Cells)> {
        self.0.iter().map(|name| (*name, Cells::Numbers))
    }

    /// Returns the cells of a standing. A field that no contribution has set has no value.
    pub(crate) fn cells(&self, values: &Values) -> impl Iterator<Item = String> {
        self.0.iter().map(|name| or_dash(values.get(name)))
    }
}

/// Formats a value, if there is one.
pub(crate) fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or("-".to_owned(), |value| value.to_string())
}
