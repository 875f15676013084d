//! [`Kinds`]: kinds, and the version of each that its boards refer to.

use std::collections::BTreeMap;
use std::sync::Arc;

use board::{Hidden, Kind, KindName, ShardCount};
use shard_store::KindRecord;

pub(super) type Kinds = BTreeMap<KindName, KnownKind>;

/// A kind's record, and the version of the kind that its boards refer to.
#[derive(Debug)]
pub(super) struct KnownKind {
    pub(super) record: KindRecord,
    /// `None`: the kind was deleted.
    pub(super) for_boards: Option<Arc<Kind>>,
}

/// Returns the kind that a caller has read, as boards refer to it, and its shard count. `None` if
/// the kind has changed.
pub(super) fn current_kind(kinds: &Kinds, read: &KindRecord) -> Option<(Arc<Kind>, ShardCount)> {
    let held = kinds
        .get(&read.name)
        .filter(|held| held.record.revision == read.revision)?;
    let shards = held.record.kind.as_ref()?.shards();
    Some((held.for_boards.clone()?, shards))
}

/// Returns the version of the kind that boards refer to. That is the one they have already if it is
/// equivalent: a kind that is written often, each time a member is hidden, stays one object for its
/// boards.
pub(super) fn version_for_boards(held: Option<&Arc<Kind>>, kind: &Arc<Kind>) -> Arc<Kind> {
    match held {
        Some(held) if is_equivalent_for_boards(held, kind) => held.clone(),
        _ if kind.hidden().is_empty() => kind.clone(),
        _ => Arc::new(Kind::clone(kind).hiding(Hidden::default())),
    }
}

/// Returns whether boards of one kind may refer to the other: boards use its name, its meaning and
/// its rules.
#[must_use]
pub fn is_equivalent_for_boards(one: &Kind, other: &Kind) -> bool {
    one.name() == other.name() && one.meaning() == other.meaning() && one.rules() == other.rules()
}
