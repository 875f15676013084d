//! Flags take precedence over environment variables, those over the file, and that over defaults;
//! errors are reported by name.

use std::net::TcpListener;

use serde_json::{Value, json};
use testkit::{Launch, Server, cli};

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
fn errors_in_the_file_are_reported() {
    for (config, parts) in [
        ("[server]\nlisten_on = \"x\"", &["listen_on"][..]),
        (
            "[server]\ndurability = \"never\"",
            &["line 2", "server.durability", "always"],
        ),
        ("[servers]", &["servers"]),
        (
            "[server]\nhosts = [\"https://boards.example\"]",
            &[
                "server.hosts: ",
                "\"https://boards.example\"",
                "without scheme",
            ],
        ),
        (
            "[server]\ntrusted_proxies = [\"proxy\"]",
            &["server.trusted_proxies: ", "\"proxy\"", "10.0.0.0/8"],
        ),
        (
            "[server.cors]\norigins = [\"https://a.example:443\"]",
            &["server.cors.origins: ", "\"https://a.example:443\""],
        ),
        (
            "[server]\nframe_ancestors = [\"https://a.example; script-src *\"]",
            &[
                "server.frame_ancestors: ",
                "\"https://a.example; script-src *\"",
                "https://*.a.example",
            ],
        ),
        (
            "[tracing]\ntrusted = [\"::ffff:10.0.0.1\"]",
            &["tracing.trusted: \"::ffff:10.0.0.1\"", "10.0.0.0/8"],
        ),
        ("[redis]\nacks = -1", &["redis.acks", "integer"]),
        ("[kinds.gifts]\nshard = 3", &["shard"]),
        ("[kinds.gifts]\nshards = 3", &["kinds.gifts", "shards", "3"]),
        ("[kinds.gifts]\nshards = 8192", &["shards", "8192"]),
        ("[kinds.gifts]\ntop = 0", &["kinds.gifts", "top", "0"]),
        (
            "[kinds.gifts]\nties = \"coin\"",
            &["kinds.gifts.ties", "earliest"],
        ),
        (
            "[kinds.gifts]\nwindows = [\"decade\"]",
            &["windows", "decade"],
        ),
        ("[kinds.gifts]\nwindows = []", &["windows"]),
        (
            "[kinds.gifts]\ntime_zone = \"Mars/Olympus\"",
            &["time_zone", "Mars/Olympus"],
        ),
        (
            "[kinds.gifts]\ntime_zone = \"Australia/Lord_Howe\"",
            &["windows", "Lord_Howe"],
        ),
        (
            "[kinds.gifts]\nmax_staleness = \"soon\"",
            &["max_staleness", "soon"],
        ),
        ("[kinds.gifts]\nkeep = { day = \"x\" }", &["keep.day", "x"]),
        ("[kinds.gifts]\nkeep = { all = \"3d\" }", &["keep.all"]),
        ("[kinds.gifts]\nclose = { all = \"3d\" }", &["close.all"]),
        (
            "[kinds.gifts]\nfields = [{ name = \"rank\" }]",
            &["fields", "rank"],
        ),
        (
            "[kinds.gifts]\nfields = [{ name = \"a\", op = \"avg\" }]",
            &["fields.op", "sum"],
        ),
        ("[kinds.Gifts]", &["Gifts"]),
        ("[kinds.gifts", &["megaboard.toml"]),
    ] {
        let (status, stderr) = Launch::on_a_free_port(config).refused();
        assert_eq!(status, Some(1), "{config}: {stderr}");
        for part in parts {
            assert!(
                stderr.contains(part),
                "{config}: {part:?} is not in: {stderr}"
            );
        }
    }
}

#[test]
fn a_port_in_use_is_reported() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (status, stderr) = Launch::new().args(&format!("--listen {address}")).refused();
    assert_eq!(status, Some(1));
    assert!(stderr.contains(&address), "{stderr}");
}

#[test]
fn the_exit_status_of_an_invalid_command_line_is_2() {
    for arguments in [
        &["serve", "--port", "1"][..],
        &["serve", "extra"],
        &["sing"],
        &[],
    ] {
        assert_eq!(cli::run(arguments, b"").status, Some(2), "{arguments:?}");
    }
    let help = cli::run(&["serve", "--help"], b"");
    assert_eq!(help.status, Some(0));
    for text in ["MEGABOARD_LISTEN", "MEGABOARD_STORE", "MEGABOARD_CONFIG"] {
        assert!(help.stdout.contains(text), "{text}: {}", help.stdout);
    }
}

#[test]
fn all_settings_of_a_kind_are_applied() {
    let server = Server::with(
        "[kinds.races]\nmode = \"best\"\nfields = [{ name = \"laps\" }, \
         { name = \"seconds\", order = \"asc\" }]\nrank = \"competition\"\nties = \"latest\"\n\
         windows = [\"week\", \"all\"]\ntime_zone = \"Asia/Shanghai\"\nshards = 4\ntop = 50\n\
         max_staleness = \"1s\"\nkeep = { week = \"forever\", all = { idle = \"7d\" } }\n\
         close = { week = \"10m\" }\ndedupe = \"2h\"\n",
    );
    let expected: Value = json!({
        "kind": "races", "mode": "best", "rank": "competition", "ties": "latest",
        "fields": [{"name": "laps", "order": "desc"}, {"name": "seconds", "order": "asc"}],
        "windows": ["week", "all"], "time_zone": "Asia/Shanghai", "shards": 4, "top": 50,
        "max_staleness": "1s", "keep": {"week": "forever", "all": {"idle": "7d"}},
        "close": {"week": "10m"}, "dedupe": "2h",
    });
    assert_eq!(server.get("/v1/kinds/races").ok(), expected);
    assert_eq!(server.get("/v1/kinds").ok(), json!({"kinds": [expected]}));
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
    let config = "[server]\nstore = \"redis://:s3cret@127.0.0.1:1\" x\n";
    let (status, stderr) = Launch::on_a_free_port(config).refused();
    assert_eq!(status, Some(1));
    assert!(
        stderr.contains("line 2") && !stderr.contains("s3cret"),
        "{stderr}"
    );
}

#[test]
fn misplaced_secrets_are_never_shown() {
    for (config, part) in [
        ("[server]\ntoken_secret = 77123456", "server.token_secret"),
        (
            "[publish.targets.a]\npassword = 77123456",
            "publish.targets.a.password",
        ),
        ("[publish.targets.a]\npasword = \"s3cret\"", "pasword"),
        ("[tracing]\notlp = \"http://a?key=s3cret\"", "tracing.otlp"),
    ] {
        let (status, stderr) = Launch::on_a_free_port(config).refused();
        assert_eq!(status, Some(1), "{config}: {stderr}");
        assert!(
            stderr.contains(part),
            "{config}: {part:?} is not in: {stderr}"
        );
        for secret in ["s3cret", "77123456"] {
            assert!(!stderr.contains(secret), "{stderr}");
        }
    }
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
