//! `completions` and `man`, generated from the command line.

use std::io::Write as _;
use std::process::{Command, Stdio};

use testkit::cli;

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
