//! The guarantees of the local store for its folder: it loses nothing, and reports nothing false.
//!
//! Each scenario file stops a store in its own way, opens it again, and compares the contents with
//! what may be there. The disk that crashes, fails and fills up is `disk::fixtures`;
//! `audit` drives a store and knows the worlds that its replies leave possible; `world` and `op`
//! are the parts of that.
//!
//! `MEGABOARD_TEST_SEED` repeats a random run, `MEGABOARD_TEST_LONG=1` makes all of them long: each
//! then takes at most a few minutes.

mod audit;
mod durable;
mod op;
mod script;
mod seen;
mod world;

mod answers_wait;
mod clocks_that_jump;
mod concurrent_writers;
mod damaged_files;
mod each_failure_in_turn;
mod folder_lock;
mod full_disk;
mod hidden_members;
mod kills_at_every_operation;
mod kinds_change_during_a_snapshot;
mod random_runs;
mod replay;
mod snapshots_prove_the_journal;
mod sweeps_that_fail;
mod withdrawn_creations;
mod writes_during_a_snapshot;
