//! Flags take precedence over environment variables, those over the file, and that over defaults;
//! errors are reported by name.

use serde_json::json;
use testkit::{Launch, Server};

/// A file with an invalid listen address, which must not be used.
const TAKEN: &str = "[server]\nlisten = \"256.0.0.1:1\"\n";

fn kinds(server: &Server) -> Vec<String> {
    let kinds = server.get("/v1/kinds").ok();
    let kinds = kinds["kinds"].as_array().unwrap().iter();
    kinds
        .map(|kind| kind["kind"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn without_a_file_the_kind_gifts_exists_as_documented() {
    let server = Launch::new()
        .args("--listen 127.0.0.1:0 --store memory:")
        .start();
    assert_eq!(kinds(&server), ["gifts"]);
    let gifts = server.get("/v1/kinds/gifts").ok();
    let windows = json!(["hour", "day", "week", "month", "all"]);
    assert_eq!(gifts["windows"], windows);
    for (setting, value) in [
        ("time_zone", json!("UTC")),
        ("ties", json!("earliest")),
        ("rank", json!("ordinal")),
        ("mode", json!("accumulate")),
        ("top", json!(1000)),
        ("max_staleness", json!("200ms")),
        ("dedupe", json!("1h")),
    ] {
        assert_eq!(gifts[setting], value, "{setting}");
    }
    let closes = json!({"hour": "1h", "day": "1h", "week": "1h", "month": "1h"});
    assert_eq!(gifts["close"], closes);
}

#[test]
fn port_0_selects_a_free_port_and_prints_it() {
    let server = Server::start();
    let (host, port) = server.address().split_once(':').unwrap();
    assert_eq!(host, "127.0.0.1");
    assert_ne!(port.parse::<u16>().unwrap(), 0);
    assert_eq!(server.get("/healthz").ok()["status"], "alive");
    assert_eq!(server.get("/readyz").ok()["status"], "ready");
}

#[test]
fn flags_override_the_environment_which_overrides_the_file() {
    let server = Launch::new()
        .file("megaboard.toml", TAKEN)
        .env("MEGABOARD_LISTEN", "127.0.0.1:0")
        .start();
    assert!(server.address().starts_with("127.0.0.1:"));
    let server = Launch::new()
        .file("megaboard.toml", TAKEN)
        .env("MEGABOARD_LISTEN", "256.0.0.2:1")
        .args("--listen 127.0.0.1:0")
        .start();
    assert!(server.address().starts_with("127.0.0.1:"));
    for (file, named) in [
        (TAKEN, "server.listen: cannot listen on \"256.0.0.1:1\""),
        ("[server]\nlisten = \"\"\n", "server.listen: \"\""),
    ] {
        let (status, stderr) = Launch::new().file("megaboard.toml", file).refused();
        assert_eq!(status, Some(1));
        assert!(stderr.contains(named), "{stderr}");
    }
}

#[test]
fn the_configuration_file_is_selected_by_flag_or_variable() {
    let launch = || {
        Launch::on_a_free_port("[kinds.here]\n")
            .file("a.toml", "[kinds.from-a]\n")
            .file("b.toml", "[kinds.from-b]\n")
    };
    assert_eq!(kinds(&launch().start()), ["here"]);
    let by_environment = launch().env("MEGABOARD_CONFIG", "a.toml");
    assert_eq!(kinds(&by_environment.start()), ["from-a"]);
    let by_flag = launch()
        .env("MEGABOARD_CONFIG", "a.toml")
        .args("--config b.toml");
    assert_eq!(kinds(&by_flag.start()), ["from-b"]);
    let (status, stderr) = launch().args("--config none.toml").refused();
    assert_eq!(status, Some(1));
    assert!(stderr.contains("none.toml"), "{stderr}");
}

#[test]
fn the_store_is_set_by_flag_environment_or_file_and_must_be_known() {
    let file = "[server]\nstore = \"memory:\"\n";
    let server = Launch::on_a_free_port(file).start();
    assert_eq!(server.get("/readyz").ok()["store"], "memory");
    drop(server);
    let wrong = || Launch::on_a_free_port("[server]\nstore = \"paper:a\"\n");
    let (status, stderr) = wrong().refused();
    assert_eq!(status, Some(1));
    assert!(stderr.contains("paper:a"), "{stderr}");
    wrong().env("MEGABOARD_STORE", "memory:").start();
    wrong()
        .env("MEGABOARD_STORE", "paper:b")
        .args("--store memory:")
        .start();
}

#[test]
fn the_password_in_the_store_url_is_never_shown() {
    const URL: &str = "rediz://megaboard:s3cret@127.0.0.1:1";
    let help = std::process::Command::new(testkit::megaboard())
        .args(["serve", "--help"])
        .env("MEGABOARD_STORE", URL)
        .env("MEGABOARD_TOKEN_SECRET", "s3cret")
        .output()
        .unwrap();
    let text = String::from_utf8(help.stdout).unwrap();
    assert!(
        text.contains("MEGABOARD_STORE") && !text.contains("s3cret"),
        "{text}"
    );
    let (status, stderr) = Launch::on_a_free_port("")
        .env("MEGABOARD_STORE", URL)
        .refused();
    assert_eq!(status, Some(1));
    assert!(
        stderr.contains("rediz://...@127.0.0.1:1") && !stderr.contains("s3cret"),
        "{stderr}"
    );
}

#[test]
fn secrets_in_variables_are_never_shown() {
    for (command, variable, value) in [
        ("top gifts/a", "MEGABOARD_KEY", "mb_s3cret\nmb_s3cret\n"),
        ("top gifts/a", "MEGABOARD_SERVER", "http://u:s3cret@h"),
        (
            "ingest --partitions 1 --group g",
            "MEGABOARD_FROM",
            "redis://u:s3cret@h:port/g",
        ),
        (
            "adopt --sorted-set k --board gifts/a",
            "MEGABOARD_ADOPT_FROM",
            "redis://u:s3cret@h/x",
        ),
    ] {
        let run = std::process::Command::new(testkit::megaboard())
            .args(command.split(' '))
            .env(variable, value)
            .output()
            .unwrap();
        let stderr = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(2), "{command}: {stderr}");
        assert!(
            stderr.contains(variable) && !stderr.contains("s3cret"),
            "{stderr}"
        );
    }
}
