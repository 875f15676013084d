//! Responses that require a key are not for caches that others share.

use testkit::Server;
use testkit::clock::{DAY_MS, date, now_ms};

use super::Key;

#[test]
fn final_responses_that_require_a_key_are_private() {
    let key = Key::new("--scope admin");
    let kind = "[kinds.k]\nwindows = [\"day\"]\nclose = { day = \"1h\" }\n";
    let server = Server::with(&format!("{kind}{}", key.lines));
    let day = format!("day:{}", date(now_ms() - 2 * DAY_MS));
    for (read, vary) in [
        ("top", "accept-encoding, authorization"),
        ("count", "authorization"),
    ] {
        let path = format!("/v1/boards/k/a/{read}?window={day}");
        let shown = key.get(&server, &path);
        assert_eq!(shown.ok()["final"], true, "{path}");
        assert_eq!(shown.header("cache-control"), "private, max-age=60");
        assert_eq!(shown.header("vary"), vary);
        server.get(&path).problem(401, "unauthorized", &[]);
    }
}

#[test]
fn a_list_of_kinds_has_another_etag_for_a_key_of_other_kinds() {
    let (one, all) = (
        Key::new("--scope read --kind k"),
        Key::new("--scope read --name all"),
    );
    let server = Server::with(&format!("[kinds.k]\n[kinds.l]\n{}{}", one.lines, all.lines));
    let shown = all.get(&server, "/v1/kinds");
    assert_eq!(shown.ok()["kinds"].as_array().unwrap().len(), 2);
    let bearer = format!("Bearer {}", one.text);
    let known = ("if-none-match", shown.header("etag"));
    let own = server.get_with("/v1/kinds", &[("authorization", &bearer), known]);
    assert_eq!(own.ok()["kinds"].as_array().unwrap().len(), 1);
    assert_eq!(own.ok()["kinds"][0]["kind"], "k");
}
