//! [`concurrently`]: the calls for several boards, or shards.

use futures::stream::{self, StreamExt as _};
use smallvec::{SmallVec, smallvec};

/// Makes a call for each item, up to `calls_max` at a time, and returns the results in the order of their ends. Most
/// requests are to one board, and a contribution of its own goes to one shard: one call takes no queue.
pub(crate) async fn concurrently<T, F: Future>(
    mut items: SmallVec<[T; 1]>,
    calls_max: usize,
    call: impl Fn(T) -> F,
) -> SmallVec<[F::Output; 1]> {
    if items.len() == 1
        && let Some(item) = items.pop()
    {
        return smallvec![call(item).await];
    }
    let calls = stream::iter(items.into_iter().map(call));
    calls.buffer_unordered(calls_max).collect().await
}
