//! The pages that an export reads ([`Page`]), and the lines that it writes ([`Line`]).
//!
//! Members, values and times are copied as raw JSON.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// `GET .../range`.
#[derive(Deserialize)]
pub(super) struct Page<'a> {
    pub(super) board: String,
    pub(super) window: String,
    /// Equal versions mean equal content.
    pub(super) version: String,
    /// The number of ranked members.
    pub(super) members: u64,
    /// The maximum number of ranked members, if the kind ranks only its best.
    pub(super) listed: Option<u64>,
    #[serde(borrow)]
    pub(super) entries: Vec<PageEntry<'a>>,
    /// Selects the entries that follow, if there may be more.
    pub(super) next: Option<String>,
}

/// A standing. It has `points` if that is the kind's only field, and `values` otherwise.
#[derive(Clone, Copy, Deserialize)]
pub(super) struct PageEntry<'a> {
    #[serde(borrow)]
    pub(super) member: &'a RawValue,
    #[serde(borrow)]
    pub(super) points: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) values: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) reached_at: &'a RawValue,
}

/// A line of the export: a contribution that sets the standing.
#[derive(Serialize)]
pub(super) struct Line<'a> {
    board: &'a str,
    member: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<&'a RawValue>,
    at: &'a RawValue,
    set: bool,
    window: &'a str,
}

impl Page<'_> {
    /// Returns whether the kind ranks only its best members, and the list is full, so that others may be missing.
    pub(super) fn is_full_list(&self) -> bool {
        self.listed.is_some_and(|listed| self.members >= listed)
    }
}

impl<'a> Line<'a> {
    pub(super) fn new(page: &'a Page<'_>, entry: &PageEntry<'a>) -> Self {
        Self {
            board: &page.board,
            member: entry.member,
            points: entry.points,
            values: entry.values,
            at: entry.reached_at,
            set: true,
            window: &page.window,
        }
    }
}
