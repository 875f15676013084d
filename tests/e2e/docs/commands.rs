//! The commands of the pages that a new user follows are run as they are written, in the order of
//! the page, and their output is what the page shows. So is `examples/curl.sh`.

use std::fmt::Write as _;
use std::process::Command;

use testkit::redis::RedisServer;
use testkit::{Launch, Server, megaboard};

use super::transcript::{Step, steps};
use super::{page, root};

/// The address of servers in pages.
const SERVER: &str = "localhost:8080";
/// The address of Redis in pages.
const REDIS: &str = "127.0.0.1:6379";

/// What serves boards in pages. The test starts the server itself, on a free port.
const SERVES: [&str; 2] = ["cargo run --release -- serve", "megaboard serve"];

/// Commands that are not run: they get, build and check the sources that this test was built from,
/// run all tests, or extend the `PATH` of the shell, which has the binary here.
const NOT_RUN: [&str; 5] = [
    "git clone",
    "cargo build",
    "make check",
    "tests/run",
    "export PATH=",
];

/// Functions in place of the commands of a page: `cargo run` runs the binary that was built,
/// `curl` fails for problems, and ends an endless stream after two seconds.
const PRELUDE: &str = r#"
cargo() { shift 3; megaboard "$@"; }
curl() {
    case " $* " in
        *' -N '*) command curl --fail-with-body --max-time 2 "$@" || [ $? = 28 ] ;;
        *) command curl --fail-with-body "$@" ;;
    esac
}
"#;

/// The reader of a page: the server of the page's folder, another one that the page starts, and
/// Redis, if the page needs one.
struct Reader {
    kept: Option<Launch>,
    server: Server,
    redis: Option<RedisServer>,
}

impl Reader {
    /// Runs all commands of a page. Returns their number.
    #[track_caller]
    fn follow(path: &str, redis: Option<RedisServer>) -> usize {
        let mut reader = Self {
            kept: None,
            server: Launch::new().args("--listen 127.0.0.1:0").start(),
            redis,
        };
        let mut count = 0;
        for step in steps(&page(path)) {
            let command = &step.command;
            if NOT_RUN.iter().any(|not| command.starts_with(not)) {
                continue;
            }
            match SERVES.iter().find_map(|serve| command.strip_prefix(serve)) {
                Some(flags) => reader = reader.with_server(flags.trim()),
                None => reader.run(&step, path),
            }
            count += 1;
        }
        count
    }

    /// Stops the server, and starts the one with these flags. Without flags it has the folder of the
    /// first one, so that what was stored is there again.
    #[track_caller]
    fn with_server(self, flags: &str) -> Self {
        let stopped = self.server.stop();
        let (kept, server) = if flags.is_empty() {
            (None, self.kept.unwrap_or(stopped).start())
        } else {
            let launch = Launch::on_a_free_port("").args(flags);
            (self.kept.or(Some(stopped)), launch.start())
        };
        Self {
            kept,
            server,
            ..self
        }
    }

    /// Replaces the addresses of a page.
    fn here(&self, text: &str) -> String {
        let text = text.replace(SERVER, self.server.address());
        match &self.redis {
            Some(redis) => text.replace(REDIS, &redis.address().to_string()),
            None => text,
        }
    }

    #[track_caller]
    fn run(&self, step: &Step, path: &str) {
        let mut script = PRELUDE.to_owned();
        if let Some(redis) = &self.redis {
            let port = redis.port();
            writeln!(
                script,
                "redis-cli() {{ command redis-cli -p {port} \"$@\"; }}"
            )
            .unwrap();
        }
        script += &self.here(&step.command);
        let binaries = megaboard().parent().unwrap().to_str().unwrap();
        let path_variable = std::env::var("PATH").unwrap();
        let output = Command::new("bash")
            .args(["-euo", "pipefail", "-c", &script])
            .current_dir(self.server.folder())
            .env("PATH", format!("{binaries}:{path_variable}"))
            .env("MEGABOARD_SERVER", self.server.url())
            .env_remove("MEGABOARD_KEY")
            .output()
            .unwrap();
        let about = format!("{path}:{}: {}\n{output:?}", step.line, step.command);
        assert!(output.status.success(), "{about}");
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(
            step.shows(&printed),
            "{about}\nthe page shows {}",
            step.output
        );
    }
}

#[test]
fn the_readme_can_be_followed() {
    assert!(Reader::follow("README.md", None) >= 4);
}

#[test]
fn the_quick_start_can_be_followed() {
    assert!(Reader::follow("docs/quickstart.md", None) >= 10);
}

#[test]
fn the_recipes_can_be_followed() {
    assert!(Reader::follow("docs/recipes.md", Some(RedisServer::plain())) >= 20);
}

#[test]
fn the_calls_of_the_example_work() {
    let server = Launch::new().args("--listen 127.0.0.1:0").start();
    let script = root().join("examples/curl.sh");
    let output = Command::new(script).arg(server.url()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}
