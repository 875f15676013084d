//! `ETag`, `If-None-Match` and `Cache-Control` of reads.

use serde_json::json;
use testkit::Server;

use super::{ladder, on_a};

fn etag(server: &Server, path: &str) -> String {
    let response = server.get(path);
    response.ok();
    assert_eq!(response.header("cache-control"), "no-cache");
    let etag = response.header("etag").to_owned();
    assert!(etag.starts_with("W/\"") && etag.ends_with('"'), "{etag}");
    etag
}

#[test]
fn an_unchanged_top_is_304() {
    let server = ladder(5);
    let path = on_a("/top?n=3&fresh=true");
    let held = etag(&server, &path);
    let listed = format!("\"other\", {held}");
    let strong = held.strip_prefix("W/").unwrap();
    for sent in [held.as_str(), &listed, strong, "*"] {
        let response = server.get_with(&path, &[("if-none-match", sent)]);
        assert_eq!(
            (response.status, response.body.as_str()),
            (304, ""),
            "{sent}"
        );
        assert_eq!(response.header("etag"), held);
        assert_eq!(response.header("cache-control"), "no-cache");
    }
    let response = server.get_with(&path, &[("if-none-match", "\"other\"")]);
    assert_eq!(response.status, 200);
    server.give("gifts/a", &[("m01", 1)]);
    let response = server.get_with(&path, &[("if-none-match", &held)]);
    assert_eq!(response.ranked()[0].2, 101);
    assert_ne!(response.header("etag"), held);
}

#[test]
fn each_board_window_and_n_has_its_own_etag() {
    let server = ladder(5);
    server.give("gifts/b", &[("u", 1)]);
    let paths = [
        on_a("/top?n=3"),
        on_a("/top?n=4"),
        "/v1/boards/gifts/a/top?n=3&window=month".to_owned(),
        "/v1/boards/gifts/b/top?n=3&window=all".to_owned(),
    ];
    let mut tags: Vec<String> = paths.iter().map(|path| etag(&server, path)).collect();
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), paths.len(), "{tags:?}");
}

#[test]
fn a_recreated_board_has_another_etag() {
    let server = ladder(1);
    let path = on_a("/top?fresh=true");
    let first = etag(&server, &path);
    server.delete("/v1/boards/gifts/a").is_empty();
    let gone = etag(&server, &path);
    server.give("gifts/a", &[("m01", 100)]);
    let second = etag(&server, &path);
    assert!(
        first != gone && gone != second && first != second,
        "{first} {gone} {second}"
    );
}

/// Reads of a board `gifts/a` with five members.
const READS: [&str; 8] = [
    "/range?from=1&to=3",
    "/range?min=98&max=99",
    "/count?min=98",
    "/members/m02",
    "/members/m02?target=1",
    "/members/m02/around?above=1&below=1",
    "/rank?points=98",
    "",
];

#[test]
fn an_unchanged_read_is_304() {
    let server = ladder(5);
    let mut paths: Vec<String> = READS.map(on_a).into();
    paths.push("/v1/boards?kind=gifts".to_owned());
    paths.push("/v1/kinds".to_owned());
    for path in &paths {
        let shown = server.get(path);
        let held = shown.header("etag");
        assert_eq!(shown.ok()["final"], json!(null));
        for sent in [held, &format!("\"other\", {held}"), "*"] {
            let again = server.get_with(path, &[("if-none-match", sent)]);
            assert_eq!((again.status, &*again.body), (304, ""), "{path} {sent}");
            assert_eq!(again.header("etag"), held);
            assert_eq!(again.header("cache-control"), "no-cache");
        }
        let other = server.get_with(path, &[("if-none-match", "\"other\"")]);
        assert_eq!((other.status, other.header("etag")), (200, held), "{path}");
        assert_eq!(other.header("cache-control"), "no-cache");
    }
}

#[test]
fn a_changed_read_has_another_etag() {
    let server = ladder(5);
    let path = |rest: &str| on_a(rest);
    let held = READS.map(|rest| (path(rest), etag(&server, &path(rest))));
    // A member that is in none of the pages, but in `members`.
    server.give("gifts/a", &[("last", 1)]);
    for (path, held) in &held {
        let shown = server.get_with(path, &[("if-none-match", held)]);
        assert_eq!(shown.ok()["members"], 6, "{path}");
    }
    let held = READS.map(|rest| (path(rest), etag(&server, &path(rest))));
    server.send("PUT", "/v1/members/last/hidden", &[], "").ok();
    for (path, held) in &held {
        let shown = server.get_with(path, &[("if-none-match", held)]);
        assert_eq!(shown.ok()["members"], 5, "{path}");
    }
}

#[test]
fn lists_and_boards_have_other_etags_after_changes_that_no_version_shows() {
    let server = Server::with("[kinds.gifts]\nwindows = [\"all\", \"day\"]\n");
    let changed = |path: &str, change: &dyn Fn()| {
        let held = server.get(path).header("etag").to_owned();
        change();
        let shown = server.get_with(path, &[("if-none-match", &held)]);
        shown.ok();
        assert_ne!(shown.header("etag"), held, "{path}");
    };
    let put = |path: &str, body| {
        server.put(path, &body);
    };
    changed("/v1/kinds", &|| put("/v1/kinds/more", json!({})));
    let settings = json!({"ends_at": "2100-01-01T00:00:00Z"});
    changed("/v1/boards/gifts/a", &|| {
        put("/v1/boards/gifts/a", settings.clone());
    });
    let shards = json!({"shards": 2});
    changed("/v1/boards/gifts/b", &|| {
        put("/v1/boards/gifts/b", shards.clone());
    });
    changed("/v1/boards?kind=gifts", &|| {
        server.give("gifts/a", &[("u", 1)]);
    });
    // The window of the read is the same, another one is not.
    changed("/v1/boards/gifts/a?window=all", &|| {
        let only = json!({"points": 5});
        put("/v1/boards/gifts/a/members/v?window=day", only);
    });
}
