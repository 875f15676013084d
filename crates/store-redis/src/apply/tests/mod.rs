//! Batches on a real Redis, compared with the engine and with the content of the keys.

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
