//! What `serve` shows at its start, on standard error.

use serde_json::Value;
use testkit::{Launch, Server, cli, eventually};

/// Waits until the last line of the greeting is there, and returns it without its name.
#[track_caller]
fn first_call(server: &Server) -> String {
    eventually("the greeting is complete", || {
        let log = server.log();
        let line = log.lines().find_map(|line| line.strip_prefix("  try     "));
        line.map(str::to_owned)
    })
}

/// Sends the request of a line such as `curl URL -H 'content-type: application/json' -d 'BODY'`.
#[track_caller]
fn run(server: &Server, line: &str, key: &str) -> Value {
    let words: Vec<&str> = line.split('\'').collect();
    let [url, content_type, " -d ", body, authorization] = words[..] else {
        panic!("{line}");
    };
    let path = url
        .strip_prefix("curl ")
        .and_then(|it| it.strip_prefix(server.url()));
    let path = path
        .and_then(|it| it.strip_suffix(" -H "))
        .unwrap_or_else(|| panic!("{line}"));
    let header = |line: &str| -> (String, String) {
        let (name, value) = line.split_once(": ").unwrap();
        (name.to_owned(), value.replace("$MEGABOARD_KEY", key))
    };
    let mut headers = vec![header(content_type)];
    let authorization = authorization.strip_prefix(" -H \"");
    headers.extend(authorization.map(|it| header(it.trim_end_matches('"'))));
    let headers: Vec<(&str, &str)> = headers
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    server.send("POST", path, &headers, body).value()
}

#[test]
fn the_page_the_folder_and_the_first_call_are_as_it_says() {
    let server = Server::durable("");
    let call = first_call(&server);
    let log = server.log();
    let folder = server.kept().canonicalize().unwrap();
    for line in [
        format!("  page    {}/", server.url()),
        format!("  docs    {}/docs", server.url()),
        format!("  boards  in the folder {}", folder.display()),
        "  keys    none: every program on this machine has full access".to_owned(),
    ] {
        assert!(log.lines().any(|it| it == line), "{line}: {log}");
    }
    assert_eq!(server.get("/docs").status, 200);
    assert_eq!(run(&server, &call, "")["applied"], 1, "{call}");
    assert_eq!(server.order("gifts/room-1", "all"), ["ada"]);
}

#[test]
fn the_first_call_has_the_fields_of_the_first_kind() {
    let server =
        Server::with("[kinds.races]\nfields = [{ name = \"laps\" }, { name = \"seconds\" }]\n");
    let call = first_call(&server);
    assert_eq!(run(&server, &call, "")["applied"], 1, "{call}");
    assert_eq!(server.order("races/room-1", "all"), ["ada"]);
}

#[test]
fn with_keys_the_first_call_sends_one_and_says_which() {
    let key = cli::run(&["key", "new", "--scope", "write"], b"").stdout;
    let (key, config) = key.split_once("\n\n").unwrap();
    let server = Server::with(config);
    let call = first_call(&server);
    assert_eq!(run(&server, &call, key)["applied"], 1, "{call}");
    assert_eq!(run(&server, &call, "")["status"], 401, "{call}");
    let keys = "  keys    1: requests require it; for the call below, MEGABOARD_KEY is a key with the scope write\n";
    assert!(server.log().contains(keys), "{}", server.log());
    assert!(!server.log().contains(key));
}

#[test]
fn json_lines_are_not_interrupted_by_it_and_have_numbers() {
    let launch = Launch::on_a_free_port("").args("--log-format json");
    let server = launch.start();
    server.give("gifts/a", &[("u", 1)]);
    let log = server.stop().log();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let open = lines
        .iter()
        .find(|line| line["message"] == "the store is open");
    assert!(open.unwrap()["fields"]["loaded_ms"].is_u64(), "{log}");
}

#[test]
fn memory_and_the_demo_keep_nothing() {
    let memory = Server::start();
    first_call(&memory);
    assert!(
        memory
            .log()
            .contains("  boards  in memory: nothing is kept after the server stops\n")
    );
    let demo = Launch::on_a_free_port("").args("--demo").start();
    first_call(&demo);
    let line =
        "  boards  a simulated live stream, in memory: nothing is kept after the server stops\n";
    assert!(demo.log().contains(line), "{}", demo.log());
}
