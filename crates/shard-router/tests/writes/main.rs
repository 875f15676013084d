//! Writes through the router: outcomes, incarnations of boards, failures, kinds.
//!
//! `stage` has a router over a store, `woven` is a store that lets a test in between its calls.

#![expect(
    clippy::unwrap_used,
    reason = "the exemption for tests leaves out their helpers"
)]

mod a_dead_incarnation_is_followed_by_the_next;
mod batches_act_as_their_writes_one_by_one;
mod boards_take_what_is_in_their_time;
mod failures_are_told_apart;
mod kinds_follow_their_rules;
mod kinds_written_by_many;
mod nothing_rejected_creates_a_board;
mod old_kinds_write_nothing;
mod one_sync_for_all_boards;
mod outcomes_come_in_the_order_asked;
mod published_boards_are_watched;
mod removals_create_no_board;
mod stage;
mod what_closes_takes_nothing_more;
mod woven;
