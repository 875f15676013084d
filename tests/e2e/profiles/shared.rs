//! Servers on one Redis have the same profiles.

use serde_json::json;
use testkit::redis::{RedisCluster, RedisOptions, RedisServer};
use testkit::{Server, eventually};

use super::{KINDS, named, names, path_of, put};
use crate::redis::{SCRIPT_FREE, serve};

fn agree(here: &Server, there: &Server) {
    let members: Vec<String> = (0..300).map(|n| format!("u{n}")).collect();
    let lines: Vec<String> = members
        .iter()
        .map(|member| {
            json!({"member": member, "profile": {"name": format!("N{member}")}}).to_string()
        })
        .collect();
    let headers = [("content-type", "application/x-ndjson")];
    let put_all = here.send(
        "POST",
        "/v1/kinds/races/profiles",
        &headers,
        lines.join("\n"),
    );
    assert_eq!(put_all.ok()["put"], 300);
    let points: Vec<(&str, i64)> = members
        .iter()
        .map(String::as_str)
        .zip((1..).map(|n| 1000 - n))
        .collect();
    here.give("races/a", &points);
    for server in [here, there] {
        for path in ["top?n=300", "range?from=1&to=300"] {
            let shown = server.get(format!("/v1/boards/races/a/{path}&profiles=true"));
            let expected = members
                .iter()
                .map(|member| (member.clone(), json!(format!("N{member}"))));
            assert_eq!(names(&shown), expected.collect::<Vec<_>>(), "{path}");
        }
    }
    put(there, "races", "u0", "Eva");
    let top = here.get("/v1/boards/races/a/top?n=1&profiles=true");
    assert_eq!(names(&top), named(&[("u0", Some("Eva"))]));
    there.delete("/v1/members/u0").ok();
    here.get(path_of("races", "u0"))
        .problem(404, "no-profile", &[]);
    let top = here.get("/v1/boards/races/a/top?n=1&profiles=true&fresh=true");
    assert_eq!(names(&top), named(&[("u1", Some("Nu1"))]));
    there.send("PUT", "/v1/members/u1/hidden", &[], "").ok();
    eventually("the member is hidden here, too", || {
        let top = here.get("/v1/boards/races/a/top?n=1&profiles=true");
        assert_eq!(here.get(path_of("races", "u2")).ok()["name"], "Nu2");
        (names(&top) == named(&[("u2", Some("Nu2"))])).then_some(())
    });
    here.get(path_of("races", "u1"))
        .problem(404, "no-profile", &[]);
}

#[test]
fn servers_on_one_redis_have_the_same_profiles() {
    let redis = RedisServer::plain();
    let [here, there] = [(); 2].map(|()| serve(&redis.url(), KINDS));
    agree(&here, &there);
    // They outlast the servers, and end with the kind.
    let kind = json!({"windows": ["all"]});
    here.put("/v1/kinds/other", &kind);
    put(&here, "other", "u1", "Ann");
    let here = here.stop().start();
    assert_eq!(here.get(path_of("other", "u1")).ok()["name"], "Ann");
    here.delete("/v1/kinds/other").is_empty();
    here.put("/v1/kinds/other", &kind);
    here.get(path_of("other", "u1"))
        .problem(404, "no-profile", &[]);
    eventually("the other server knows the new kind", || {
        (there.get(path_of("other", "u1")).status == 404).then_some(())
    });
    put(&there, "other", "u2", "Ben");
    assert_eq!(here.get(path_of("other", "u2")).ok()["name"], "Ben");
}

#[test]
fn servers_on_a_cluster_have_the_same_profiles_with_and_without_scripts() {
    let redis = RedisCluster::start(3, 0, &RedisOptions::new());
    let configs = [KINDS.to_owned(), format!("[redis]\n{SCRIPT_FREE}{KINDS}")];
    let [here, there] = configs.map(|config| serve(&redis.url(), &config));
    agree(&here, &there);
}
