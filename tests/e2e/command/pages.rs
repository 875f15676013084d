//! `completions` and `man`, generated from the command line, and the probes `alive` and `ready`.

use std::io::Write as _;
use std::process::{Command, Stdio};

use testkit::redis::RedisServer;
use testkit::{Launch, cli, eventually};

/// Returns the commands listed by `--help`.
fn commands() -> Vec<String> {
    let help = cli::run(&["help"], b"").stdout;
    let listed = help.split_once("Commands:\n").unwrap().1;
    let lines = listed.lines().take_while(|line| !line.is_empty());
    let begin = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    begin
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .collect()
}

#[test]
fn the_manual_page_has_every_command() {
    let commands = commands();
    assert!(commands.len() > 8, "{commands:?}");
    let page = cli::run(&["man"], b"");
    assert_eq!(page.status, Some(0), "{}", page.stderr);
    for command in commands {
        assert!(page.stdout.contains(&format!("megaboard\\-{command}")));
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a/man1");
    let made = cli::run(&["man", "--out", out.to_str().unwrap()], b"");
    assert_eq!(made.status, Some(0), "{}", made.stderr);
    let serve = std::fs::read_to_string(out.join("megaboard-serve.1")).unwrap();
    assert!(serve.contains("token\\-secret"), "{serve}");
    let taken = folder.path().join("file");
    std::fs::write(&taken, "").unwrap();
    let failed = cli::run(&["man", "--out", taken.to_str().unwrap()], b"");
    assert_eq!(failed.status, Some(1));
    assert!(failed.stderr.contains("file"), "{}", failed.stderr);
}

#[test]
fn bash_accepts_the_completions() {
    let script = cli::run(&["completions", "bash"], b"").stdout;
    for command in commands() {
        assert!(script.contains(&command), "{command}");
    }
    let bash = Command::new("bash").arg("-n").stdin(Stdio::piped()).spawn();
    let mut bash = bash.unwrap();
    let mut input = bash.stdin.take().unwrap();
    input.write_all(script.as_bytes()).unwrap();
    drop(input);
    assert!(bash.wait().unwrap().success());
    let wrong = cli::run(&["completions", "csh"], b"");
    assert_eq!(wrong.status, Some(2), "{}", wrong.stderr);
}

#[test]
fn probes_report_whether_a_server_is_alive_and_ready() {
    let server = testkit::Server::start();
    let url = server.url().to_owned();
    for command in ["alive", "ready"] {
        let asked = cli::run(&[command, "--server", &url], b"");
        assert_eq!((asked.status, &*asked.stdout), (Some(0), ""), "{command}");
    }
    drop(server);
    for command in ["alive", "ready"] {
        let asked = cli::run(&[command, "--server", &url], b"");
        assert_eq!(asked.status, Some(1), "{command}");
        assert!(asked.stderr.contains(&url), "{}", asked.stderr);
    }
}

#[test]
fn a_server_without_its_store_is_alive_and_not_ready() {
    let redis = RedisServer::plain();
    let server = Launch::new().args(&format!("--store {}", redis.url()));
    let server = server.start();
    let url = server.url().to_owned();
    redis.kill();
    eventually("the server is not ready", || {
        let asked = cli::run(&["ready", "--server", &url], b"");
        (asked.status == Some(1)).then_some(())
    });
    let asked = cli::run(&["alive", "--server", &url], b"");
    assert_eq!(asked.status, Some(0), "{}", asked.stderr);
}
