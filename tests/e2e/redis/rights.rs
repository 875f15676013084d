//! The rights that `docs/redis.md` gives a user: they are enough for servers and `megaboard verify`, with functions and
//! without.

use serde_json::json;
use testkit::cli;
use testkit::redis::{RedisOptions, RedisServer};

use super::stage::{SCRIPT_FREE, serve};

const PAGE: &str = include_str!("../../../docs/redis.md");

const USER: &str = "user megaboard on >PASSWORD ";

/// The rules of the page's user, in one line.
pub(super) fn of_functions() -> String {
    let (_, rules) = PAGE.split_once(USER).expect("the user in an ACL file");
    let (rules, _) = rules.split_once("\n\n").unwrap();
    rules.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The same for `writes = "script-free"`, with what the page puts in the place of other rights.
pub(super) fn script_free() -> String {
    let (_, said) = PAGE
        .split_once("With `writes = \"script-free\"` put `")
        .unwrap();
    let (added, said) = said.split_once("` in place of `").unwrap();
    let (removed, _) = said.split_once('`').unwrap();
    let all = of_functions();
    let mut rules: Vec<&str> = all.split(' ').collect();
    for right in removed.split(' ') {
        let place = rules.iter().position(|rule| *rule == right);
        rules.remove(place.unwrap_or_else(|| panic!("{right}: is not among the user's rights")));
    }
    rules.extend(added.split(' '));
    rules.join(" ")
}

fn are_enough(redis: &RedisServer, config: &str) {
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
fn a_user_with_the_rights_of_the_docs_may_do_all_that_there_is() {
    let with = |rights: &str| RedisOptions::new().user("board", "secret", rights).start();
    are_enough(&with(&of_functions()), "");
    are_enough(&with(&script_free()), &format!("[redis]\n{SCRIPT_FREE}"));
}
