//! The flights on all forms of Redis: the boards are the same after a restart of the server and of
//! Redis, and the flights are remembered.

use testkit::redis::{Fsync, RedisCluster, RedisOptions, RedisSentinels, RedisServer};
use testkit::{cli, eventually};

use super::fixtures::serve;
use crate::flights::{check, config, imported, tags};

/// Redis that persists every write.
fn kept() -> RedisOptions {
    RedisOptions::new().append_only(Fsync::EverySecond)
}

fn end_and_start(server: &RedisServer) {
    server.stop();
    server.start();
}

#[track_caller]
fn test_restarts(url: &str, end_and_start_redis: impl FnOnce()) {
    let server = serve(url, &config());
    imported(&server, |whole| [whole, 0]);
    check(&server);
    let before = tags(&server);
    let server = server.stop().start();
    for (path, _, tag) in &before {
        let response = server.get_with(path, &[("if-none-match", tag)]);
        assert_eq!(response.status, 304, "{path}");
    }
    end_and_start_redis();
    eventually("the server has its whole store again", || {
        let mut paths = before.iter().map(|(path, ..)| path);
        paths
            .all(|path| server.get(path).status == 200)
            .then_some(())
    });
    check(&server);
    for (before, after) in before.iter().zip(tags(&server)) {
        assert!(before.1 != after.1 && before.2 != after.2, "{after:?}");
    }
    imported(&server, |whole| [0, whole]);
    check(&server);
    let run = cli::run(&["verify", "--store", url], b"");
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    assert!(run.stdout.ends_with(" 0 disagreements\n"), "{run:?}");
}

#[test]
fn on_one_server() {
    let redis = RedisServer::with(&kept());
    test_restarts(&redis.url(), || end_and_start(&redis));
}

#[test]
fn on_independent_servers() {
    testkit::sampled!(on_independent_servers);
    let servers = [(); 3].map(|()| RedisServer::with(&kept()));
    let addresses = servers
        .each_ref()
        .map(|server| server.address().to_string());
    test_restarts(&format!("redis://{}", addresses.join(",")), || {
        servers.iter().for_each(end_and_start);
    });
}

#[test]
fn on_a_cluster() {
    testkit::sampled!(on_a_cluster);
    let cluster = RedisCluster::start(3, 0, &kept());
    test_restarts(&cluster.url(), || {
        for node in cluster.nodes() {
            end_and_start(&node);
        }
        cluster.wait_until_settled();
    });
}

#[test]
fn under_sentinels() {
    testkit::sampled!(under_sentinels);
    let sentinels = RedisSentinels::start(1, &kept());
    test_restarts(&sentinels.url(), || {
        // A short or a long outage: the primary restarts with its data, or its replica takes over
        // with the same data.
        end_and_start(&sentinels.primary());
        sentinels.wait_until_known();
    });
}
