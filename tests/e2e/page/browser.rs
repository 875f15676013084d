//! The browser that passes the scenarios, once for all tests that ask what became of one: [`passed`].

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;
use testkit::{Launch, Server, clock};

/// The kinds that scenarios speak of. Their hour is not over before the scenarios are.
const CONFIG: &str = r#"
[kinds.gifts]
time_zone = "ZONE"
[kinds.halls]
windows = ["all"]
[kinds.races]
mode = "best"
fields = [{ name = "laps" }, { name = "seconds", order = "asc" }]
time_zone = "ZONE"
windows = ["week", "all"]
[kinds.replies]
fields = [{ name = "agree" }, { name = "comments" }, { name = "last_reply", op = "max" }]
windows = ["all"]
[server.cors] # for the example; its origin is not known yet
origins = ["*"]
"#;

/// What became of each scenario, by its name: why it failed, if it did.
type Outcomes = BTreeMap<String, Result<(), String>>;

/// Asserts that the scenario of this name passed.
#[track_caller]
pub(super) fn passed(scenario: &str) {
    let outcomes = outcomes().unwrap_or_else(|why| panic!("{why}"));
    match outcomes.get(scenario) {
        Some(Ok(())) => {}
        Some(Err(why)) => panic!("{scenario}: {why}"),
        None => panic!("{scenario}: was not played"),
    }
}

/// The names of all that were played.
pub(super) fn played() -> Vec<&'static str> {
    let outcomes = outcomes().unwrap_or_else(|why| panic!("{why}"));
    outcomes.keys().map(String::as_str).collect()
}

/// What the one run came to. One that broke off is not played again by every test.
fn outcomes() -> Result<&'static Outcomes, &'static str> {
    static OUTCOMES: OnceLock<Option<Outcomes>> = OnceLock::new();
    let played = OUTCOMES.get_or_init(|| catch_unwind(|| play(&scripts(), &screenshots())).ok());
    played
        .as_ref()
        .ok_or("the scenarios were not played: see the first failure")
}

/// Where the scenarios lie, with what they need beside them.
pub(crate) fn scripts() -> PathBuf {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
    let packages = ["openapi-typescript", "playwright-core"];
    assert!(
        packages.map(|package| scripts.join("node_modules").join(package).exists()) == [true; 2],
        "the page's tests need Node.js, Chromium and the packages of tests/page: tests/run gets them; by hand: \
         apt-get install chromium nodejs npm && npm ci --prefix tests/page --ignore-scripts"
    );
    scripts
}

/// `target/page-screenshots`, kept for whoever wants to look.
fn screenshots() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let target = test.ancestors().nth(3).unwrap();
    target.join("page-screenshots")
}

/// A server that comes back at the same address, as long as nobody else takes its port meanwhile.
fn launch() -> Launch {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    Launch::new()
        .file(
            "megaboard.toml",
            &CONFIG.replace("ZONE", clock::zone_in_mid_hour()),
        )
        .args(&format!("--listen {address}"))
}

fn play(scripts: &Path, screenshots: &Path) -> Outcomes {
    let server = launch().start();
    let mut browser = Command::new("node");
    browser.arg(scripts.join("run.mjs"));
    browser.arg(server.url()).arg(screenshots);
    browser.stdin(Stdio::piped()).stdout(Stdio::piped());
    let browser = browser
        .spawn()
        .expect("node runs: apt-get install nodejs, or tests/run");
    heard(browser, server)
}

/// What the browser tells, line by line, and what it asks for.
fn heard(mut browser: Child, server: Server) -> Outcomes {
    let mut replies = browser.stdin.take().unwrap();
    let told = BufReader::new(browser.stdout.take().unwrap());
    let mut outcomes = Outcomes::new();
    let mut up = Some(server);
    let mut down = None;
    for line in told.lines() {
        let line = line.unwrap();
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        if let Some(name) = told["passed"].as_str() {
            println!("{name}: {} ms", told["ms"]);
            outcomes.insert(name.to_owned(), Ok(()));
        } else if let Some(name) = told["failed"].as_str() {
            let why = told["why"].as_str().unwrap().to_owned();
            outcomes.insert(name.to_owned(), Err(why));
        } else {
            match told["ask"].as_str() {
                Some("kill") => down = up.take().map(Server::kill),
                Some("start") => up = down.take().map(Launch::start),
                _ => panic!("{line}"),
            }
            writeln!(replies, "done").unwrap();
        }
    }
    let status = browser.wait().unwrap();
    assert!(status.success(), "the scenarios broke off: {status}");
    outcomes
}
