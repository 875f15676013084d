//! What the figures and the criterion benches share.
//!
//! `sample` is the board that is measured, `contributions` are those that are sent, `redis` is the peer, `load` the one client loop that asks
//! every server the same way. `child` runs servers, `process` reads what they take, `figures` turns
//! rounds into medians and ratios.
//!
//! A figure is taken beside its peer's, in the same run, round by round in turn, so that a noisy
//! machine is noisy to both. What is compared is the ratio.

pub mod child;
pub mod contributions;
pub mod figures;
pub mod http;
pub mod load;
pub mod process;
pub mod random;
pub mod redis;
pub mod resp;
pub mod sample;
