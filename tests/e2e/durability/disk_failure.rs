//! A disk that fails under load: no write is accepted any more, reads continue, and a restart finds
//! what was answered.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use serde_json::{Value, json};
use testkit::dice::Dice;
use testkit::{Launch, Response, Server, cli, ndjson};

const CONFIG: &str = "[kinds.k]\nwindows = [\"day\", \"all\"]\nkeep = { day = \"forever\" }\n\
                      shards = 4\ndedupe = \"7d\"\n";

/// 2023-11-14T00:00:01Z.
const AT_MS: i64 = 1_699_920_001_000;

const WINDOWS: [&str; 2] = ["day:2023-11-14", "all"];

/// The 8 MiB that a journal allocates ahead, and half of the step that follows 1 MiB of records.
const FILE_BYTES_MAX: u64 = (8 << 20) + (512 << 10);

/// The longest name, so that the journal grows fast.
const MEMBER_BYTES: usize = 128;

/// Enough that some writers are waiting for their response when the disk fails.
const WRITERS: usize = 12;

const BATCH_MAX: usize = 100;

/// The maximum number of requests of a writer, with 50 contributions on average: far more than fit.
const REQUESTS_MAX: usize = 1000;

/// A contribution with a unique member and id.
#[derive(Debug, Clone)]
struct Gift {
    member: String,
    points: i64,
}

impl Gift {
    fn json(&self) -> Value {
        let id = format!("id of {}", self.member.trim_end_matches('.'));
        json!({"board": "k/a", "member": self.member, "points": self.points, "at": AT_MS, "id": id})
    }
}

/// The reported outcome of a contribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reported {
    Applied,
    Unavailable,
    Unknown,
}

type Sent = Vec<(Gift, Reported)>;

/// Points by member.
type Standings = BTreeMap<String, i64>;

/// Returns the standings of the gifts with this outcome.
fn reported(sent: &Sent, what: Reported) -> Standings {
    let those = sent.iter().filter(|(_, reported)| *reported == what);
    those
        .map(|(gift, _)| (gift.member.clone(), gift.points))
        .collect()
}

/// Sends one gift as JSON, or several as lines. Returns the outcome of each.
fn send(server: &Server, gifts: &[Gift]) -> Vec<Reported> {
    let items: Vec<Value> = gifts.iter().map(Gift::json).collect();
    let response = match &items[..] {
        [item] => server.contribute(item),
        items => server.lines(&ndjson(items)),
    };
    let receipt = response.value();
    let mut all = vec![Reported::Applied; gifts.len()];
    let failed = receipt["failed"].as_array().unwrap();
    for item in failed {
        let index = usize::try_from(item["index"].as_u64().unwrap()).unwrap();
        let of_type = match item["type"].as_str() {
            Some("unavailable") => Reported::Unavailable,
            Some("unknown") => Reported::Unknown,
            _ => panic!("{item}"),
        };
        let before = std::mem::replace(&mut all[index], of_type);
        assert_eq!(
            before,
            Reported::Applied,
            "{index} is reported twice: {receipt}"
        );
    }
    assert_eq!(receipt["failed_count"], failed.len(), "{receipt}");
    assert_eq!(receipt["applied"], gifts.len() - failed.len(), "{receipt}");
    if failed.len() < gifts.len() {
        response.ok();
    } else if all.contains(&Reported::Unknown) {
        assert_refused(&response, "unknown");
    } else {
        assert_refused(&response, "unavailable");
    }
    all
}

/// Asserts a 503 of this type, with a `Retry-After`, that reports the failed journal.
fn assert_refused(response: &Response, word: &str) {
    response.problem(503, word, &["the journal has failed"]);
    let seconds: u32 = response.header("retry-after").parse().unwrap();
    assert!(seconds > 0);
}

/// Writes until something fails.
fn write(server: &Server, writer: usize, mut dice: Dice) -> Sent {
    let mut sent = Sent::new();
    for _ in 0..REQUESTS_MAX {
        let count = 1 + dice.below(2) * dice.below(BATCH_MAX);
        let gifts: Vec<Gift> = (sent.len()..sent.len() + count)
            .map(|number| Gift {
                member: format!("{:.<MEMBER_BYTES$}", format!("w{writer}-{number}")),
                points: i64::try_from(1 + dice.below(1000)).unwrap(),
            })
            .collect();
        let all = send(server, &gifts);
        let failed = all.iter().any(|reported| *reported != Reported::Applied);
        sent.extend(gifts.into_iter().zip(all));
        if failed {
            return sent;
        }
    }
    panic!("the journal did not fail");
}

/// Returns all members of the board, whose standings must be equal in its windows.
fn shown(server: &Server) -> Standings {
    let [day, all] = WINDOWS.map(|window| {
        let mut standings = Standings::new();
        for from in (1..).step_by(1000) {
            let to = from + 999;
            let page = format!("/v1/boards/k/a/range?from={from}&to={to}&window={window}");
            let ranked = server.get(page).ranked();
            if ranked.is_empty() {
                break;
            }
            let entries = ranked.into_iter();
            standings.extend(entries.map(|(_, member, points)| (member, points)));
        }
        standings
    });
    assert_eq!(day, all);
    all
}

