//! Names of the nodes' own keys, and the slot in a key's name.
//!
//! Every key begins with `megaboard:` and its hash tag. Keys that a store has once, whatever boards
//! it has, have the tag `registry`.

use bytes::Bytes;

use crate::tags::slot_of;

/// The tag of keys that a store has once.
const REGISTRY: &str = "registry";

/// The version of the format of all keys: what the identities of stores and servers begin with.
pub(crate) const FORMAT: &str = "1:";

/// The hash with the identity of an independent server.
pub(crate) const SERVER: &str = "megaboard:server";

/// Returns the key with the identity of a store that is not of independent servers.
pub(crate) fn store() -> Bytes {
    registry("store")
}

/// Returns the slot of these keys.
pub(crate) fn registry_slot() -> u16 {
    slot_of(REGISTRY.as_bytes())
}

/// Returns the name of a key that a store has once: `megaboard:{registry}:NAME`.
#[must_use]
pub fn registry(name: &str) -> Bytes {
    Bytes::from(format!("megaboard:{{{REGISTRY}}}:{name}"))
}

/// Returns the name of a key that expires at this time, in milliseconds, in the slot of one of our
/// keys: `megaboard:{TAG}:until:MS`. `None` for a key that is not ours.
pub(crate) fn until(beside: &[u8], ms: u64) -> Option<Bytes> {
    let end = beside.iter().position(|byte| *byte == b'}')?;
    let number = ms.to_string();
    Some(
        [&beside[..=end], b":until:", number.as_bytes()]
            .concat()
            .into(),
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_closing_key_is_in_the_slot_of_its_key() {
        let beside = |key: &[u8]| super::until(key, 1_795_186_800_000);
        let key = beside(b"megaboard:{9f2}:gifts/a}:b:00000000000000ff:3:meta");
        let until: &[u8] = b"megaboard:{9f2}:until:1795186800000";
        assert_eq!(key.as_deref(), Some(until));
        assert_eq!(beside(b"n"), None);
    }
}
