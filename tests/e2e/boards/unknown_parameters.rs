//! Unknown parameters, and invalid flags.

use super::{ladder, on_a};

#[test]
fn reads_reject_unknown_parameters() {
    let server = ladder(3);
    for path in [
        "",
        "/top",
        "/range?from=1&to=2",
        "/count",
        "/members/m01",
        "/members/m01/around",
        "/rank?points=1",
    ] {
        let and =
            |more: &str| format!("{path}{}{more}", if path.contains('?') { '&' } else { '?' });
        for (more, parts) in [
            ("wndow=day", &["wndow", "day"][..]),
            ("Fresh=true", &["Fresh"]),
            ("fresh=1", &["fresh", "\"1\""]),
            ("fresh=true&fresh=true", &["fresh"]),
            ("=", &["parameter"]),
        ] {
            server.get(on_a(&and(more))).problem(400, "invalid", parts);
        }
        server
            .get(on_a(&and("window=day")))
            .problem(400, "invalid", &["window"]);
        for fresh in ["true", "false"] {
            server.get(on_a(&and(&format!("fresh={fresh}")))).ok();
        }
    }
    server.get("/v1/kinds?x=1").problem(400, "invalid", &["x"]);
    server
        .get("/v1/kinds/gifts?x=1")
        .problem(400, "invalid", &["x"]);
}
