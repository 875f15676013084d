//! [`PublishTargets`]: the configured servers that kinds are published to, by name.

use std::collections::BTreeMap;

use super::target::PublishTarget;
use crate::ident::TargetName;

/// The configured servers, by name. If empty, nothing is published.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublishTargets {
    by_name: BTreeMap<TargetName, PublishTarget>,
}

/// Two targets have the same address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} and {1} have the same url")]
pub struct DuplicateTarget(pub TargetName, pub TargetName);

impl PublishTargets {
    /// Adds a server; replaces one of the same name.
    pub fn add(&mut self, name: TargetName, target: PublishTarget) -> Result<(), DuplicateTarget> {
        let mut named = self.by_name.iter();
        if let Some((other, _)) = named.find(|(other, at)| **at == target && **other != name) {
            return Err(DuplicateTarget(other.clone(), name));
        }
        self.by_name.insert(name, target);
        Ok(())
    }

    /// Returns the server of this name, if one is configured.
    #[must_use]
    pub fn get(&self, name: &TargetName) -> Option<(&TargetName, &PublishTarget)> {
        self.by_name.get_key_value(name)
    }

    /// Iterates over the names of all servers, in order.
    pub fn names(&self) -> impl Iterator<Item = &TargetName> {
        self.by_name.keys()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_one_name() {
        let mut targets = PublishTargets::default();
        let name: TargetName = "readers".parse().unwrap();
        let add = |targets: &mut PublishTargets, name: &str, address: &str| {
            targets.add(name.parse().unwrap(), address.parse().unwrap())
        };
        assert_eq!(targets.get(&name), None);
        add(&mut targets, "readers", "redis://a").unwrap();
        assert_eq!(targets.get(&name).unwrap().0, &name);
        let twice = add(&mut targets, "b", "redis://a:6379/0").unwrap_err();
        assert_eq!(twice.to_string(), "readers and b have the same url");
    }
}
