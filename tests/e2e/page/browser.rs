//! The browser of all scenarios, and a server for each: [`passes`] runs one.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use serde_json::{Value, json};
use testkit::redis::Port;
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

/// Runs a scenario on a server of its own, which can be killed and started again at its address.
#[track_caller]
pub(super) fn passes(scenario: &str) {
    let port = Port::reserve();
    let config = CONFIG.replace("ZONE", clock::zone_in_mid_hour());
    let launch = Launch::new().file("megaboard.toml", &config);
    let flags = format!("--listen {} --audit-log audit.log", port.address());
    let server = launch.args(&flags).start();
    let (mut replies, messages) = connect(&json!({"run": scenario, "url": server.url()}));
    let (mut up, mut down) = (Some(server), None);
    for message in messages {
        let message: Value = serde_json::from_str(&message.unwrap()).unwrap();
        match message["ask"].as_str() {
            Some("kill") => down = up.take().map(Server::kill),
            Some("start") => up = down.take().map(Launch::start),
            _ if message["passed"] == true => return,
            _ => panic!("{scenario}: {}", message["failed"].as_str().unwrap()),
        }
        writeln!(replies, "done").unwrap();
    }
    panic!("{scenario}: the browser has ended");
}

/// Returns the names of all scenarios.
pub(super) fn all_names() -> Vec<String> {
    let (_, mut messages) = connect(&json!({"list": true}));
    let names = messages.next().unwrap().unwrap();
    serde_json::from_str(&names).unwrap()
}

/// Sends a message to the browser, which the first test starts. Returns its connection.
fn connect(message: &Value) -> (TcpStream, Lines<BufReader<TcpStream>>) {
    /// Its port, and its process, which ends with its standard input when this process does.
    static BROWSER: OnceLock<(u16, Child)> = OnceLock::new();
    let (port, _) = BROWSER.get_or_init(start);
    let mut connection = TcpStream::connect((Ipv4Addr::LOCALHOST, *port)).unwrap();
    writeln!(connection, "{message}").unwrap();
    let messages = BufReader::new(connection.try_clone().unwrap());
    (connection, messages.lines())
}

fn start() -> (u16, Child) {
    let mut browser = Command::new("node");
    browser.arg(scripts().join("run.mjs")).arg(screenshots());
    browser.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut browser = browser
        .spawn()
        .expect("node is missing: apt-get install nodejs, or tests/run");
    let mut port = String::new();
    let mut stdout = BufReader::new(browser.stdout.take().unwrap());
    stdout.read_line(&mut port).unwrap();
    let port = port.trim_end().parse().expect("the port of the browser");
    (port, browser)
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
