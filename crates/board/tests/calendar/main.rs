//! Properties of windows, held against a naive twin.

#![expect(
    clippy::unwrap_used,
    reason = "the exemption for tests leaves out their helpers"
)]

mod naive;
mod windows;
