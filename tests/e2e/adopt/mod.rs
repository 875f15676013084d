//! `megaboard adopt`: reads sorted sets, written by other systems, into boards.

mod live;

testkit::calls!(encodings, refusals);

use testkit::redis::RedisServer;
use testkit::{Server, cli};

const KINDS: &str = r#"
[kinds.power]
windows = ["all"]
"#;

/// A server, and a Redis to adopt from.
struct Fixture {
    server: Server,
    redis: RedisServer,
}

impl Fixture {
    #[track_caller]
    fn new() -> Self {
        Self {
            server: Server::with(KINDS),
            redis: RedisServer::plain(),
        }
    }

    fn run(&self, arguments: &[&str]) -> cli::Run {
        let url = self.redis.url();
        let mut all = vec!["adopt", "--from", &url, "--server", self.server.url()];
        all.extend(arguments);
        cli::run(&all, b"")
    }

    /// Adopts a key and asserts success.
    #[track_caller]
    fn adopt(&self, key: &str, encoding: &str, board: &str) -> cli::Run {
        let run = self.run(&[
            "--sorted-set",
            key,
            "--encoding",
            encoding,
            "--board",
            board,
        ]);
        assert_eq!(run.status, Some(0), "{run:?}");
        run
    }
}
