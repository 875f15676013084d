//! A board's record and its windows.

use std::collections::BTreeMap;
use std::sync::Arc;

use board::{BoardName, Kind, Window};
use shard_store::BoardRecord;

use crate::merger::{Merger, ReadFuture, ReadResult};

/// A window with data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowMembers {
    /// The window.
    pub window: Window,
    /// Members ranked in it.
    pub members: u64,
}

/// A board's record and its windows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoardInfo {
    /// Its record; `None` if it has no contributions.
    pub record: Option<Arc<BoardRecord>>,
    /// Windows with data, by period and start.
    pub windows: Vec<WindowMembers>,
}

impl Merger {
    /// Returns the board's record, and its windows. The version is that of `window`.
    pub fn info<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
    ) -> ReadFuture<'a, BoardInfo> {
        self.on_board(board, kind, window, move |scope| async move {
            let readings = scope.round_of_all([]).await?;
            let mut windows: BTreeMap<Window, u64> = BTreeMap::new();
            for count in scope.windows().await? {
                *windows.entry(count.window).or_default() += count.members;
            }
            let windows = scope.listed_windows(windows).await?.into_iter();
            let windows = windows.map(|(window, members)| WindowMembers { window, members });
            Ok(ReadResult {
                version: scope.version(&readings),
                as_of: scope.as_of,
                members: scope.members_of(&readings),
                activity: scope.record.activity,
                value: BoardInfo {
                    record: Some(scope.record.clone()),
                    windows: windows.collect(),
                },
            })
        })
    }
}