/// Asserts that all applied gifts are shown, and others only if their outcome is unknown.
fn assert_agree(shown: &Standings, sent: &Sent) {
    let [applied, unknown] =
        [Reported::Applied, Reported::Unknown].map(|what| reported(sent, what));
    for (member, points) in &applied {
        assert_eq!(shown.get(member), Some(points), "{member}");
    }
    for (member, points) in shown {
        let known = applied.get(member).or_else(|| unknown.get(member));
        assert_eq!(known, Some(points), "{member}");
    }
}

/// Returns a server whose journal has failed, with all that was sent to it.
fn failed() -> (Server, Sent) {
    let server = Launch::on_a_free_port(CONFIG).start_with_files_up_to(FILE_BYTES_MAX);
    server.get("/readyz").ok();
    let mut dice = Dice::of_this_run();
    let sent: Sent = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|number| {
                let (server, dice) = (&server, dice.split());
                scope.spawn(move || write(server, number, dice))
            })
            .collect();
        let writers = writers.into_iter();
        writers.flat_map(|writer| writer.join().unwrap()).collect()
    });
    let counts = [Reported::Applied, Reported::Unavailable, Reported::Unknown]
        .map(|w| reported(&sent, w).len());
    println!("applied, unavailable, unknown: {counts:?}");
    // The journal must have accepted many writes before it failed.
    assert!(counts[0] * MEMBER_BYTES > 512 << 10, "{counts:?}");
    (server, sent)
}

/// Asserts that all kinds of writes are refused as definitely not applied. Returns the gifts among
/// them.
fn assert_refuses_writes(server: &Server) -> Sent {
    let gifts: Vec<Gift> = (0..4)
        .map(|number| Gift {
            member: format!("late-{number}"),
            points: 1,
        })
        .collect();
    let all = [send(server, &gifts[..1]), send(server, &gifts[1..])].concat();
    assert_eq!(all, [Reported::Unavailable; 4]);
    assert_refused(&server.put("/v1/kinds/new", &json!({})), "unavailable");
    assert_refused(&server.delete("/v1/boards/k/a"), "unavailable");
    assert_refused(&server.get("/readyz"), "unavailable");
    gifts.into_iter().zip(all).collect()
}

/// Asserts that reads are answered, with everything that was applied.
fn assert_reads(server: &Server, sent: &Sent) {
    assert_agree(&shown(server), sent);
    let best = reported(sent, Reported::Applied)
        .into_values()
        .max()
        .unwrap();
    let top = server.get("/v1/boards/k/a/top?fresh=true&window=all");
    assert!(top.ranked()[0].2 >= best, "{top:?}");
}

/// Restarts without the limit, checks the state, and sends everything again.
fn restart_and_resend(launch: Launch, sent: &Sent) {
    let flag = format!("embedded:{}", launch.kept().display());
    let run = cli::run(&["verify", "--store", &flag], b"");
    assert_eq!(run.status, Some(0), "{run:?}");
    let server = launch.start();
    server.get("/readyz").ok();
    server
        .get("/v1/kinds/new")
        .problem(404, "unknown-kind", &[]);
    let found = shown(&server);
    assert_agree(&found, sent);
    let gifts: Vec<&Gift> = sent.iter().map(|(gift, _)| gift).collect();
    let items: Vec<Value> = gifts.iter().map(|gift| gift.json()).collect();
    let members: BTreeSet<&String> = gifts.iter().map(|gift| &gift.member).collect();
    assert_eq!(members.len(), items.len());
    for [applied, duplicates] in [[items.len() - found.len(), found.len()], [0, items.len()]] {
        let receipt = server.lines(&ndjson(&items)).ok();
        assert_eq!(receipt["applied"], applied, "{receipt}");
        assert_eq!(receipt["duplicates"], duplicates, "{receipt}");
    }
    let whole = gifts.iter().map(|gift| (gift.member.clone(), gift.points));
    assert_eq!(shown(&server), whole.collect());
}

#[test]
fn after_a_journal_failure_writes_are_refused_until_a_restart_and_reads_continue() {
    let (server, mut sent) = failed();
    assert_reads(&server, &sent);
    sent.extend(assert_refuses_writes(&server));
    assert_reads(&server, &sent);
    restart_and_resend(server.kill(), &sent);
}

#[test]
fn a_stop_after_a_journal_failure_reports_it_and_loses_no_answered_write() {
    let (mut server, sent) = failed();
    server.signal("TERM");
    assert_eq!(server.ended().code(), Some(1));
    let log = server.log();
    assert!(log.contains("the journal has failed"), "{log}");
    restart_and_resend(server.kill(), &sent);
}
