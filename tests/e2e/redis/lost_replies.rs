//! Every kind of call loses a request and a reply under load: no client sees an error, and
//! everything counts once.

use std::collections::BTreeMap;

use serde_json::json;
use testkit::dice::{Dice, runs};
use testkit::redis::{FaultProxy, Matching, RedisServer};
use testkit::{Server, eventually};

use super::fixtures::serve;
use crate::audit::{KIND, LIGHT, Ledger, Tally, Versions, under_load};

/// One of at most this many matching requests is lost.
const NTH_MAX: usize = 3;

/// Connections that end in quick succession are reopened with pauses.
const DEADLINES: &str =
    "[redis]\nread_deadline = \"15s\"\nread_wait = \"15s\"\nwrite_wait = \"15s\"\n";

/// Losses at a time.
const AT_ONCE: usize = 4;

/// Two servers, and the number of rounds that they have been through.
struct Rounds<'a> {
    servers: [&'a Server; 2],
    count: usize,
}

impl Rounds<'_> {
    /// Performs all kinds of requests besides those of the writers, and asserts success.
    fn next(&mut self) {
        self.count += 1;
        let kind = format!("t-{}", self.count);
        let [server, other] = self.servers;
        let path = format!("/v1/kinds/{kind}");
        server.put(&path, &json!({})).is(201);
        server.put(&path, &json!({"keep": {"day": "36d"}})).is(200);
        let board = format!("{kind}/b");
        let settings = json!({"shards": 2});
        other.put(format!("/v1/boards/{board}"), &settings).ok();
        other.give(&board, &[("u", 1), ("v", 2)]);
        for server in self.servers {
            let top = server.get(format!("/v1/boards/{board}/top?window=all"));
            assert_eq!(top.ranked().len(), 2, "{top:?}");
            let boards = server.get(format!("/v1/boards?kind={kind}")).ok();
            assert_eq!(boards["boards"].as_array().unwrap().len(), 1, "{boards}");
            server.get(format!("/v1/boards/{board}")).ok();
        }
        other.delete(format!("/v1/boards/{board}/members/u")).ok();
        server.delete(format!("/v1/boards/{board}")).is_empty();
        server.delete(&path).is_empty();
    }
}

/// Returns all kinds of calls of a round, and of a new connection.
fn sorts(proxy: &FaultProxy, rounds: &mut Rounds<'_>) -> Vec<Matching> {
    rounds.next();
    let (commands, functions) = (proxy.commands(), proxy.functions());
    proxy.end_connections();
    rounds.next();
    let often = |now: BTreeMap<String, u64>, before: &BTreeMap<String, u64>| {
        let names = now.into_iter();
        let names = names.filter(|(name, count)| *count > before.get(name).map_or(0, |old| *old));
        names.map(|(name, _)| name).collect::<Vec<_>>()
    };
    let functions = often(proxy.functions(), &functions);
    let commands = often(proxy.commands(), &commands);
    println!("{functions:?} {commands:?}");
    let commands = commands.into_iter().map(Matching::command);
    let functions = functions.into_iter().map(Matching::function);
    functions.chain(commands).collect()
}

#[test]
fn lost_requests_and_replies_cause_no_client_errors() {
    no_client_sees_the_losses("");
}

/// With this additional configuration in `[redis]`.
pub(super) fn no_client_sees_the_losses(setting: &str) {
    let redis = RedisServer::plain();
    let proxy = FaultProxy::before(&redis);
    let config = format!("{DEADLINES}{setting}{KIND}");
    let servers = [(); 2].map(|()| serve(proxy.url(), &config));
    let [server, other] = &servers;
    let mut dice = Dice::of_this_run();
    let mut ledger = Ledger::begin(server);
    let tally = Tally::default();
    let mut ways = dice.split();
    let work = under_load(server, (0, LIGHT), &mut dice, &tally, || {
        let mut rounds = Rounds {
            servers: [server, other],
            count: 0,
        };
        let sorts = sorts(&proxy, &mut rounds);
        let mut losses: Vec<(&Matching, bool)> = sorts
            .iter()
            .flat_map(|sort| [(sort, false), (sort, true)])
            .collect();
        ways.shuffle(&mut losses);
        for losses in losses.chunks(AT_ONCE).take(runs(6, usize::MAX)) {
            println!("{losses:?}");
            for (sort, is_reply) in losses {
                let nth = u64::try_from(1 + ways.below(NTH_MAX)).unwrap();
                if *is_reply {
                    proxy.lose_reply_of(sort, nth);
                } else {
                    proxy.lose_request(sort, nth);
                }
            }
            eventually("all losses have happened", || {
                rounds.next();
                let is_over = proxy.losses_to_come() == 0;
                if !is_over {
                    // Some requests are only sent on a new connection.
                    proxy.end_connections();
                }
                is_over.then_some(())
            });
        }
        println!(
            "{} rounds, {} connections",
            rounds.count,
            proxy.connections_made()
        );
    });
    tally.print();
    tally.assert_nothing_failed();
    Versions::default().add(work.shown);
    ledger.settle(server, work.sent);
    ledger.assert_all_remembered(other);
}
