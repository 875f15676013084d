//! The compose files.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{PORT, STOP_S, assert_accepts, started_with, text, texts, yaml};

const FILES: [&str; 3] = ["compose.yaml", "compose.redis.yaml", "compose.cluster.yaml"];

/// Returns the Megaboard services, by name.
fn servers(file: &Value) -> Map<String, Value> {
    let services = file["services"].as_object().unwrap().iter();
    let ours = services.filter(|(_, service)| service["image"] == "megaboard");
    ours.map(|(name, service)| (name.clone(), service.clone()))
        .collect()
}

#[test]
fn the_program_accepts_the_command_lines() {
    for name in FILES {
        let servers = servers(&yaml(name));
        assert!(!servers.is_empty(), "{name}");
        for (server, service) in servers {
            let command = texts(&service["command"]);
            assert_accepts(&command);
            // Published on loopback, so that no key is required.
            assert!(command.contains(&"--open"), "{name}: {server}");
            for port in texts(&service["ports"]) {
                assert!(port.starts_with("127.0.0.1:"), "{name}: {server}: {port}");
                assert!(port.ends_with(&format!(":{PORT}")), "{name}: {port}");
            }
        }
    }
}

#[test]
fn servers_have_few_rights_and_enough_time_to_stop() {
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
fn mounted_files_and_required_services_exist() {
    for name in FILES {
        let file = yaml(name);
        let services = file["services"].as_object().unwrap();
        let mut used = BTreeSet::new();
        for (service, settings) in services {
            for volume in settings["volumes"].as_array().into_iter().flatten() {
                let source = volume.as_str().unwrap().split(':').next().unwrap();
                match source.strip_prefix("./") {
                    Some(file) => assert!(!text(file).is_empty(), "{name}: {service}"),
                    None => assert!(used.insert(source.to_owned()), "{name}: {source}"),
                }
            }
            for (awaited, _) in settings["depends_on"].as_object().into_iter().flatten() {
                assert!(services.contains_key(awaited), "{name}: {awaited}");
            }
        }
        let volumes = file["volumes"].as_object().unwrap();
        let declared: BTreeSet<String> = volumes.keys().cloned().collect();
        assert_eq!(declared, used, "{name}");
    }
}

#[test]
fn a_server_starts_with_the_configuration_of_the_cluster() {
    let config = text("compose.cluster.toml");
    let open = format!("[server]\nopen = true\n{config}");
    assert_eq!(started_with(&open).get("/readyz").status, 200);
}
