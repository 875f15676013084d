//! A board's number of shards and its windows.

use std::collections::BTreeMap;
use std::sync::Arc;

use board::{BoardName, Kind, ShardCount, Window};

use crate::merger::{Merger, ReadFuture};

/// A window with data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowMembers {
    /// The window.
    pub window: Window,
    /// Members ranked in it.
    pub members: u64,
}

/// A board's number of shards and its windows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoardInfo {
    /// Over how many shards it is spread; `None` if it has no contributions.
    pub shards: Option<ShardCount>,
    /// Windows with data, by period and start.
    pub windows: Vec<WindowMembers>,
}

impl Merger {
    /// Returns the board's number of shards, and its windows. The version is that of `window`.
    pub fn info<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
    ) -> ReadFuture<'a, BoardInfo> {
        self.on_board(board, kind, window, move |context| async move {
            let readings = context.round_of_all([]).await?;
            let mut windows: BTreeMap<Window, u64> = BTreeMap::new();
            for count in context.windows().await? {
                *windows.entry(count.window).or_default() += count.members;
            }
            let windows = context.listed_windows(windows).await?.into_iter();
            let windows = windows.map(|(window, members)| WindowMembers { window, members });
            let info = BoardInfo {
                shards: Some(context.record.shards),
                windows: windows.collect(),
            };
            Ok(context.result_of(&readings, info))
        })
    }
}
