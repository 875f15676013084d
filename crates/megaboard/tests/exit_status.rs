//! Exit statuses and output streams of the commands.

#![expect(
    clippy::unwrap_used,
    reason = "all of this file is tests, its helpers too"
)]

use std::io::Write as _;
use std::net::TcpListener;
use std::process::{Command, Output, Stdio};

fn megaboard(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_megaboard"));
    command
        .args(arguments)
        .env_remove("MEGABOARD_SERVER")
        .env_remove("MEGABOARD_KEY");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str]) -> Output {
    megaboard(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The URL of a port on which nothing listens.
fn dead_url() -> String {
    format!(
        "http://{}",
        TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
    )
}

#[test]
fn importing_an_empty_file_succeeds_with_a_summary() {
    let output = run(&["import", "-"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let summary = text(&output.stdout);
    assert!(
        summary.starts_with("applied 0, duplicates 0, skipped 0, rejected 0, failed 0; took "),
        "{summary}"
    );
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn an_unreadable_row_is_reported_and_the_exit_status_is_1() {
    let arguments = "import - --kind k --subject s --member-column m --points-column p";
    let mut child = megaboard(&arguments.split(' ').collect::<Vec<_>>())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"m,p\n\x1b[2J,1,\nu,1.5\n")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&output.stderr),
        "megaboard: line 2: 3 cells, but the header has 2\n\
         megaboard: line 3: p: \"1.5\" is not an integer\n"
    );
    let summary = text(&output.stdout);
    assert!(summary.contains("rejected 2, failed 0; of the rejected, 2 could not be read; took "));
}

#[test]
fn a_missing_file_or_server_is_named_and_the_exit_status_is_1() {
    let output = run(&[
        "import",
        "no-such-file.csv.gz",
        "--kind",
        "k",
        "--subject",
        "s",
    ]);
    assert_eq!(
        output.status.code(),
        Some(2),
        "columns are asked for before the file"
    );
    let output = run(&["import", "no-such-file.ndjson"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).starts_with("megaboard: no-such-file.ndjson: "));

    let url = dead_url();
    let output = run(&["top", "gifts/room", "--server", &url]);
    assert_eq!(output.status.code(), Some(1));
    let complaint = text(&output.stderr);
    assert!(
        complaint.starts_with(&format!("megaboard: cannot reach {url}: ")),
        "{complaint}"
    );
    assert_eq!(text(&output.stdout), "");
}

#[test]
fn the_exit_status_of_an_invalid_command_line_is_2() {
    for arguments in [
        &["top", "gifts"][..],
        &["top", "gifts/a", "--server", "localhost"],
        &["import", "a.ndjson", "--kind", "gifts"],
        &["import", "a.csv"],
        &["import"],
        &["nonsense"],
    ] {
        assert_eq!(run(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

/// Only on Linux, where another process can see whether the handlers are installed.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_prints_the_summary_and_the_next_line_and_the_exit_status_is_130() {
    for signal in ["INT", "TERM"] {
        let mut child = megaboard(&["import", "-", "--from-line", "5"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        // Kept open, so that the import waits for more. The handlers are installed after the first byte.
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"\n").unwrap();
        let process = child.id().to_string();
        listens(&process);
        assert!(
            Command::new("sh")
                .args(["-c", "kill -s \"$1\" \"$0\"", &process, signal])
                .status()
                .unwrap()
                .success()
        );
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
        assert!(text(&output.stdout).starts_with("applied 0, "));
        assert_eq!(
            text(&output.stderr),
            "megaboard: interrupted; continue with --from-line 5\n"
        );
    }
}

/// Waits until the handlers of both signals are installed.
#[cfg(target_os = "linux")]
fn listens(process: &str) {
    use std::time::{Duration, Instant};

    // SIGINT is signal 2, the second bit; SIGTERM signal 15.
    const BOTH: u64 = (1 << 1) | (1 << 14);
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let caught = status
            .lines()
            .find_map(|line| line.strip_prefix("SigCgt:"))
            .unwrap();
        if u64::from_str_radix(caught.trim(), 16).unwrap() & BOTH == BOTH {
            return;
        }
        assert!(Instant::now() < deadline, "no handlers for the signals");
        std::thread::sleep(Duration::from_millis(5));
    }
}
