//! [`PublicKinds`]: the kinds whose boards are read without a key.

/// The kinds whose boards are read without a key. Neither call waits.
pub trait PublicKinds {
    /// Returns whether this kind exists and is public.
    fn contains(&self, kind: &str) -> bool;

    /// Returns whether any kind is public.
    fn any(&self) -> bool;
}
