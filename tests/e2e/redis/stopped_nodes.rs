//! A paused node: boards on other nodes are not affected, those on it are unavailable, and all
//! works again when it is resumed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::dice::Dice;
use testkit::redis::{RedisCluster, RedisOptions, RedisServer};
use testkit::{Server, eventually};

use super::fixtures::{keys, serve};
use crate::audit::{KIND, LIGHT, Ledger, Tally, Versions, under_load};

/// Boards with one shard, so that each is on one node.
const SMALL: &str = "[kinds.small]\nwindows = [\"all\"]\nshards = 1\n";

/// Shorter than the defaults.
const DEADLINES: &str = "[redis]\nwrite_deadline = \"5s\"\nread_deadline = \"2s\"\n";

/// Enough that every node has some of them.
const BOARDS: usize = 24;

/// Writes to boards on other nodes, each with a read, in a measurement.
const CALLS: u32 = 20;

/// If each call waited for the paused node, it would be 20 times 2 s.
const SLACK: Duration = Duration::from_secs(10);

/// The small boards on a node, and on the others.
struct Boards {
    there: Vec<String>,
    elsewhere: Vec<String>,
}

impl Boards {
    fn of(server: &Server, node: &RedisServer) -> Self {
        let names = (0..BOARDS).map(|number| format!("small/b{number}."));
        let (there, elsewhere) = names
            .inspect(|board| server.give(board, &[("u", 1)]))
            .partition(|board| !keys(node, &format!(":{board}:")).is_empty());
        let boards = Self { there, elsewhere };
        assert!(!boards.there.is_empty() && !boards.elsewhere.is_empty());
        boards
    }

    /// Writes to and reads from the boards on other nodes, which must succeed.
    fn use_elsewhere(&self, server: &Server) -> Duration {
        let begun = Instant::now();
        for (_, board) in (0..CALLS).zip(self.elsewhere.iter().cycle()) {
            server.give(board, &[("u", 1)]);
            let top = format!("/v1/boards/{board}/top?fresh=true");
            assert_eq!(server.get(top).ranked().len(), 1);
        }
        begun.elapsed()
    }
}

/// Asserts that fresh reads of a board on the node are refused, and other reads are stale.
fn assert_unavailable(server: &Server, board: &str, before: &serde_json::Value) {
    let fresh = server.get(format!("/v1/boards/{board}/top?fresh=true"));
    fresh.problem(503, "unavailable", &[]);
    assert!(fresh.header("retry-after").parse::<u32>().unwrap() > 0);
    let shown = server.get(format!("/v1/boards/{board}/top")).ok();
    assert_eq!(shown["stale"], json!(true), "{shown}");
    for part in ["entries", "version", "as_of"] {
        assert_eq!(shown[part], before[part], "{shown}");
    }
}

fn test_pause(server: &Server, round: usize, node: &RedisServer, ledger: &mut Ledger) {
    let boards = Boards::of(server, node);
    let before = boards.use_elsewhere(server);
    let board = &boards.there[0];
    let shown = server
        .get(format!("/v1/boards/{board}/top?fresh=true"))
        .ok();
    let tally = Tally::default();
    let work = under_load(
        server,
        (round, LIGHT),
        &mut Dice::of_this_run(),
        &tally,
        || {
            tally.wait_for_responses(10);
            node.pause();
            let meanwhile = boards.use_elsewhere(server);
            println!("{CALLS} writes and reads elsewhere: {before:?}, meanwhile {meanwhile:?}");
            assert!(meanwhile <= 10 * before + SLACK);
            assert_unavailable(server, board, &shown);
            let address = node.address().to_string();
            let ready = server.get("/readyz");
            ready.problem(503, "unavailable", &[&address]);
            let meanwhile = boards.use_elsewhere(server);
            assert!(meanwhile <= 10 * before + SLACK);
            node.resume();
            eventually("the server is ready", || {
                (server.get("/readyz").status == 200).then_some(())
            });
            tally.wait_for_responses(10);
        },
    );
    tally.print();
    let fresh = server
        .get(format!("/v1/boards/{board}/top?fresh=true"))
        .ok();
    assert!(fresh.get("stale").is_none(), "{fresh}");
    Versions::default().add(work.shown);
    ledger.settle(server, work.sent);
}

#[test]
fn a_paused_server_of_three_affects_only_its_own_boards() {
    let nodes = [(); 3].map(|()| RedisServer::plain());
    let addresses = nodes.each_ref().map(|node| node.address().to_string());
    let store = format!("redis://{}", addresses.join(","));
    let server = serve(&store, &format!("{DEADLINES}{KIND}{SMALL}"));
    let mut ledger = Ledger::begin(&server);
    // The first node has the registry.
    for (round, node) in [&nodes[1], &nodes[0]].into_iter().enumerate() {
        test_pause(&server, round, node, &mut ledger);
    }
    ledger.assert_all_remembered(&server);
}

#[test]
fn a_paused_primary_of_a_cluster_affects_only_its_own_boards() {
    let options = RedisOptions::new().config("cluster-require-full-coverage no");
    let cluster = RedisCluster::start(3, 0, &options);
    let server = serve(&cluster.url(), &format!("{DEADLINES}{KIND}{SMALL}"));
    let mut ledger = Ledger::begin(&server);
    let node: Arc<RedisServer> = cluster.primary_of(0);
    test_pause(&server, 0, &node, &mut ledger);
    ledger.assert_all_remembered(&server);
}
