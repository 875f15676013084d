//! Tables of standings: [`Fields`], the columns of the fields.

use crate::terminal::{printable, right};
use comfy_table::Cell;
use megaboard_client::Values;

/// The columns of the fields of standings, in the order of the kind.
pub(crate) struct Fields(Vec<String>);

impl Fields {
    /// Returns the fields of the first of these standings. All of a board have the same.
    pub(crate) fn of<'a>(standings: impl IntoIterator<Item = &'a Values>) -> Self {
        let first = standings.into_iter().next();
        let names = first.map(|values| values.iter().map(|(name, _)| name.to_owned()).collect());
        Self(names.unwrap_or_default())
    }

    /// Returns the cells of the header.
    pub(crate) fn header(&self) -> impl Iterator<Item = Cell> {
        self.0.iter().map(|name| right(printable(name)))
    }

    /// Returns the cells of a standing. A field that no contribution has set has no value.
    pub(crate) fn cells(&self, values: &Values) -> impl Iterator<Item = Cell> {
        let values = self.0.iter().map(|name| values.get(name));
        values.map(|value| right(value.map_or("-".to_owned(), |value| value.to_string())))
    }
}
