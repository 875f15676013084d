//! Situations of the embedded store: its disk, its boards in memory.

use serde_json::{Value, json};
use testkit::redis::RedisOptions;
use testkit::{BadDisk, Exposition, Launch, Server, eventually, ndjson};

use super::Story;
use super::promtool::scrape_until;
use crate::redis::serve;

/// A kind with few shards, for boards that are large with few members.
const FOUR_SHARDS: &str = "[kinds.k]\nwindows = [\"all\"]\nshards = 4\n";

/// Of four shards, one gets at least 400 of these.
const MEMBERS: usize = 2_500;

fn items(members: impl Iterator<Item = String>) -> String {
    let item = |member: String| json!({"board": "k/a", "member": member, "points": 1});
    ndjson(&members.map(item).collect::<Vec<Value>>())
}

/// A server that has published a board and taken a snapshot.
pub(super) fn a_healthy_server() -> Story {
    let readers = RedisOptions::new().start();
    let server = Server::durable(&format!(
        "{FOUR_SHARDS}publish = {{ target = \"readers\", key = \"k:{{subject}}\" }}\n\
         [publish.targets.readers]\nurl = \"{}\"\n[embedded]\nsnapshot_after_bytes = 65536\n",
        readers.url()
    ));
    let work = |round: usize| {
        for request in 0..8 {
            let member = |n: usize| format!("{round} {request} {n}");
            server.lines(&items((0..1000).map(member))).ok();
        }
        server.get("/v1/boards/k/a/top").ok();
        let published = (
            "megaboard_publish_tries_total",
            &[("result", "published")][..],
            0.5,
        );
        let taken = ("megaboard_snapshot_last_timestamp_seconds", &[][..], 0.5);
        scrape_until(&server, &[published, taken])
    };
    let before = work(0);
    Story::goes_on(before, work(1))
}

pub(super) fn a_full_disk() -> Story {
    let disk = BadDisk::new();
    let config = format!("{FOUR_SHARDS}[embedded]\nsnapshot_after_bytes = 65536\n");
    let server = disk.apply_to(Launch::on_a_free_port(&config)).start();
    server.give("k/a", &[("u", 1)]);
    let before = Exposition::of(&server);
    disk.fill();
    // All that is reserved is 8 MiB, in which long names do not last for long.
    let mut request = 0;
    eventually("no contribution is accepted", || {
        request += 1;
        let member = |n: usize| format!("{request} {n:0>120}");
        let receipt = server.lines(&items((0..1000).map(member))).value();
        (receipt["applied"] == 0).then_some(())
    });
    server.get("/readyz").ok();
    let failed = ("megaboard_snapshot_failures_total", &[][..], 0.5);
    let refusing = ("megaboard_journal_refusing", &[][..], 0.5);
    Story::goes_on(before, scrape_until(&server, &[failed, refusing]))
}

pub(super) fn a_slow_disk() -> Story {
    let disk = BadDisk::new();
    let server = disk.apply_to(Launch::on_a_free_port("")).start();
    let before = Exposition::of(&server);
    disk.slow_down();
    server.give("gifts/a", &[("u", 1)]);
    Story::goes_on(before, Exposition::of(&server))
}

pub(super) fn members_that_all_belong_to_one_shard() -> Story {
    let server = Server::durable(FOUR_SHARDS);
    let before = Exposition::of(&server);
    let members = members_of_a_shard();
    assert!(members.len() >= 400, "{}", members.len());
    server.lines(&items(members.into_iter())).ok();
    let skewed = ("megaboard_store_shard_skew_max_ratio", &[][..], 2.0);
    Story::goes_on(before, scrape_until(&server, &[skewed]))
}

/// Returns the members of one shard of four: on Redis, the fields of a hash.
fn members_of_a_shard() -> Vec<String> {
    let redis = RedisOptions::new().start();
    let server = serve(&redis.url(), FOUR_SHARDS);
    let names: Vec<String> = (0..MEMBERS).map(|n| format!("m{n}")).collect();
    server.lines(&items(names.iter().cloned())).ok();
    let keys = redis.command(&["KEYS", "megaboard:*:all:scores"]);
    let mut shards = keys.items().iter().map(|key| {
        let fields = redis.command(&["HKEYS", key.text()]);
        let fields = fields.items().iter().map(|field| field.text().to_owned());
        fields
            .filter(|field| names.contains(field))
            .collect::<Vec<_>>()
    });
    shards.find(|members| members.len() >= 400).unwrap()
}

pub(super) fn many_remembered_ids() -> Story {
    let server = Server::durable("[server.limits]\nremembered_id_bytes = 2000000\n");
    let before = Exposition::of(&server);
    let mut number = 0;
    eventually("ids are refused", || {
        number += 1;
        // Of many boards, as memory is taken in steps for each.
        let item = |n: usize| {
            let id = format!("{number} {n}");
            json!({"board": format!("gifts/{}", n % 20), "member": "u", "points": 1, "id": id})
        };
        let items: Vec<Value> = (0..1000).map(item).collect();
        let receipt = server.lines(&ndjson(&items)).value();
        (receipt["failed_count"] != 0).then_some(())
    });
    let used = ("megaboard_store_remembered_id_bytes", &[][..], 1_800_000.0);
    Story::goes_on(before, scrape_until(&server, &[used]))
}
