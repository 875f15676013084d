//! [`ItemList`]: the items of a request that were not applied, as far as a receipt lists them.

use http_server::HeldBytes;
use serde::Serialize;
use wire::problem::Problem;
#[cfg(test)]
use wire::problem::ProblemType;

/// Maximum items of a list; further ones are only counted.
pub(crate) const LISTED_MAX: usize = 1000;

/// Maximum bytes of boards and details in a list; items beyond that are only counted. Each list has a limit of its own:
/// rejected items leave room for failed ones, which the client has to send again.
const LISTED_BYTES_MAX: usize = 1 << 20;

/// Bytes of each list that do not count in the share of receipts: the first items are always listed.
const FREE_BYTES: usize = 4 << 10;

/// Bytes of an item beside its texts, rounded up.
const ITEM_BYTES: usize = 256;

/// Maximum bytes of the JSON of a shortened list: enough for at least one item.
pub(crate) const SHORT_LIST_BYTES_MAX: usize = 3 << 10;

/// The first items that were not applied.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub(crate) struct ItemList {
    items: Vec<ItemShape>,
    /// Bytes of boards and details in `items`.
    #[serde(skip)]
    bytes: usize,
}

/// An item that was not applied.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Item))]
pub(crate) struct ItemShape {
    /// Its place in the request, from 0.
    index: usize,
    /// The board, where the item names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schema(nullable = false))]
    board: Option<String>,
    #[cfg_attr(test, schema(value_type = ProblemType))]
    r#type: &'static str,
    /// What is wrong: names the field and its value.
    detail: String,
}

impl ItemList {
    /// Adds an item, if the list and the share of `held` have space for it.
    pub(crate) fn push(
        &mut self,
        held: &mut HeldBytes,
        index: usize,
        board: Option<String>,
        problem: &Problem,
    ) {
        let bytes = text_bytes(board.as_deref(), problem);
        if self.items.len() >= LISTED_MAX || self.bytes + bytes > LISTED_BYTES_MAX {
            return;
        }
        if may_list(held, self.bytes, bytes) {
            self.bytes += bytes;
            self.items.push(ItemShape {
                index,
                board,
                r#type: problem.kind.word(),
                detail: problem.detail.clone(),
            });
        }
    }

    /// Returns the detail of the first item, or nothing if there is none.
    pub(crate) fn first_detail(&self) -> &str {
        self.items.first().map_or("", |item| &item.detail)
    }

    /// Keeps the first items, up to [`SHORT_LIST_BYTES_MAX`] of JSON.
    pub(crate) fn shorten(&mut self) {
        let mut bytes = 0;
        let fits = |item: &&ItemShape| {
            let json = serde_json::to_vec(item);
            let json = json.expect("an item is JSON, and memory is no file");
            bytes += json.len() + 1;
            bytes <= SHORT_LIST_BYTES_MAX
        };
        let listed = self.items.iter().take_while(fits).count();
        self.items.truncate(listed);
    }

    #[cfg(test)]
    pub(crate) const fn len(&self) -> usize {
        self.items.len()
    }
}

/// Returns the bytes of the texts of an item.
pub(crate) fn text_bytes(board: Option<&str>, problem: &Problem) -> usize {
    problem.detail.len() + board.map_or(0, str::len)
}

/// Whether the share has space for an item with texts of this many bytes, after others with `listed_bytes`. If so, the
/// bytes are held.
pub(crate) fn may_list(held: &mut HeldBytes, listed_bytes: usize, bytes: usize) -> bool {
    listed_bytes + bytes <= FREE_BYTES || held.grow(bytes + ITEM_BYTES)
}

#[cfg(test)]
mod tests {
    use http_server::{MemoryBudget, Share};

    use super::*;

    #[test]
    fn lists_use_one_share_and_always_have_their_first_items() {
        const ITEMS: usize = 100;
        let item = ITEM_BYTES + 200;
        let share = Share::up_to(ITEMS * item);
        let filled = || {
            let (mut list, mut held) = (ItemList::default(), share.hold());
            for index in 0..LISTED_MAX {
                list.push(&mut held, index, None, &Problem::invalid("x".repeat(200)));
            }
            (list, held)
        };
        let first = filled();
        let free = FREE_BYTES / 200;
        assert_eq!(first.0.len(), free + ITEMS);
        assert_eq!(share.bytes(), ITEMS * item);
        let mut second = filled();
        assert_eq!(second.0.len(), free);
        let mut other = ItemList::default();
        other.push(&mut second.1, 0, None, &Problem::invalid("x"));
        assert_eq!(other.len(), 1);
        drop((first, second));
        assert_eq!(share.bytes(), 0);
    }

    #[test]
    fn a_list_is_bounded_by_items_and_by_bytes() {
        let share = MemoryBudget::default().receipts;
        let filled = |detail: &str, count: usize| {
            let (mut list, mut held) = (ItemList::default(), share.hold());
            for index in 0..count {
                let board = Some("gifts/a".to_owned());
                list.push(&mut held, index, board, &Problem::invalid(detail));
            }
            (list, held)
        };
        assert_eq!(filled("short", 5_000).0.len(), LISTED_MAX);
        // The widest characters: a detail has at most 200 of them.
        let wide = filled(&"👍".repeat(1_000), 5_000);
        assert_eq!(wide.0.len(), LISTED_MAX);
        let (mut full, mut held) = filled("", 0);
        full.bytes = LISTED_BYTES_MAX - 20;
        full.push(&mut held, 0, None, &Problem::invalid("x".repeat(20)));
        full.push(&mut held, 1, None, &Problem::invalid("x"));
        assert_eq!(full.len(), 1);
    }
}
