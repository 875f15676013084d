//! Names of keys that are the nodes' own, and how a key's slot is in its name.
//!
//! Every key begins with `megaboard:` and its hash tag. The keys of a store that there is one of, whatever boards it
//! has, have the tag `registry`.

use bytes::Bytes;

use crate::tags::slot_of;

/// The tag of keys that a store has one of.
const REGISTRY: &str = "registry";

/// The slot of these keys.
pub(crate) fn registry_slot() -> u16 {
    slot_of(REGISTRY.as_bytes())
}

/// A key that a store has one of: `megaboard:{registry}:NAME`.
#[must_use]
pub fn registry(name: &str) -> Bytes {
    Bytes::from(format!("megaboard:{{{REGISTRY}}}:{name}"))
}

/// A key in the slot of one of ours that ends at this time, in milliseconds: `megaboard:{TAG}:until:MS`. `None` for a
/// key that is not ours.
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
    fn an_end_lies_beside_the_key_that_it_is_for() {
        let beside = |key: &[u8]| super::until(key, 1_795_186_800_000);
        let key = beside(b"megaboard:{9f2}:gifts/a}:b:00000000000000ff:3:meta");
        let until: &[u8] = b"megaboard:{9f2}:until:1795186800000";
        assert_eq!(key.as_deref(), Some(until));
        assert_eq!(beside(b"n"), None);
    }
}
