//! Long requests are done in steps, so that short ones do not wait for them.
//!
//! Work is counted in units of what returning an entry takes: some 0.2 µs in this process. Before a
//! piece of work [`spend`] is called, which yields to the runtime first if the current step, of
//! [`STEP`] units, has not so much left. A request that needs more than one step is long:
//! for each further one it takes a turn ([`paced`]). Turns are given out by a [`FairQueue`], first by
//! caller, then by board, and not in the order of arrival: a caller with many long requests delays
//! its own. Short requests never wait for a turn.
//!
//! Steps count work, not time, so the same requests are always divided in the same way.

mod fair_queue;
mod step;

pub use fair_queue::{FairQueue, Flow, Turn};
pub use step::{STEP, caller, count, paced, spend};
