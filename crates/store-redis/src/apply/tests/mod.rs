//! Batches on a real Redis, held against the engine and against what stands in the keys.

mod applier;
mod calls;
mod ids;
mod lanes;
mod late_deletion;
mod model;
mod other_clients;
mod script_free;
mod small;
mod story;
mod unsent;
mod windows;
