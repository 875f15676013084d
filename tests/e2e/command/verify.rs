//! `megaboard verify`: the printed counts and the exit status.

use testkit::cli;

#[test]
fn a_correct_store_is_counted_with_status_0() {
    let run = cli::run(&["verify", "--store", "memory:"], b"");
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(run.stdout, "0 boards, 0 standings, 0 disagreements\n");
}

#[test]
fn repairs_are_counted_if_requested() {
    let run = cli::run(&["verify", "--repair", "--store", "memory:"], b"");
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(
        run.stdout,
        "0 boards, 0 standings, 0 disagreements, 0 repaired\n"
    );
}

#[test]
fn an_unknown_store_is_reported_with_status_1() {
    let run = cli::run(&["verify", "--store", "paper:"], b"");
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.contains("paper:"), "{run:?}");
}
