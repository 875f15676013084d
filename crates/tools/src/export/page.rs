//! What the server answers to an export: [`Board`], [`Listing`], [`Page`]; and a line of its output.
//!
//! Members, values and times pass as the server wrote them: nothing is read that is only written again.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// `GET /v1/boards/{kind}/{subject}`.
#[derive(Deserialize)]
pub(super) struct Board {
    pub(super) windows: Vec<BoardWindow>,
}

/// A window with standings.
#[derive(Deserialize)]
pub(super) struct BoardWindow {
    pub(super) window: String,
}

/// `GET /v1/boards?kind=K`.
#[derive(Deserialize)]
pub(super) struct Listing {
    pub(super) boards: Vec<ListedBoard>,
    /// Where to go on after; none at the end.
    pub(super) next: Option<String>,
}

/// A board of a listing.
#[derive(Deserialize)]
pub(super) struct ListedBoard {
    pub(super) board: String,
}

/// `GET .../range?from&to`.
#[derive(Deserialize)]
pub(super) struct Page<'a> {
    pub(super) board: String,
    pub(super) window: String,
    /// The same version is the same board.
    pub(super) version: String,
    /// How many are ranked.
    pub(super) members: u64,
    /// How many can be, where only the best are.
    pub(super) listed: Option<u64>,
    #[serde(borrow)]
    pub(super) entries: Vec<PageEntry<'a>>,
}

/// A standing. `points` for kinds with that one field, `values` for others.
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

/// A line of the export: a contribution that makes the standing what it was.
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
    /// Whether only the best are ranked, and there may be others with scores.
    pub(super) fn is_full_list(&self) -> bool {
        self.listed.is_some_and(|listed| self.members >= listed)
    }
}

impl<'a> Line<'a> {
    pub(super) fn of(page: &'a Page<'a>, entry: &'a PageEntry<'a>) -> Self {
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
