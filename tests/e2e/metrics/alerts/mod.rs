//! Every alert fires in the situation that it is about: servers are driven into it, and Prometheus's own `promtool`
//! evaluates the rules of `deploy/prometheus` on what they exposed before and after ([`promtool`]).
//!
//! Each test leads into a situation and names the alerts that fire there. `every_alert_is_tested` compares them with
//! the rules.

mod embedded;
mod on_redis;
mod promtool;
mod service;

use std::collections::BTreeSet;

use promtool::Story;

/// Defines a test for each situation, and the list of all alerts that they name.
macro_rules! situations {
    ($($module:ident::$name:ident: [$($alert:literal),+],)*) => {
        $(
            #[test]
            fn $name() {
                $module::$name().fires(&[$($alert),+]);
            }
        )*

        const TESTED: &[&str] = &[$($($alert),+),*];
    };
}

situations! {
    service::a_server_that_does_not_respond: ["MegaboardDown"],
    service::no_server_at_all: ["MegaboardGone"],
    service::a_server_that_restarts_again_and_again: ["MegaboardRestarts"],
    service::a_server_with_too_many_requests: ["MegaboardOverloaded"],
    service::someone_guesses_keys: ["MegaboardKeysGuessed"],
    service::a_client_that_contributes_to_an_unknown_kind: ["MegaboardContributionsRejected"],
    service::a_server_whose_memory_is_full: ["MegaboardMemoryNearLimit", "MegaboardMemoryFull"],
    service::a_server_with_many_connections: ["MegaboardFilesNearLimit"],
    service::a_server_with_many_streams: ["MegaboardStreamsNearLimit"],
    service::a_publish_target_that_is_away: ["MegaboardPublishTargetAway"],
    embedded::a_full_disk: ["MegaboardJournalRefuses", "MegaboardSnapshotsFail", "MegaboardJournalLong", "MegaboardContributionsFail"],
    embedded::a_slow_disk: ["MegaboardSyncsSlow"],
    embedded::members_that_all_belong_to_one_shard: ["MegaboardShardsSkewed"],
    embedded::many_remembered_ids: ["MegaboardIdsNearLimit"],
    on_redis::a_redis_that_is_gone: ["MegaboardNotReady", "MegaboardServerErrors", "MegaboardContributionsFail", "MegaboardTopsStale", "MegaboardMergesFail", "MegaboardRedisNodeDown"],
    on_redis::a_redis_that_hangs: ["MegaboardClientsGiveUp", "MegaboardWritesSlow", "MegaboardTopsSlow", "MegaboardRedisCallsLost"],
    on_redis::a_redis_that_ends_connections: ["MegaboardRedisReconnects"],
    on_redis::a_clock_that_is_wrong: ["MegaboardRedisClockSkew"],
    on_redis::a_shard_with_many_ids: ["MegaboardRedisIdsNearLimit"],
}

#[test]
fn every_alert_is_tested() {
    let tested: BTreeSet<&str> = TESTED.iter().copied().collect();
    assert_eq!(tested, promtool::alerts().into_iter().collect());
}

#[test]
fn no_alert_fires_while_servers_on_a_folder_and_on_redis_are_healthy() {
    embedded::a_healthy_server().fires_nothing();
    on_redis::a_healthy_server().fires_nothing();
}

#[test]
fn every_panel_shows_something() {
    let all = embedded::a_healthy_server().with(on_redis::a_healthy_server());
    all.fills_all_panels();
}
