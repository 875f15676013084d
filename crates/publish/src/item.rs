//! A board, or a window of it, that is to be published: [`Item`].

use std::sync::Arc;

use board::{BoardName, Window};

/// The windows of a board that are to be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Extent {
    /// This window.
    Window(Window),
    /// All windows that the board has.
    Existing,
    /// All windows that the board has or may have had.
    Any,
}

/// A board, or a window of it, that is to be published.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Item {
    pub(crate) board: Arc<BoardName>,
    pub(crate) extent: Extent,
}
