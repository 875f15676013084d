//! All versions that were read, with their contents: [`Versions`].

use std::collections::HashMap;
use std::sync::Arc;

use board::Window;
use shard_store::{ShardEntry, ShardVersion};

/// The contents read under each version.
#[derive(Clone, Default)]
pub struct Versions {
    latest: HashMap<(Window, u16), ShardVersion>,
    contents: HashMap<(Window, u16, ShardVersion), Content>,
}

/// Rank keys, best first.
type Content = Arc<[Vec<u8>]>;

impl Versions {
    pub fn see(
        &mut self,
        window: Window,
        shard: u16,
        version: ShardVersion,
        sorted: &[ShardEntry],
    ) {
        if let Some(before) = self.latest.insert((window, shard), version) {
            assert_eq!(before.epoch, version.epoch, "the epoch has changed");
            assert!(
                before.counter <= version.counter,
                "{before:?} then {version:?}"
            );
        }
        let content: Content = sorted.iter().map(|entry| entry.key.to_bytes()).collect();
        let known = self.contents.entry((window, shard, version));
        assert_eq!(
            *known.or_insert_with(|| content.clone()),
            content,
            "{version:?}"
        );
    }

    /// Forgets an expired window, whose versions may be used again.
    pub fn forget(&mut self, window: Window) {
        self.latest.retain(|(held, _), _| *held != window);
        self.contents.retain(|(held, _, _), _| *held != window);
    }
}
