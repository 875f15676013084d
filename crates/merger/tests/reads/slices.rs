//! [`check_slices`]: pages from either end of a board, each continued after the last entry of the one before.

use std::sync::Arc;

use board::{Kind, Value};
use merger::{End, Slice};

use crate::agree::ALL;
use crate::stage::Stage;
use crate::twin::{Shown, all_shown};

/// Pages that are read from each end.
const PAGES_MAX: usize = 4;

/// Checks that the entries between these values are those at `positions`, which are best first.
pub(crate) async fn check_slices(
    stage: &Stage,
    kind: &Arc<Kind>,
    values: Option<(Option<Value>, Option<Value>)>,
    limit: u64,
    mut positions: Vec<u64>,
    at: impl Fn(u64) -> Shown,
) {
    let page = usize::try_from(limit).unwrap();
    for from in [End::Best, End::Worst] {
        let mut read = Vec::new();
        let mut after = None;
        let wanted = positions.iter().take(PAGES_MAX * page);
        let wanted: Vec<Shown> = wanted.map(|position| at(*position)).collect();
        for pages in 1..=PAGES_MAX {
            let slice = Slice {
                values,
                after: after.clone(),
                from,
                limit,
            };
            let answer = stage.merger.slice(&stage.board, kind, ALL, slice).await;
            let entries = answer.unwrap().value;
            read.extend(all_shown(kind, &entries));
            let expected = &wanted[..wanted.len().min(pages * page)];
            assert_eq!(
                read, expected,
                "{limit} within {values:?} from {from:?} after {after:?}"
            );
            let Some(last) = entries.last() else { break };
            after = Some(last.entry.key.clone());
        }
        positions.reverse();
    }
}
