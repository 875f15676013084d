//! The conformance suite of all stores.
//!
//! Each file has scenarios about one subject of the contract, as functions over an open store
//! ([`fixtures::OpenStore`]). [`conformance_tests!`](crate::conformance_tests) makes a test of each scenario, in the tests of
//! the crate that has the store. What only one store promises is tested there, too.
//!
//! `MEGABOARD_TEST_SEED` repeats a random run, `MEGABOARD_TEST_LONG=1` makes all runs long: each
//! then takes a few minutes at most.

#![expect(missing_docs, reason = "scenarios are described by their names")]
#![expect(
    clippy::unwrap_used,
    reason = "the exemption for tests leaves out their helpers"
)]

pub mod any_kind;
pub mod fixtures;
pub mod twin;
pub mod versions_seen;

pub mod activity_changes;
pub mod batch_deadlines;
pub mod board_activity;
pub mod board_creation;
pub mod board_listing;
pub mod board_settings;
pub mod concurrent_writes;
pub mod contribution_ids;
pub mod deleted_boards;
pub mod dense_ranks;
pub mod idle_boards;
pub mod kind_revisions;
pub mod member_lifetimes;
pub mod profiles;
pub mod random_operations;
pub mod shard_versions;
pub mod sweep_races;
pub mod top_lists;
pub mod window_retention;

/// Makes a test of every scenario, with the stores that a function opens.
#[macro_export]
macro_rules! conformance_tests {
    ($store:ident: $open:path) => {
        mod $store {
            $crate::conformance_tests! { @tests $open;
                activity_changes:
                    calls_with_an_outdated_record_are_refused,
                    a_change_requires_the_current_record, a_change_after_its_deadline_is_not_made,
                    of_concurrent_changes_one_is_made, a_board_expires_by_its_changed_activity;
                batch_deadlines:
                    a_late_batch_is_not_applied, nothing_is_applied_after_the_deadline;
                board_activity:
                    settings_include_the_activity_of_a_board,
                    creating_a_board_requires_its_latest_settings, a_board_expires_after_its_end,
                    a_board_whose_time_is_over_can_be_dropped_at_once,
                    a_board_without_expiry_stays_after_its_end,
                    settings_without_a_board_are_kept_past_the_times_they_name,
                    a_name_is_closed_while_earlier_events_may_arrive,
                    a_name_stays_closed_when_later_boards_end,
                    a_name_is_closed_by_the_current_settings_of_its_kind,
                    an_empty_board_keeps_its_activity;
                board_creation:
                    concurrent_creations_make_one_incarnation,
                    a_created_board_is_returned_as_created;
                board_listing:
                    pages_are_ordered_by_subject, only_created_boards_are_listed,
                    a_prefix_selects_the_subjects_that_begin_with_it;
                board_settings:
                    a_board_is_created_with_its_latest_settings,
                    settings_are_refused_after_creation, settings_are_deleted_with_their_kind,
                    settings_survive_a_change_of_the_kind, settings_survive_a_sweep,
                    settings_expire_without_contributions,
                    a_creation_without_contributions_can_be_withdrawn,
                    an_abandoned_creation_leaves_its_settings;
                concurrent_writes:
                    no_contribution_is_lost_on_one_shard,
                    no_contribution_is_lost_while_a_board_grows, reads_are_consistent_during_writes;
                contribution_ids:
                    an_id_is_remembered_for_exactly_the_dedupe_span,
                    a_rejected_contribution_leaves_no_id, members_do_not_share_ids,
                    ids_outlast_growth, a_span_of_zero_remembers_no_ids;
                deleted_boards:
                    a_deleted_incarnation_is_refused, a_recreated_board_is_another_incarnation,
                    deleting_a_deleted_board_is_not_found;
                dense_ranks:
                    distinct_values_are_counted_over_all_shards,
                    distinct_values_are_exact_after_concurrent_writes,
                    distinct_values_of_dropped_windows_are_forgotten;
                idle_boards:
                    an_idle_board_is_deleted_on_all_shards, a_write_to_one_shard_keeps_all_shards,
                    an_idle_window_is_dropped_and_its_version_increases,
                    a_board_with_its_own_idle_time_is_deleted_with_all_windows,
                    an_idle_time_may_be_given_later, an_idle_board_is_kept_while_ids_are_remembered,
                    boards_without_an_idle_time_are_kept, a_board_is_deleted_with_its_last_window;
                kind_revisions:
                    a_stale_revision_is_refused, kinds_with_boards_are_protected,
                    a_deleted_kind_leaves_a_record, stale_kinds_create_no_boards,
                    stale_kinds_write_to_no_board, the_number_of_kinds_is_limited;
                member_lifetimes:
                    a_standing_that_was_reached_later_stays;
                profiles:
                    the_last_profile_of_a_member_is_returned, the_longest_profiles_fit_into_one_call,
                    profiles_belong_to_one_kind,
                    profiles_are_deleted_with_their_kind, many_profiles_agree_with_a_map;
                random_operations:
                    tiny_boards_agree_with_the_twin, growing_boards_agree_with_the_twin,
                    large_boards_agree_with_the_twin;
                shard_versions:
                    an_unchanged_version_is_returned_without_parts, changes_increase_the_version,
                    a_call_that_changes_nothing_keeps_the_version,
                    equally_many_other_changes_have_another_version,
                    a_call_reads_each_of_its_shards;
                sweep_races:
                    an_idle_window_is_dropped_before_a_racing_write_or_kept,
                    an_idle_board_is_deleted_before_a_racing_write_or_kept,
                    a_board_of_its_own_idle_time_is_deleted_before_a_racing_write_or_kept,
                    no_write_is_lost_while_large_windows_are_dropped;
                top_lists:
                    lists_are_exact_while_standings_rise, lists_are_exact_after_standings_fall,
                    lists_are_refilled_when_their_best_are_removed,
                    a_member_without_a_standing_is_not_unlisted;
                window_retention:
                    a_window_is_dropped_at_its_retention, a_clock_set_back_reopens_no_window,
                    a_window_dropped_on_one_shard_is_closed_on_all;
            }
        }
    };
    (@tests $open:path; $($file:ident: $($scenario:ident),+;)*) => {
        $($(
            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $scenario() {
                $crate::conformance::$file::$scenario($open().await).await;
            }
        )+)*
    };
}
