//! Shapes of what is put together from rendered parts: the OpenAPI document has their schemas, and no response is made
//! of them.

#![expect(dead_code, reason = "schemas are made of them")]

use utoipa::ToSchema;

use crate::{EntryShape, Envelope};

/// A member's profile.
#[derive(ToSchema)]
#[schema(as = ShownProfile)]
pub struct ProfileWritten {
    /// What the member is called.
    #[schema(nullable = false, example = "Ann")]
    name: Option<String>,
    /// The URL of an image.
    #[schema(nullable = false, example = "https://img.example/ann.png")]
    avatar: Option<String>,
    /// Any JSON.
    #[schema(required = false)]
    data: Option<serde_json::Value>,
}

#[derive(ToSchema)]
#[expect(missing_docs, reason = "the document has none")]
#[schema(as = EntryPage)]
pub struct PageWritten {
    entries: Vec<EntryShape<'static>>,
    /// If there may be more entries: `after` of the next page.
    #[schema(nullable = false)]
    next: Option<String>,
}

/// The best entries of a board.
#[derive(ToSchema)]
#[schema(as = Top)]
pub struct TopWritten {
    #[serde(flatten)]
    envelope: Envelope<'static>,
    /// True while the store is unavailable: this is the last board that was read.
    #[schema(required = false)]
    stale: bool,
    /// The entries, best first.
    entries: Vec<EntryShape<'static>>,
}

/// The tops of several boards, in the order of the request.
#[derive(ToSchema)]
#[schema(as = Tops)]
pub struct TopsWritten {
    boards: Vec<TopWritten>,
}
