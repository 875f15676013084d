//! The kinds of the configuration file.

use board::{Kind, PublishTargets, ShardCount};
use wire::KindShape;

/// The kind that is created if the file configures none.
const BUILT_IN: &str = "gifts";

/// Its settings. Windows close an hour after their end, so that finished ones become final.
const BUILT_IN_SETTINGS: &str = r#"close = { hour = "1h", day = "1h", week = "1h", month = "1h" }"#;

/// A kind of the configuration file, or the built-in one. It leaves open what is chosen by the store.
pub(crate) struct ConfiguredKind {
    name: String,
    shape: KindShape,
    targets: PublishTargets,
    is_built_in: bool,
}

impl ConfiguredKind {
    /// Checks the settings of a kind.
    pub(crate) fn new(
        name: &str,
        shape: KindShape,
        targets: &PublishTargets,
    ) -> Result<Self, String> {
        let kind = Self {
            name: name.to_owned(),
            shape,
            targets: targets.clone(),
            is_built_in: false,
        };
        kind.with_default(ShardCount::DEFAULT)?;
        Ok(kind)
    }

    /// Returns the kind of a server without configured kinds.
    pub(crate) fn built_in() -> Result<Self, String> {
        let shape = toml::from_str(BUILT_IN_SETTINGS).expect("these are settings of a kind");
        let kind = Self::new(BUILT_IN, shape, &PublishTargets::default())?;
        Ok(Self {
            is_built_in: true,
            ..kind
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether it has dense ranks.
    pub(crate) const fn has_dense_ranks(&self) -> bool {
        self.shape.has_dense_ranks()
    }

    /// Returns the kind. It has so many shards if the file does not set the number.
    pub(crate) fn with_default(&self, shards: ShardCount) -> Result<Kind, String> {
        let shape = self.shape.clone();
        shape
            .into_kind_at(&self.name, shards, &self.targets)
            .map_err(|error| format!("kinds.{}: {error}", self.name))
    }

    /// Returns whether a setting of the file differs from that of the stored kind. The built-in kind is in no file.
    pub(crate) fn differs_from(&self, stored: &Kind) -> Result<bool, String> {
        if self.is_built_in {
            return Ok(false);
        }
        let wanted = self.with_default(stored.shards())?;
        Ok(KindShape::from(&wanted) != KindShape::from(stored))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_number_of_shards_differs_only_from_one_that_is_set() {
        let kind = |text| {
            let shape = toml::from_str(text).unwrap();
            ConfiguredKind::new("gifts", shape, &PublishTargets::default()).unwrap()
        };
        let stored = kind("").with_default(ShardCount::of_cores(4)).unwrap();
        assert_eq!(stored.shards().get(), 8);
        assert!(!kind("").differs_from(&stored).unwrap());
        assert!(!kind("shards = 8").differs_from(&stored).unwrap());
        assert!(kind("shards = 16").differs_from(&stored).unwrap());
        assert!(kind("top = 10").differs_from(&stored).unwrap());
        assert!(
            !ConfiguredKind::built_in()
                .unwrap()
                .differs_from(&stored)
                .unwrap()
        );
    }
}
