//! Situations of a server on Redis: the node, its clock, its connections.

use std::thread;

use serde_json::{Value, json};
use testkit::clock::WrongClock;
use testkit::redis::RedisOptions;
use testkit::{Exposition, Server, eventually, ndjson};

use super::Story;
use super::promtool::scrape_until;
use crate::redis::{launch, serve};

const KIND: &str = "[redis]\nids_per_shard_max = 100\nwrite_deadline = \"3s\"\n\
    [kinds.k]\nwindows = [\"all\"]\nshards = 1\nmax_staleness = \"0s\"\ndedupe = \"1h\"\n";

const TOP: &str = "/v1/boards/k/a/top";

/// More than there may be in a quarter of an hour.
const RECONNECTS: u32 = 7;

pub(super) fn a_healthy_server() -> Story {
    let redis = RedisOptions::new().start();
    let server = serve(&redis.url(), KIND);
    let work = |number: usize| {
        server.give("k/a", &[(&format!("u{number}"), 1)]);
        server.get(TOP).ok();
    };
    work(0);
    let before = Exposition::of(&server);
    work(1);
    Story::goes_on(before, Exposition::of(&server))
}

pub(super) fn a_redis_that_is_gone() -> Story {
    let redis = RedisOptions::new().start();
    let server = serve(&redis.url(), KIND);
    server.give("k/a", &[("u", 1)]);
    server.get(TOP).ok();
    let before = Exposition::of(&server);
    redis.kill();
    let stale = ("megaboard_top_reads_total", &[("result", "stale")][..], 0.5);
    let failed = ("megaboard_merge_failures_total", &[][..], 0.5);
    eventually("reads and writes fail", || {
        let refused = contribute(&server) == 503;
        server.get(TOP);
        (refused && server.get(format!("{TOP}?fresh=true")).status == 503).then_some(())
    });
    Story::goes_on(before, scrape_until(&server, &[stale, failed]))
}

pub(super) fn a_redis_that_hangs() -> Story {
    let redis = RedisOptions::new().start();
    let server = serve(&redis.url(), KIND);
    server.give("k/a", &[("u", 1)]);
    server.get(TOP).ok();
    let before = Exposition::of(&server);
    redis.pause();
    let fresh = format!("{TOP}?fresh=true");
    thread::scope(|scope| {
        let write = scope.spawn(|| contribute(&server));
        let read = scope.spawn(|| server.get(&fresh).status);
        scrape_until(&server, &[("megaboard_redis_calls_under_way", &[], 0.5)]);
        give_up(&server, &fresh);
        assert_eq!([write.join().unwrap(), read.join().unwrap()], [503, 503]);
    });
    redis.kill();
    let lost = ("megaboard_redis_calls_total", &[("end", "lost")][..], 0.5);
    Story::goes_on(before, scrape_until(&server, &[lost]))
}

fn contribute(server: &Server) -> u16 {
    let one = json!({"board": "k/a", "member": "u", "points": 1});
    server.contribute(&one).status
}

/// Sends requests and disconnects before they are answered, until one is counted.
fn give_up(server: &Server, path: &str) {
    eventually("a client that gave up is counted", || {
        let mut wire = server.wire();
        wire.write(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n"));
        drop(wire);
        let gone =
            Exposition::of(server).sum("megaboard_http_requests_total", &[("status", "gone")]);
        (gone > 0.5).then_some(())
    });
}

pub(super) fn a_redis_that_ends_connections() -> Story {
    let redis = RedisOptions::new().start();
    let server = serve(&redis.url(), KIND);
    let before = Exposition::of(&server);
    let mut after = None;
    for ended in 1..=RECONNECTS {
        redis.command(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]);
        let made = (
            "megaboard_redis_connections_total",
            &[][..],
            f64::from(ended) + 0.5,
        );
        after = Some(scrape_until(&server, &[made]));
    }
    Story::stays(vec![Some(before), after])
}

pub(super) fn a_clock_that_is_wrong() -> Story {
    let redis = RedisOptions::new().start();
    let clock = WrongClock::off_by("-15s");
    let server = clock.apply_to(launch(&redis.url(), KIND)).start();
    let before = Exposition::of(&server);
    let skew = |scrape: &Exposition| scrape.sum("megaboard_redis_clock_skew_seconds", &[]);
    let after = eventually("the skew is measured", || {
        let scrape = Exposition::of(&server);
        (skew(&scrape) < -14.0).then_some(scrape)
    });
    Story::goes_on(before, after)
}

pub(super) fn a_shard_with_many_ids() -> Story {
    let redis = RedisOptions::new().start();
    let server = serve(&redis.url(), KIND);
    let before = Exposition::of(&server);
    let item = |n: usize| json!({"board": "k/a", "member": "u", "points": 1, "id": n.to_string()});
    let items: Vec<Value> = (0..95).map(item).collect();
    server.lines(&ndjson(&items)).ok();
    let full = ("megaboard_redis_shard_remembered_ids_max", &[][..], 90.0);
    Story::goes_on(before, scrape_until(&server, &[full]))
}
