//! The rights in `docs/redis.md` are sufficient for servers and `megaboard verify`, with functions
//! and without.

use serde_json::json;
use testkit::cli;
use testkit::redis::{RedisOptions, RedisServer};

use super::fixtures::{SCRIPT_FREE, serve};

const PAGE: &str = include_str!("../../../docs/redis.md");

const USER: &str = "user megaboard on >PASSWORD ";

/// Returns the rules of the user in the page, in one line.
pub(super) fn of_functions() -> String {
    let (_, rules) = PAGE
        .split_once(USER)
        .expect("the page has a user of an ACL file");
    let (rules, _) = rules.split_once("\n\n").unwrap();
    rules.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The same for `writes = "script-free"`, with the replaced rights.
pub(super) fn script_free() -> String {
    let page = PAGE.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, after) = page
        .split_once("With `writes = \"script-free\"` put `")
        .unwrap();
    let (added, after) = after.split_once("` in place of `").unwrap();
    let (removed, _) = after.split_once('`').unwrap();
    let all = of_functions();
    let mut rules: Vec<&str> = all.split(' ').collect();
    for right in removed.split(' ') {
        let index = rules.iter().position(|rule| *rule == right);
        rules.remove(index.unwrap_or_else(|| panic!("{right}: is not among the user's rights")));
    }
    rules.extend(added.split(' '));
    rules.join(" ")
}

fn assert_sufficient(redis: &RedisServer, config: &str) {
    let server = serve(&redis.url(), config);
    server.give("gifts/a", &[("u", 1), ("v", 2)]);
    let top = server.get("/v1/boards/gifts/a/top?fresh=true&window=all");
    assert_eq!(top.ranked().len(), 2);
    let one = json!({"board": "gifts/b", "member": "u", "points": 1});
    server.contribute(&one).ok();
    assert_eq!(server.delete("/v1/boards/gifts/b").status, 204);
    drop(server);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.toml");
    std::fs::write(&file, config).unwrap();
    let file = file.to_str().unwrap();
    let url = redis.url();
    let run = cli::run(&["verify", "--store", &url, "--config", file], b"");
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run:?}");
}

#[test]
fn the_documented_rights_are_sufficient() {
    let with = |rights: &str| RedisOptions::new().user("board", "secret", rights).start();
    assert_sufficient(&with(&of_functions()), "");
    assert_sufficient(&with(&script_free()), &format!("[redis]\n{SCRIPT_FREE}"));
}
