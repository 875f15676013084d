//! Over TLS.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use testkit::redis::RedisOptions;

use super::counting::{make, open_with, ping, refusal};
use crate::settings::RedisSettings;

fn openssl(folder: &Path, words: &str) {
    let mut command = Command::new("openssl");
    command.args(words.split(' ')).current_dir(folder);
    let output = command.output().unwrap_or_else(|error| {
        panic!("openssl is missing (Debian, Ubuntu: apt-get install openssl): {error}")
    });
    assert!(output.status.success(), "{output:?}");
}

/// `ca.pem`, and `server.pem` for `localhost` with its key.
fn certificates(folder: &Path) {
    openssl(
        folder,
        "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ca -keyout ca.key -out ca.pem",
    );
    openssl(
        folder,
        "req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr",
    );
    std::fs::write(
        folder.join("names"),
        "subjectAltName=DNS:localhost,IP:127.0.0.1",
    )
    .unwrap();
    openssl(
        folder,
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names \
         -out server.pem",
    );
}

/// A port on which nothing listens.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_trusted_by_the_certificates_of_the_settings() {
    let folder = TempDir::new().unwrap();
    certificates(folder.path());
    let port = free_port();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let _redis = RedisOptions::new()
        .redis_itself()
        .config(&format!("tls-port {port}"))
        .config(&format!("tls-cert-file {}", file("server.pem")))
        .config(&format!("tls-key-file {}", file("server.key")))
        .config(&format!("tls-ca-cert-file {}", file("ca.pem")))
        .config("tls-auth-clients no")
        .start();
    let settings = RedisSettings {
        tls_ca: Some(folder.path().join("ca.pem")),
        ..RedisSettings::default()
    };
    for host in ["localhost", "127.0.0.1"] {
        let url = format!("rediss://{host}:{port}");
        let servers = open_with(&url, &settings).await.unwrap();
        make(&servers, &ping()).await.unwrap();
    }
    let stranger = RedisSettings {
        tls_ca: Some(folder.path().join("other.pem")),
        ..RedisSettings::default()
    };
    openssl(
        folder.path(),
        "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=x -keyout x.key -out other.pem",
    );
    let refused = refusal(&format!("rediss://localhost:{port}"), &stranger).await;
    assert!(refused.contains("UnknownIssuer"), "{refused}");
}
