//! `megaboard export`, and `megaboard import` of the result into another store.

use std::io::Read as _;
use std::net::TcpListener;
use std::path::Path;

use serde_json::{Value, json};
use testkit::cli::{self, Run, Running};
use testkit::clock::{DAY_MS, date, now_ms};
use testkit::redis::RedisServer;
use testkit::{Launch, Server, encoded};

const KINDS: &str = r#"
[kinds.gifts]

[kinds.races]
mode = "best"
fields = [{ name = "laps" }, { name = "seconds", order = "asc" }]
rank = "competition"
ties = "latest"
windows = ["week", "all"]

[kinds.replies]
fields = [{ name = "agree" }, { name = "best", op = "max" }, { name = "mood", op = "last" }]
windows = ["all", "day"]

[kinds.prices]
mode = "latest"
fields = [{ name = "price", order = "asc" }]
windows = ["all"]
shards = 1
"#;
const NAMES: [&str; 4] = ["gifts", "races", "replies", "prices"];

fn export(server: &Server, arguments: &[&str]) -> Run {
    let mut whole = vec!["export"];
    whole.extend(arguments);
    whole.extend(["--server", server.url()]);
    cli::run(&whole, b"")
}

fn import(server: &Server, file: &Path) -> Run {
    let file = file.to_str().unwrap();
    cli::run(&["import", file, "--server", server.url()], b"")
}

/// Returns every window of every board of a kind, entry by entry.
fn shown(server: &Server, kind: &str) -> Vec<(String, String, Vec<Value>)> {
    let boards = server.get(format!("/v1/boards?kind={kind}")).ok();
    let mut shown = Vec::new();
    for board in boards["boards"].as_array().unwrap() {
        let name = board["board"].as_str().unwrap();
        let (kind, subject) = name.split_once('/').unwrap();
        let path = format!("/v1/boards/{kind}/{}", encoded(subject));
        let info = server.get(&path).ok();
        for window in info["windows"].as_array().unwrap() {
            let window = window["window"].as_str().unwrap();
            let mut entries = Vec::new();
            for from in (1..=3_000).step_by(1_000) {
                let page = format!("{path}/range?window={}&from={from}", encoded(window));
                entries.extend(server.get(format!("{page}&to={}", from + 999)).entries());
            }
            shown.push((name.to_owned(), window.to_owned(), entries));
        }
    }
    shown.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    shown
}

fn fill(server: &Server) {
    let now = now_ms();
    let mut items = Vec::new();
    let mut add = |board: &str, member: &str, at: i64, values: &Value| {
        let mut item = json!({"board": board, "member": member, "at": now - at});
        let field = if values.is_object() {
            "values"
        } else {
            "points"
        };
        item[field] = values.clone();
        items.push(item);
    };
    for n in 0..2_500 {
        let points = json!(n * 7 % 1_000 - 200);
        add("gifts/room", &format!("u{n}"), n, &points);
    }
    for (days, member) in [(0, "today"), (3, "past"), (20, "long past"), (0, "past")] {
        for board in ["gifts/a/b é?", "gifts/small"] {
            add(board, member, days * DAY_MS, &json!(days + 1));
            add(board, "\"quoted\" \u{1F3C1}", days * DAY_MS, &json!(0));
        }
    }
    for (n, member) in ["a", "b", "c", "d"].into_iter().enumerate() {
        let n = i64::try_from(n).unwrap();
        add(
            "races/cup",
            member,
            10 - n,
            &json!({"laps": 5 + n / 3, "seconds": 61}),
        );
        add("races/cup", member, 5, &json!({"laps": 5, "seconds": 70}));
        add("prices/tea", member, 9 - n, &json!({"price": 10 - n / 2}));
        add("prices/tea", member, 50, &json!({"price": 1}));
    }
    add(
        "replies/x",
        "all",
        3,
        &json!({"agree": 2, "best": 5, "mood": -5}),
    );
    add(
        "replies/x",
        "all",
        1,
        &json!({"agree": 0, "best": 4, "mood": 7}),
    );
    add("replies/x", "sum", 2, &json!({"agree": 2}));
    add("replies/x", "zero", DAY_MS, &json!({"agree": 0, "mood": 1}));
    for items in items.chunks(1_000) {
        let receipt = server.contribute(&items.into()).ok();
        assert_eq!(receipt["applied"], items.len(), "{receipt}");
    }
}

/// Exports every kind of one server into files and imports them into another.
fn transfer(from: &Server, to: &Server) {
    for kind in NAMES {
        let file = from.folder().join(format!("{kind}.ndjson"));
        let run = export(from, &["--kind", kind, "--output", file.to_str().unwrap()]);
        assert_eq!(run.status, Some(0), "{run:?}");
        assert_eq!(run.stdout, "");
        let lines = std::fs::read_to_string(&file).unwrap().lines().count();
        let counted = format!("exported {lines} standings");
        assert!(run.stderr.contains(&counted), "{run:?}");
        let run = import(to, &file);
        let applied = format!("applied {lines}, duplicates 0, skipped 0, rejected 0, failed 0");
        assert!(run.stdout.starts_with(&applied), "{run:?}");
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
        // Importing again sets members to the values that they have.
        let file = file.to_str().unwrap();
        let again = cli::run(&["import", file, "--again", "--server", to.url()], b"");
        assert!(again.stdout.starts_with(&applied), "{again:?}");
    }
}

