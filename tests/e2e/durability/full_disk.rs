//! A full disk: writes are refused and reads continue, the metric shows it, and once there is space everything
//! continues without a restart. Also where a file system refuses space that was reserved.

use serde_json::{Value, json};
use testkit::{BadDisk, Exposition, Launch, Server, eventually, ndjson};

const CONFIG: &str = "[kinds.k]\nwindows = [\"all\"]\n";

/// Long names, so that the reserved 8 MiB are soon used.
fn lines(request: usize) -> String {
    let item =
        |n: usize| json!({"board": "k/a", "member": format!("{request} {n:0>120}"), "points": 1});
    ndjson(&(0..1000).map(item).collect::<Vec<Value>>())
}

/// Contributes one point of a member. Returns `applied`, or the type of the problem.
fn outcome(server: &Server, member: &str) -> String {
    let one = json!({"board": "k/a", "member": member, "points": 1});
    let receipt = server.lines(&one.to_string()).value();
    if receipt["applied"] == 1 {
        return "applied".to_owned();
    }
    receipt["failed"][0]["type"].as_str().unwrap().to_owned()
}

fn members(server: &Server) -> u64 {
    let top = server.get("/v1/boards/k/a/top?window=all&fresh=true").ok();
    top["members"].as_u64().unwrap()
}

fn has(server: &Server, member: &str) -> bool {
    let path = format!("/v1/boards/k/a/members/{member}?window=all");
    server.get(path).status == 200
}

#[track_caller]
fn assert_refusing(server: &Server, is_refusing: bool) {
    server.get("/readyz").ok();
    eventually("the metric shows it", || {
        let refusing = Exposition::of(server).sum("megaboard_journal_refusing", &[]) > 0.5;
        (refusing == is_refusing).then_some(())
    });
}

#[test]
fn on_a_full_disk_writes_are_unavailable_and_reads_continue_until_there_is_space() {
    let disk = BadDisk::new();
    let server = disk.apply_to(Launch::on_a_free_port(CONFIG)).start();
    assert_eq!(outcome(&server, "first"), "applied");
    assert_refusing(&server, false);
    disk.fill();
    let mut applied = 1;
    let mut request = 0;
    eventually("all is refused", || {
        request += 1;
        let receipt = server.lines(&lines(request)).value();
        applied += receipt["applied"].as_u64().unwrap();
        let failed = receipt["failed"].as_array().unwrap();
        assert!(
            failed.iter().all(|it| it["type"] == "unavailable"),
            "{receipt}"
        );
        (receipt["applied"] == 0).then_some(())
    });
    assert_refusing(&server, true);
    assert_eq!(members(&server), applied);
    disk.repair();
    eventually("writes are accepted again", || {
        (outcome(&server, "later") == "applied").then_some(())
    });
    assert_refusing(&server, false);
    let server = server.kill().start();
    assert_eq!(members(&server), applied + 1);
    assert!(has(&server, "first") && has(&server, "later"));
}

#[test]
fn where_reserved_space_is_refused_only_writes_under_way_are_unknown() {
    for has_space_again in [true, false] {
        let disk = BadDisk::new();
        let server = disk.apply_to(Launch::on_a_free_port(CONFIG)).start();
        assert_eq!(outcome(&server, "first"), "applied");
        disk.refuse_all();
        assert_eq!(outcome(&server, "second"), "unknown");
        assert_eq!(outcome(&server, "third"), "unavailable");
        assert_refusing(&server, true);
        assert!(has(&server, "first"));
        if has_space_again {
            disk.repair();
            eventually("writes are accepted again", || {
                (outcome(&server, "third") == "applied").then_some(())
            });
            assert_refusing(&server, false);
        }
        let launch = server.kill();
        disk.repair();
        let server = launch.start();
        assert!(has(&server, "first"));
        for member in ["second", "third"] {
            assert_eq!(has(&server, member), has_space_again, "{member}");
        }
    }
}
