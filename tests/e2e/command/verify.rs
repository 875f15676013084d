//! `megaboard verify`: counts what it looked through, and says so by its status.

use testkit::cli;

#[test]
fn a_store_in_order_is_counted_with_status_0() {
    let run = cli::run(&["verify", "--store", "memory:"], b"");
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(run.stdout, "0 boards, 0 standings, 0 disagreements\n");
}

#[test]
fn what_was_repaired_is_counted_where_it_was_asked_for() {
    let run = cli::run(&["verify", "--repair", "--store", "memory:"], b"");
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(
        run.stdout,
        "0 boards, 0 standings, 0 disagreements, 0 repaired\n"
    );
}

#[test]
fn an_unknown_store_is_named_with_status_1() {
    let run = cli::run(&["verify", "--store", "paper:"], b"");
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.contains("paper:"), "{run:?}");
}
