//! Reads over many shards: held against a plain sort, counted, raced with writes, and made to fail.
//!
//! `stage` sets a board up, `twin` is the plain sort that it has to agree with, `woven` is a store
//! that lets a test in between its calls.

#![expect(
    clippy::unwrap_used,
    reason = "the exemption for tests leaves out their helpers"
)]

mod a_changed_kind_is_shown;
mod a_deleted_board_is_gone;
mod a_failing_store_is_bridged;
mod a_list_ends_where_it_says;
mod a_shard_never_goes_back;
mod agree;
mod any_page_of_a_million;
mod boards_end;
mod fresh_sees_what_was_applied;
mod hidden_members;
mod kinds;
mod many_are_looked_up_at_a_bounded_price;
mod members_of_a_million;
mod million;
mod one_merge_serves_all;
mod price;
mod price_of_a_page;
mod price_of_a_rank;
mod price_of_a_top;
mod price_of_uneven_boards;
mod racing_writes;
mod random;
mod servers_share_merges;
mod shared;
mod sharing_may_fail;
mod small_boards;
mod stage;
mod the_cache_has_a_limit;
mod trimmed;
mod twin;
mod values_of_a_million;
mod versions_are_one_board_everywhere;
mod windows_close;
mod woven;
mod writes_between_rounds;
