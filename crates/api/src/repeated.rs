//! [`RepeatedRead`]: a read whose response is prepared for the next one.

use std::sync::Arc;

use axum::http::request::Parts;
use axum::response::Response;
use board::{BoardName, Kind, KindName, Timestamp, Window};
use merger::{ServedTop, TopView};

use crate::app::App;

/// An extension of a repeated read: its handler adds to the response what that depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IsRepeated;

/// An extension of the response: the top that it was made of.
#[derive(Debug, Clone)]
pub(crate) struct ServedBoard {
    pub(crate) top: ServedTop,
    pub(crate) kind: KindName,
}

/// A read whose response is prepared, if it comes from the cache.
pub(crate) struct RepeatedRead {
    began: Timestamp,
}

impl RepeatedRead {
    /// Begins a read, before its window is determined; `None` if it is not repeated.
    pub(crate) fn begin(parts: &Parts, app: &App) -> Option<Self> {
        let began = || Self { began: app.now() };
        parts.extensions.get::<IsRepeated>().map(|_| began())
    }

    /// Adds to the response what it depends on.
    pub(crate) fn end(
        &self,
        app: &App,
        (board, kind, window): (&BoardName, &Arc<Kind>, Window),
        view: &TopView,
        response: &mut Response,
    ) {
        let top = app.merger.served_top(board, kind, window, view, self.began);
        if let Some(top) = top {
            let kind = kind.name().clone();
            response.extensions_mut().insert(ServedBoard { top, kind });
        }
    }
}
