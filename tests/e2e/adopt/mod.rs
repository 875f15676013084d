//! `megaboard adopt`: reads sorted sets, written by other systems, into boards.

mod encodings;
mod live;
mod refusals;

use serde_json::Value;
use testkit::redis::{RedisServer, Reply};
use testkit::{Server, cli};

/// Kinds for one score, for three, and for ties that order the later first.
const KINDS: &str = r#"
[kinds.power]
windows = ["all"]

[kinds.medals]
windows = ["all"]
fields = [{ name = "gold" }, { name = "silver" }, { name = "bronze" }]

[kinds.rising]
windows = ["all"]
ties = "member"
fields = [{ name = "points", order = "asc" }]

[kinds.golf]
windows = ["all"]
fields = [{ name = "points", order = "asc" }]

[kinds.recent]
windows = ["all"]
ties = "latest"

[kinds.listed]
windows = ["all"]
retain = { keep = 3, approximate = true }

[kinds.daily]
windows = ["day"]

[kinds.both]
windows = ["day", "all"]
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

    /// Runs a command as typed into `redis-cli`, without spaces in its words.
    #[track_caller]
    fn redis(&self, command: &str) -> Reply {
        let words: Vec<&str> = command.split_whitespace().collect();
        let reply = self.redis.command(&words);
        assert!(!matches!(reply, Reply::Error(_)), "{command}: {reply:?}");
        reply
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

    /// Returns the best entries of a board.
    #[track_caller]
    fn entries(&self, board: &str) -> Vec<Value> {
        let range = format!("/v1/boards/{board}/range?from=1&to=1000&window=all");
        self.server.get(range).entries()
    }

    /// Returns member, points and time of the best entries.
    #[track_caller]
    fn standings(&self, board: &str) -> Vec<(String, i64, String)> {
        let entries = self.entries(board);
        let each = |entry: &Value| {
            let text = |name: &str| entry[name].as_str().unwrap().to_owned();
            (
                text("member"),
                entry["points"].as_i64().unwrap(),
                text("reached_at"),
            )
        };
        entries.iter().map(each).collect()
    }

    /// Returns the members of the best entries, in order.
    #[track_caller]
    fn order(&self, board: &str) -> Vec<String> {
        self.standings(board)
            .into_iter()
            .map(|(member, ..)| member)
            .collect()
    }
}

fn standing(member: &str, points: i64, at: &str) -> (String, i64, String) {
    (member.to_owned(), points, at.to_owned())
}
