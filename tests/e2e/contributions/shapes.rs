//! One object, an array, or lines: the same contributions in three forms, and their receipts.

use testkit::Server;
use testkit::clock::{now_us, rfc3339_us};

#[test]
fn a_contribution_without_a_time_counts_now() {
    let server = Server::start();
    let before = rfc3339_us(now_us());
    server.give("gifts/a", &[("u", 1)]);
    let after = rfc3339_us(now_us());
    for window in ["hour", "day", "week", "month", "all"] {
        // If the hour changes in between, the contribution counts in the previous one.
        let shown = server.get(format!("/v1/boards/gifts/a/members/u?window={window}"));
        if shown.status == 404 {
            assert_ne!(
                before[..13],
                rfc3339_us(now_us())[..13],
                "{window}: {shown:?}"
            );
            continue;
        }
        let shown = shown.ok();
        let reached_at = shown["reached_at"].as_str().unwrap();
        assert!(*before <= *reached_at && *reached_at <= *after, "{shown}");
    }
}
