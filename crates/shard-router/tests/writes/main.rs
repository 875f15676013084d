//! Writes through the router: outcomes, incarnations of boards, failures, kinds.
//!
//! `stage` has a router over a store, `hooked_store` is a store that calls a test before and after its operations.

#![expect(
    clippy::unwrap_used,
    reason = "the exemption for tests leaves out their helpers"
)]

mod batches_equal_single_writes;
mod board_activity;
mod busiest_boards;
mod changed_activity;
mod closing_windows;
mod concurrent_kind_writes;
mod deleted_boards;
mod kind_changes;
mod lifetimes;
mod one_sync_for_all_boards;
mod outcomes_are_in_order;
mod published_boards_are_watched;
mod rejected_writes_create_no_board;
mod removals_create_no_board;
mod replaced_kinds;
mod stage;
mod unavailable_and_unknown;
mod waiting_writes;
