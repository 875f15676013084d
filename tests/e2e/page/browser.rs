//! The browser that runs all scenarios, once for all tests: [`passed`] asserts the result of one.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;
use testkit::{Launch, Server, clock};

/// The kinds of the scenarios. Their hour does not end during the run.
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

/// The result of each scenario by name, with the error if it failed.
type Outcomes = BTreeMap<String, Result<(), String>>;

/// Asserts that a scenario has passed.
#[track_caller]
pub(super) fn passed(scenario: &str) {
    let outcomes = outcomes().unwrap_or_else(|why| panic!("{why}"));
    match outcomes.get(scenario) {
        Some(Ok(())) => {}
        Some(Err(why)) => panic!("{scenario}: {why}"),
        None => panic!("{scenario}: was not run"),
    }
}

/// Returns the names of all scenarios that were run.
pub(super) fn names_of_run() -> Vec<&'static str> {
    let outcomes = outcomes().unwrap_or_else(|why| panic!("{why}"));
    outcomes.keys().map(String::as_str).collect()
}

/// Returns the results of the single run. If it broke off it is not repeated by every test.
fn outcomes() -> Result<&'static Outcomes, &'static str> {
    static OUTCOMES: OnceLock<Option<Outcomes>> = OnceLock::new();
    let outcomes = OUTCOMES.get_or_init(|| catch_unwind(|| run(&scripts(), &screenshots())).ok());
    outcomes
        .as_ref()
        .ok_or("the scenarios were not run: see the first failure")
}

/// Returns the folder of the scenarios, and asserts that their dependencies are installed.
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

/// Returns `target/page-screenshots`.
fn screenshots() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let target = test.ancestors().nth(3).unwrap();
    target.join("page-screenshots")
}

/// Returns a launch whose server restarts at the same address, unless another process takes the
/// port.
fn launch() -> Launch {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    Launch::new()
        .file(
            "megaboard.toml",
            &CONFIG.replace("ZONE", clock::zone_in_mid_hour()),
        )
        .args(&format!("--listen {address} --audit-log audit.log"))
}

fn run(scripts: &Path, screenshots: &Path) -> Outcomes {
    let server = launch().start();
    let mut browser = Command::new("node");
    browser.arg(scripts.join("run.mjs"));
    browser.arg(server.url()).arg(screenshots);
    browser.stdin(Stdio::piped()).stdout(Stdio::piped());
    let browser = browser
        .spawn()
        .expect("node is missing: apt-get install nodejs, or tests/run");
    read_outcomes(browser, server)
}

/// Reads the messages of the browser, line by line, and answers its requests.
fn read_outcomes(mut browser: Child, server: Server) -> Outcomes {
    let mut replies = browser.stdin.take().unwrap();
    let messages = BufReader::new(browser.stdout.take().unwrap());
    let mut outcomes = Outcomes::new();
    let mut up = Some(server);
    let mut down = None;
    for line in messages.lines() {
        let line = line.unwrap();
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        if let Some(name) = message["passed"].as_str() {
            println!("{name}: {} ms", message["ms"]);
            outcomes.insert(name.to_owned(), Ok(()));
        } else if let Some(name) = message["failed"].as_str() {
            let why = message["why"].as_str().unwrap().to_owned();
            outcomes.insert(name.to_owned(), Err(why));
        } else {
            match message["ask"].as_str() {
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
