//! [`PublishAt`]: a kind's reference to the configured server that it is published to, resolved by
//! [`PublishTargets`].

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::target::{PublishTarget, PublishTargetError};
use crate::ident::{IdentError, TargetName};

/// A reference to a configured server. A kind never contains a connection itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublishAt {
    /// The server's name.
    Name(TargetName),
    /// The server's address, as written by earlier versions. Refers to the configured server that
    /// has exactly this address, if there is one.
    Address(PublishTarget),
}

/// Why a text is not a [`PublishAt`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PublishAtError {
    /// Not a valid name.
    #[error(transparent)]
    Name(#[from] IdentError),
    /// Not a valid address.
    #[error(transparent)]
    Address(#[from] PublishTargetError),
}

impl FromStr for PublishAt {
    type Err = PublishAtError;

    fn from_str(text: &str) -> Result<Self, PublishAtError> {
        if text.contains("://") {
            Ok(Self::Address(text.parse()?))
        } else {
            Ok(Self::Name(text.parse()?))
        }
    }
}

impl fmt::Display for PublishAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => name.fmt(f),
            Self::Address(address) => address.fmt(f),
        }
    }
}

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

    /// Returns the configured server that `at` refers to, if there is one.
    #[must_use]
    pub fn resolve(&self, at: &PublishAt) -> Option<(&TargetName, &PublishTarget)> {
        match at {
            PublishAt::Name(name) => self.by_name.get_key_value(name),
            PublishAt::Address(address) => self.by_name.iter().find(|(_, at)| *at == address),
        }
    }

    /// Iterates over the names of all servers, in order.
    pub fn names(&self) -> impl Iterator<Item = &TargetName> {
        self.by_name.keys()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> PublishAt {
        text.parse().unwrap()
    }

    #[test]
    fn a_reference_is_a_name_or_an_address() {
        for text in ["readers", "redis://a:6379", "memcached://[::1]:1"] {
            assert_eq!(at(text).to_string(), text);
        }
        for wrong in ["", "a:6379", "Readers", "redis://", "redis://u:p@a"] {
            assert!(wrong.parse::<PublishAt>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_configured_servers_are_found() {
        let mut targets = PublishTargets::default();
        assert_eq!(targets.resolve(&at("readers")), None);
        let name: TargetName = "readers".parse().unwrap();
        targets
            .add(name.clone(), "redis://a".parse().unwrap())
            .unwrap();
        for found in ["readers", "redis://a:6379", "redis://a/0"] {
            assert_eq!(targets.resolve(&at(found)).unwrap().0, &name, "{found}");
        }
        for other in ["other", "redis://a/1", "rediss://a", "redis-cluster://a"] {
            assert_eq!(targets.resolve(&at(other)), None, "{other}");
        }
        let twice = targets.add("b".parse().unwrap(), "redis://a:6379/0".parse().unwrap());
        let twice = twice.unwrap_err().to_string();
        assert_eq!(twice, "readers and b have the same url");
    }
}
