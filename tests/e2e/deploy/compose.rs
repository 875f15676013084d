//! The compose files.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{PORT, STOP_S, started_with, takes, text, texts, yaml};

const FILES: [&str; 3] = ["compose.yaml", "compose.redis.yaml", "compose.cluster.yaml"];

/// The services that are Megaboard's, by name.
fn servers(file: &Value) -> Map<String, Value> {
    let services = file["services"].as_object().unwrap().iter();
    let ours = services.filter(|(_, service)| service["image"] == "megaboard");
    ours.map(|(name, service)| (name.clone(), service.clone()))
        .collect()
}

#[test]
fn the_program_takes_what_the_files_call_it_with() {
    for name in FILES {
        let servers = servers(&yaml(name));
        assert!(!servers.is_empty(), "{name}");
        for (server, service) in servers {
            let command = texts(&service["command"]);
            takes(&command);
            // Published on loopback, so that no key is needed; whoever changes the one thinks of the other.
            assert!(command.contains(&"--open"), "{name}: {server}");
            for port in texts(&service["ports"]) {
                assert!(port.starts_with("127.0.0.1:"), "{name}: {server}: {port}");
                assert!(port.ends_with(&format!(":{PORT}")), "{name}: {port}");
            }
        }
    }
}

#[test]
fn servers_have_no_more_rights_than_they_need_and_time_to_stop() {
    for name in FILES {
        for (server, service) in servers(&yaml(name)) {
            assert_eq!(service["read_only"], true, "{name}: {server}");
            assert_eq!(texts(&service["cap_drop"]), ["ALL"], "{name}: {server}");
            let options = texts(&service["security_opt"]);
            assert_eq!(options, ["no-new-privileges:true"], "{name}: {server}");
            let grace = service["stop_grace_period"].as_str().unwrap();
            let seconds: u64 = grace.strip_suffix('s').unwrap().parse().unwrap();
            assert!(seconds >= STOP_S, "{name}: {server}");
        }
    }
}

#[test]
fn what_is_mounted_and_awaited_is_there() {
    for name in FILES {
        let file = yaml(name);
        let services = file["services"].as_object().unwrap();
        let mut used = BTreeSet::new();
        for (service, told) in services {
            for volume in told["volumes"].as_array().into_iter().flatten() {
                let source = volume.as_str().unwrap().split(':').next().unwrap();
                match source.strip_prefix("./") {
                    Some(file) => assert!(!text(file).is_empty(), "{name}: {service}"),
                    None => assert!(used.insert(source.to_owned()), "{name}: {source}"),
                }
            }
            for (awaited, _) in told["depends_on"].as_object().into_iter().flatten() {
                assert!(services.contains_key(awaited), "{name}: {awaited}");
            }
        }
        let volumes = file["volumes"].as_object().unwrap();
        let told: BTreeSet<String> = volumes.keys().cloned().collect();
        assert_eq!(told, used, "{name}");
    }
}

#[test]
fn a_server_starts_with_the_settings_of_the_cluster() {
    let config = text("compose.cluster.toml");
    let open = format!("[server]\nopen = true\n{config}");
    assert_eq!(started_with(&open).get("/readyz").status, 200);
}
