//! What every store has to pass.
//!
//! Each file holds scenarios about one promise of the contract, as functions over an open store
//! ([`fixtures::OpenStore`]); [`hold!`] makes a test of each for one store, in the tests of the crate that has the
//! store. What only one store promises is tested there, too.
//!
//! `MEGABOARD_TEST_SEED` repeats a random run, `MEGABOARD_TEST_LONG=1` makes all of them long: each then takes a few
//! minutes at most.

#![expect(missing_docs, reason = "the name of a scenario says what has to hold")]
#![expect(
    clippy::unwrap_used,
    reason = "the exemption for tests leaves out their helpers"
)]

pub mod any_kind;
pub mod fixtures;
pub mod twin;
pub mod versions_seen;

pub mod answers_agree_with_a_naive_twin;
pub mod boards_are_created_once;
pub mod boards_are_listed_by_subject;
pub mod boards_have_their_time;
pub mod closings_hold;
pub mod contributions_survive_a_crowd;
pub mod dropped_windows_stay_closed;
pub mod idle_boards_go;
pub mod ids_count_once_within_their_span;
pub mod kinds_change_by_revision;
pub mod lists_keep_their_best;
pub mod settings_hold_until_creation;
pub mod the_dead_stay_dead;
pub mod the_sweep_loses_no_write;
pub mod versions_name_their_content;

/// Makes a test of every scenario, on the stores that a function opens.
#[macro_export]
macro_rules! hold {
    ($store:ident: $open:path) => {
        mod $store {
            $crate::hold! { @tests $open;
                answers_agree_with_a_naive_twin:
                    tiny_boards_agree, growing_boards_agree, large_boards_agree;
                boards_are_created_once:
                    concurrent_creations_make_one_incarnation, a_created_board_is_found_as_it_is;
                boards_are_listed_by_subject:
                    pages_follow_the_subjects, only_created_boards_are_listed;
                boards_have_their_time:
                    settings_keep_the_time_of_a_board, nobody_creates_a_board_whose_time_it_has_not_seen,
                    a_board_goes_when_its_time_is_over, a_board_without_expiry_stays_after_its_end,
                    uncreated_settings_outlast_the_time_that_they_name,
                    a_name_is_closed_as_long_as_something_from_before_may_come,
                    a_name_stays_closed_whatever_becomes_of_its_boards,
                    a_name_is_closed_by_its_kind_as_it_is_now,
                    a_board_that_holds_nothing_keeps_its_time;
                closings_hold:
                    what_is_late_is_not_applied, nothing_is_applied_behind_a_closing;
                contributions_survive_a_crowd:
                    none_is_lost_on_one_shard, none_is_lost_while_a_board_grows,
                    readings_are_whole_while_others_write;
                dropped_windows_stay_closed:
                    a_window_goes_at_its_retention, a_stepping_clock_brings_no_window_back,
                    a_window_dropped_on_one_shard_is_closed_on_all;
                ids_count_once_within_their_span:
                    an_id_counts_for_exactly_the_span, a_refused_contribution_leaves_no_id,
                    members_do_not_share_ids, ids_outlast_growth, no_span_remembers_nothing;
                idle_boards_go:
                    an_idle_board_goes_whole, a_write_keeps_every_shard,
                    an_idle_window_goes_and_its_version_stays, boards_without_idle_stay,
                    an_emptied_board_goes_with_its_last_window;
                kinds_change_by_revision:
                    a_stale_revision_is_refused, kinds_with_boards_are_protected,
                    a_deleted_kind_leaves_a_record, stale_kinds_create_no_boards,
                    stale_kinds_write_to_no_board, no_more_kinds_are_kept_than_the_limit;
                lists_keep_their_best:
                    lists_that_grow_are_exact, lists_heal_when_standings_fall, lists_outlast_their_best,
                    nobody_is_off_a_list_without_a_standing;
                settings_hold_until_creation:
                    the_last_settings_count_at_the_creation, settings_are_refused_after_creation,
                    settings_go_with_their_kind, settings_outlast_a_change_of_the_kind, settings_outlast_a_sweep,
                    settings_go_when_nobody_contributes, a_creation_that_came_to_nothing_is_withdrawn,
                    a_creation_that_nobody_withdraws_leaves_its_settings;
                the_dead_stay_dead:
                    a_dead_incarnation_is_refused, a_board_created_again_is_another_board, no_board_is_deleted_twice;
                the_sweep_loses_no_write:
                    an_idle_window_goes_before_a_write_or_stays,
                    an_idle_board_goes_before_a_write_or_stays,
                    a_crowd_writes_while_large_windows_go;
                versions_name_their_content:
                    an_unchanged_version_answers_without_parts, changes_count_up,
                    what_changes_nothing_keeps_the_version, as_many_other_changes_are_another_version;
            }
        }
    };
    (@tests $open:path; $($file:ident: $($scenario:ident),+;)*) => {
        $($(
            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $scenario() {
                $crate::$file::$scenario($open().await).await;
            }
        )+)*
    };
}
