//! What a reload changes: [`KeyChanges`].

use std::collections::HashSet;
use std::fmt;

use crate::keys::Keys;

/// The number of names of one list that are shown.
const SHOWN_MAX: usize = 20;

/// The names of the keys that a reload has added and removed. A key with another name or another hash is another key.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct KeyChanges {
    /// The names of new keys.
    pub added: KeyNames,
    /// The names of keys that are no longer accepted.
    pub removed: KeyNames,
}

/// Names of keys, in alphabetical order. Shows some of them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct KeyNames(Vec<String>);

impl KeyChanges {
    pub(crate) fn between(before: &Keys, now: &Keys) -> Self {
        Self {
            added: KeyNames::without(now, before),
            removed: KeyNames::without(before, now),
        }
    }
}

impl KeyNames {
    /// Returns the names of keys that `others` do not have.
    fn without(keys: &Keys, others: &Keys) -> Self {
        let others: HashSet<_> = others.all().map(|key| (&key.name, &key.digest)).collect();
        let keys = keys.all();
        let keys = keys.filter(|key| !others.contains(&(&key.name, &key.digest)));
        let mut names: Vec<String> = keys.map(|key| key.name.clone()).collect();
        names.sort_unstable();
        Self(names)
    }
}

impl fmt::Display for KeyNames {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(names) = self;
        let shown = &names[..names.len().min(SHOWN_MAX)];
        formatter.write_str(&shown.join(", "))?;
        match names.len() - shown.len() {
            0 => Ok(()),
            more => write!(formatter, " and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_names_are_shown() {
        let names = |count| KeyNames((0..count).map(|number| format!("k{number}")).collect());
        assert_eq!(names(0).to_string(), "");
        assert_eq!(names(2).to_string(), "k0, k1");
        let many = names(SHOWN_MAX + 3).to_string();
        assert!(many.ends_with("k19 and 3 more"), "{many}");
    }
}
