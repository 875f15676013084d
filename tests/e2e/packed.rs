//! A packed kind on Redis: values and times are in one number.

use testkit::redis::RedisServer;

use crate::redis::{SCRIPT_FREE, serve};

const KIND: &str = r#"
[kinds.gifts]
windows = ["all"]
shards = 1
packed = { most = 1000, unit = "1s", from = "2026-01-01T00:00:00Z", until = "2027-01-01T00:00:00Z" }
"#;

/// The layout in `docs/methods.md`: 10 bits of points, 43 of seconds.
#[test]
fn one_sorted_set_has_bare_names() {
    for config in [KIND.to_owned(), format!("[redis]\n{SCRIPT_FREE}{KIND}")] {
        let redis = RedisServer::plain();
        let server = serve(&redis.url(), &config);
        let item =
            r#"{"board": "gifts/a", "member": "b", "points": 600, "at": "2026-03-01T12:00:01.1Z"}"#;
        server.json("POST", "/v1/contributions", item).ok();
        let keys = redis.command(&["KEYS", "megaboard:*gifts/a*:scores"]);
        assert!(keys.items().is_empty(), "{keys:?}");
        let keys = redis.command(&["KEYS", "megaboard:*gifts/a*:all:rank"]);
        let score = redis.command(&["ZSCORE", keys.items()[0].text(), "b"]);
        let seconds = 5_140_801;
        let expected: i64 = (600 << 43) + (1 << 43) - 1 - seconds;
        assert_eq!(score.text(), expected.to_string());
    }
}
