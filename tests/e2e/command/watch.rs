//! `megaboard top --watch`: the top whenever it changes, until Ctrl-C.

use std::net::TcpListener;

use serde_json::Value;
use testkit::{Launch, Server, cli, eventually};

fn watch(server: &Server, more: &[&str]) -> cli::Running {
    let flags = [
        "top",
        "gifts/a",
        "--window",
        "all",
        "--watch",
        "--server",
        server.url(),
    ];
    cli::Running::start(&[&flags[..], more].concat())
}

/// Waits until the output has this text.
#[track_caller]
fn shows(run: &cli::Running, text: &str) {
    eventually(text, || run.stdout().contains(text).then_some(()));
}

#[test]
fn each_change_is_a_table_until_ctrl_c() {
    let server = Server::start();
    server.give("gifts/a", &[("u1", 5)]);
    let mut run = watch(&server, &[]);
    shows(&run, "  1 member  ");
    server.give("gifts/a", &[("u2", 9)]);
    shows(&run, "  2 members  ");
    run.signal("INT");
    assert_eq!(run.ended().code(), Some(130), "{}", run.stderr());
    let output = run.stdout();
    let headings = output
        .lines()
        .filter(|line| line.starts_with("gifts/a  all  "));
    assert_eq!(headings.count(), 2, "one table for each version: {output}");
    assert!(
        !output.contains('\u{1b}'),
        "it is not a terminal: {output:?}"
    );
}

#[test]
fn each_change_is_a_line_of_json() {
    let server = Server::start();
    server.give("gifts/a", &[("u1", 5)]);
    let mut run = watch(&server, &["--json", "-n", "1"]);
    shows(&run, "\"members\":1");
    server.give("gifts/a", &[("u2", 9)]);
    shows(&run, "\"members\":2");
    run.signal("INT");
    assert_eq!(run.ended().code(), Some(130));
    let output = run.stdout();
    let tops: Vec<Value> = output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let firsts: Vec<&Value> = tops
        .iter()
        .map(|top| &top["entries"][0]["member"])
        .collect();
    assert_eq!(firsts, ["u1", "u2"]);
    assert_eq!(tops[1]["entries"].as_array().unwrap().len(), 1);
}

#[test]
fn a_lost_server_is_reported_and_the_top_is_shown_again_when_it_is_back() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let server = Launch::new().args(&format!("--listen {port}")).start();
    server.give("gifts/a", &[("u1", 5)]);
    let mut run = watch(&server, &[]);
    shows(&run, "  1 member  ");
    let launch = server.kill();
    eventually("the loss is reported", || {
        run.stderr().contains("; trying again").then_some(())
    });
    let server = launch.start();
    server.give("gifts/a", &[("u2", 9)]);
    shows(&run, "  2 members  ");
    run.signal("INT");
    assert_eq!(run.ended().code(), Some(130), "{}", run.stderr());
    assert_eq!(
        run.stderr().matches("; trying again").count(),
        1,
        "{}",
        run.stderr()
    );
}
