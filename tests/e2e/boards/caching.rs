//! `ETag`, `If-None-Match` and `Cache-Control` of tops.

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