#[test]
fn boards_are_the_same_after_export_and_import() {
    let memory = Server::with(KINDS);
    fill(&memory);
    let embedded = Server::durable(KINDS);
    transfer(&memory, &embedded);
    let redis = RedisServer::plain();
    let on_redis = Launch::on_a_free_port(KINDS)
        .args(&format!("--store {}", redis.url()))
        .start();
    transfer(&embedded, &on_redis);
    for kind in NAMES {
        let first = shown(&memory, kind);
        assert!(!first.is_empty(), "{kind}");
        assert_eq!(shown(&embedded, kind), first, "{kind}");
        assert_eq!(shown(&on_redis, kind), first, "{kind}");
    }
    // Nulls and shared ranks are preserved.
    let replies = on_redis
        .get("/v1/boards/replies/x/top?window=all")
        .entries();
    assert_eq!(
        replies[1]["values"],
        json!({"agree": 2, "best": null, "mood": null})
    );
    let races = on_redis
        .get("/v1/boards/races/cup/top?window=all")
        .entries();
    let ranks: Vec<_> = races.iter().map(|entry| entry["rank"].clone()).collect();
    assert_eq!(ranks, [1, 2, 2, 2]);
}

#[test]
fn a_board_is_renamed_with_its_closed_windows() {
    let server = Server::with("[kinds.gifts]\n");
    let at = now_ms() - 3 * DAY_MS;
    for at in [at, now_ms()] {
        let give = json!({"board": "gifts/a", "member": "u", "points": 7, "at": at});
        server.contribute(&give).ok();
    }
    let open = server.get("/v1/kinds/gifts").ok();
    let mut closed = open.clone();
    closed["close"] = json!({"day": "1m", "hour": "1m", "week": "1m"});
    server.put("/v1/kinds/gifts", &closed).ok();
    let day = format!("top?window=day:{}", date(at));
    assert_eq!(
        server.get(format!("/v1/boards/gifts/a/{day}")).ok()["final"],
        true
    );
    // As docs/recipes.md has it.
    server.put("/v1/kinds/gifts", &open).ok();
    let lines = export(&server, &["gifts/a"]).stdout;
    let file = server.folder().join("b.ndjson");
    std::fs::write(
        &file,
        lines.replace("\"board\":\"gifts/a\"", "\"board\":\"gifts/b\""),
    )
    .unwrap();
    let run = import(&server, &file);
    assert_eq!(run.status, Some(0), "{run:?}");
    server.put("/v1/kinds/gifts", &closed).ok();
    assert_eq!(
        server.get(format!("/v1/boards/gifts/b/{day}")).ok()["final"],
        true
    );
    let windows = |board: &str| {
        let shown = shown(&server, "gifts").into_iter();
        let shown = shown.filter(|(name, ..)| name == board);
        shown
            .map(|(_, window, entries)| (window, entries))
            .collect::<Vec<_>>()
    };
    assert!(windows("gifts/a").len() > 4);
    assert_eq!(windows("gifts/b"), windows("gifts/a"));
}

#[test]
fn a_board_is_exported_with_each_member_once_during_writes() {
    let server = Server::with("[kinds.gifts]\nwindows = [\"all\"]\n");
    let items: Vec<Value> = (0..5_000)
        .map(|n| json!({"board": "gifts/a", "member": format!("u{n}"), "points": n}))
        .collect();
    assert_eq!(server.contribute(&items.into()).ok()["applied"], 5_000);
    let done = std::sync::atomic::AtomicBool::new(false);
    let mut runs = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut next = 0;
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                let climbing: Vec<Value> = (0..20)
                    .map(|n| {
                        let member = (next * 7_919 + n * 263) % 5_000;
                        json!({"board": "gifts/a", "member": format!("u{member}"), "points": 6_000})
                    })
                    .collect();
                server.contribute(&climbing.into()).ok();
                next += 1;
            }
        });
        for _ in 0..5 {
            runs.push(export(&server, &["gifts/a"]));
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    for run in runs {
        assert_eq!(run.status, Some(0), "{}", run.stderr);
        let mut members: Vec<String> = run
            .stdout
            .lines()
            .map(|line| {
                let line: Value = serde_json::from_str(line).unwrap();
                line["member"].as_str().unwrap().to_owned()
            })
            .collect();
        assert_eq!(members.len(), 5_000, "{}", run.stderr);
        members.sort();
        members.dedup();
        assert_eq!(members.len(), 5_000);
    }
}

#[test]
fn ctrl_c_ends_an_export_whose_response_does_not_come() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let mut export = Running::start(&["export", "gifts/a", "--server", &url]);
    let (mut connection, _) = silent.accept().unwrap();
    assert!(connection.read(&mut [0; 64]).unwrap() > 0);
    export.signal("INT");
    assert_eq!(export.ended().code(), Some(130));
}
