//! Data of an older version opens and gives the same responses: a folder, and the keys of a Redis
//! (`tests/data/older`).

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use testkit::redis::RedisServer;
use testkit::{Launch, Server};

/// Properties that differ from time to time.
const MOMENTARY: [&str; 6] = ["store", "version", "as_of", "age_ms", "stale", "final"];

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("data/older")
        .join(name)
}

fn unpacked(name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut packed = GzDecoder::new(File::open(data(name)).unwrap());
    packed.read_to_end(&mut bytes).unwrap();
    bytes
}

fn launch() -> Launch {
    Launch::on_a_free_port(&std::fs::read_to_string(data("config.toml")).unwrap())
}

fn steady(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !MOMENTARY.contains(&name.as_str()));
            fields.values_mut().for_each(steady);
        }
        Value::Array(items) => items.iter_mut().for_each(steady),
        _ => {}
    }
}

/// Compares every response, and writes further.
#[track_caller]
fn test_answers(server: &Server) {
    let saved: Vec<(String, Value)> = serde_json::from_slice(&unpacked("answers.json.gz")).unwrap();
    assert!(saved.len() > 40, "{} answers", saved.len());
    for (path, saved) in saved {
        let mut now = server.get(&path).ok();
        steady(&mut now);
        // Ranges of the older version had none.
        if saved.get("next").is_none() {
            now.as_object_mut().unwrap().remove("next");
        }
        assert_eq!(now, saved, "{path}");
    }
    let deleted = server.get("/v1/boards/plain/gone/top?window=all").ok();
    assert_eq!(deleted["members"], 0);
    let first = |board| {
        server
            .get(format!("/v1/boards/{board}/top?n=1&window=all"))
            .ok()
    };
    for board in ["plain/a", "packed/a"] {
        let points = &first(board)["entries"][0];
        let (member, before) = (points["member"].clone(), points["points"].as_i64().unwrap());
        let one = json!({"board": board, "member": member, "points": 1});
        assert_eq!(server.contribute(&one).ok()["applied"], 1, "{board}");
        let top = server.get(format!("/v1/boards/{board}/top?n=1&window=all&fresh=true"));
        assert_eq!(top.ok()["entries"][0]["points"], before + 1, "{board}");
    }
}

fn opens(folder: &str) {
    let launch = launch();
    std::fs::create_dir(launch.kept()).unwrap();
    let mut unpack = Command::new("tar");
    unpack
        .arg("xzf")
        .arg(data(folder))
        .arg("-C")
        .arg(launch.kept());
    assert!(unpack.status().unwrap().success());
    let server = launch.start();
    test_answers(&server);
}

#[test]
fn the_folder_of_a_stopped_server_opens() {
    opens("folder.tar.gz");
}

#[test]
fn the_folder_of_a_killed_server_opens() {
    opens("folder-killed.tar.gz");
}

#[test]
fn the_keys_on_redis_are_read() {
    let redis = RedisServer::plain();
    let commands = unpacked("redis.resp.gz");
    let count = commands
        .windows(9)
        .filter(|part| part == b"\r\nRESTORE")
        .count();
    let mut wire = TcpStream::connect(redis.address()).unwrap();
    wire.write_all(&commands).unwrap();
    let mut replies = vec![0; count * b"+OK\r\n".len()];
    wire.read_exact(&mut replies).unwrap();
    assert_eq!(replies, b"+OK\r\n".repeat(count));
    let server = launch().args(&format!("--store {}", redis.url())).start();
    test_answers(&server);
}
