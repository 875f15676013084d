//! Reads over many shards: compared with a plain sort, counted, raced with writes, and made to fail.
//!
//! `stage` sets a board up, `twin` is the plain sort that reads have to agree with (`agree`), `hooked_store` is a store
//! that calls a test before and after its reads.

#![expect(
    clippy::unwrap_used,
    reason = "the exemption for tests leaves out their helpers"
)]

mod a_changed_kind_is_shown;
mod a_deleted_board_is_gone;
mod a_version_is_one_board;
mod agree;
mod any_page_of_a_million;
mod boards_end;
mod fresh_sees_what_was_applied;
mod hidden_members;
mod kinds;
mod long_reads;
mod members_of_a_million;
mod million;
mod one_merge_serves_all;
mod price;
mod price_of_a_lookup;
mod price_of_a_page;
mod price_of_a_rank;
mod price_of_a_top;
mod price_of_uneven_boards;
mod racing_writes;
mod random;
mod servers_share_merges;
mod shared;
mod sharing_may_fail;
mod slices;
mod small_boards;
mod stage;
mod the_cache_has_a_limit;
mod top_lists;
mod tops_are_served_again;
mod trimmed;
mod twin;
mod unavailable_stores;
mod values_of_a_million;
mod versions_never_go_back;
mod windows_close;
mod writes_between_rounds;
