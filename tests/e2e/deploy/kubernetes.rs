//! The manifests of `deploy/kubernetes`, a kustomization for each store.

use std::collections::BTreeSet;

use serde_json::Value;
use testkit::Server;

use super::{PORT, STOP_S, assert_accepts, assert_reads, path, started_with, text, texts, yaml};

/// The kustomizations, with the file of their servers.
const STORES: [(&str, &str); 2] = [
    ("embedded", "statefulset.yaml"),
    ("redis", "deployment.yaml"),
];

fn of(store: &str, file: &str) -> Value {
    yaml(&format!("kubernetes/{store}/{file}"))
}

fn pod(store: &str, file: &str) -> Value {
    of(store, file)["spec"]["template"]["spec"].clone()
}

fn server(store: &str) -> Server {
    started_with(&text(&format!("kubernetes/{store}/megaboard.toml")))
}

/// Returns the `NAME=VALUE` pairs of the configuration map.
fn literals(store: &str) -> Vec<(String, String)> {
    let kustomization = of(store, "kustomization.yaml");
    let literals = texts(&kustomization["configMapGenerator"][0]["literals"]);
    let parted = literals.iter().map(|text| text.split_once('=').unwrap());
    parted
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[test]
fn every_manifest_is_in_its_kustomization() {
    for (store, _) in STORES {
        let kustomization = of(store, "kustomization.yaml");
        let mut named: BTreeSet<String> = texts(&kustomization["resources"])
            .into_iter()
            .chain(texts(&kustomization["secretGenerator"][0]["files"]))
            .map(str::to_owned)
            .collect();
        named.insert("kustomization.yaml".to_owned());
        let files = std::fs::read_dir(path("kubernetes").join(store)).unwrap();
        let there = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        assert_eq!(there.collect::<BTreeSet<_>>(), named, "{store}");
        for file in texts(&kustomization["resources"]) {
            let manifest = of(store, file);
            assert!(manifest["kind"].is_string(), "{store}: {file}");
        }
    }
}

#[test]
fn the_program_accepts_the_command_lines() {
    for (store, file) in STORES {
        let pod = pod(store, file);
        let container = &pod["containers"][0];
        let args = texts(&container["args"]);
        assert_accepts(&args);
        let config = args.iter().find_map(|arg| arg.strip_prefix("--config="));
        let mut mounts = container["volumeMounts"].as_array().unwrap().iter();
        let mount = mounts.find(|mount| mount["name"] == "config").unwrap();
        let folder = mount["mountPath"].as_str().unwrap();
        assert_eq!(config.unwrap(), format!("{folder}/megaboard.toml"));
        let set = container["env"].as_array().unwrap();
        assert_reads(set.iter().map(|set| set["name"].as_str().unwrap()));
        let literals = literals(store);
        assert_reads(literals.iter().map(|(name, _)| name.as_str()));
        assert!(
            set.iter().any(|set| set["name"] == "MEGABOARD_LISTEN"
                && set["value"] == format!("0.0.0.0:{PORT}"))
        );
        assert_eq!(container["ports"][0]["containerPort"], PORT);
    }
}

#[test]
fn probes_are_answered_and_requests_without_a_key_are_refused() {
    for (store, file) in STORES {
        let server = server(store);
        let pod = pod(store, file);
        let container = &pod["containers"][0];
        // Not /readyz: an unavailable Redis would take every pod out of the service.
        let path = "/healthz";
        for probe in ["startupProbe", "livenessProbe", "readinessProbe"] {
            let get = &container[probe]["httpGet"];
            assert_eq!(get["path"], path, "{store}: {probe}");
            assert_eq!(get["port"], container["ports"][0]["name"]);
            let port = server.address().rsplit(':').next().unwrap();
            let mut wire = testkit::Wire::to(&format!("127.0.0.1:{port}"));
            wire.write(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n"));
            assert_eq!(wire.response().status, 200, "{store}: {probe}");
            wire.write("GET /v1/kinds HTTP/1.1\r\nhost: localhost\r\n\r\n");
            assert_eq!(wire.response().status, 401);
        }
    }
}

#[test]
fn pods_have_few_rights_and_enough_time_to_stop() {
    for (store, file) in STORES {
        let pod = pod(store, file);
        assert_eq!(pod["automountServiceAccountToken"], false, "{store}");
        assert_eq!(pod["securityContext"]["runAsNonRoot"], true, "{store}");
        let container = &pod["containers"][0];
        let rights = &container["securityContext"];
        assert_eq!(rights["readOnlyRootFilesystem"], true, "{store}");
        assert_eq!(rights["allowPrivilegeEscalation"], false, "{store}");
        assert_eq!(texts(&rights["capabilities"]["drop"]), ["ALL"], "{store}");
        assert!(container["resources"]["limits"]["memory"].is_string());
        let grace = pod["terminationGracePeriodSeconds"].as_u64();
        assert!(grace.unwrap() >= STOP_S, "{store}");
    }
}

#[test]
fn selectors_match_the_pods() {
    for (store, file) in STORES {
        let servers = of(store, file);
        let labels = &servers["spec"]["template"]["metadata"]["labels"];
        assert!(labels.is_object(), "{store}");
        assert_eq!(&servers["spec"]["selector"]["matchLabels"], labels);
        assert_eq!(&of(store, "service.yaml")["spec"]["selector"], labels);
        for spread in pod(store, file)["topologySpreadConstraints"]
            .as_array()
            .into_iter()
            .flatten()
        {
            assert_eq!(&spread["labelSelector"]["matchLabels"], labels);
        }
    }
    let budget = of("redis", "disruption.yaml");
    let labels = &of("redis", "service.yaml")["spec"]["selector"];
    assert_eq!(&budget["spec"]["selector"]["matchLabels"], labels);
    // A disruption budget that allows no eviction would block every drain.
    assert!(
        budget["spec"]["maxUnavailable"]
            .as_u64()
            .is_some_and(|n| n > 0)
    );
}

#[test]
fn a_folder_has_one_replica_and_redis_several() {
    assert_eq!(of("embedded", "statefulset.yaml")["spec"]["replicas"], 1);
    let several = of("redis", "deployment.yaml")["spec"]["replicas"].as_u64();
    assert!(several.unwrap() > 1);
}
