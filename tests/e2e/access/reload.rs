//! Keys are reloaded while the server runs: when the file changes, and at SIGHUP.

use testkit::{Server, eventually};

use super::{Key, lines};

fn write(server: &Server, config: &str) {
    std::fs::write(server.folder().join("megaboard.toml"), config).unwrap();
    server.signal("HUP");
}

fn status(server: &Server, key: &Key) -> u16 {
    key.get(server, "/v1/kinds").status
}

#[test]
fn keys_are_reloaded_and_an_invalid_file_keeps_the_old_ones() {
    let (old, new) = (Key::new("--name old"), Key::new("--name new"));
    let server = Server::with(&old.lines);
    assert_eq!((status(&server, &old), status(&server, &new)), (200, 401));
    // Waits for the log: requests with wrong keys are limited.
    let logs = |line: &str| {
        eventually("the reload is logged", || {
            server.log().contains(line).then_some(())
        });
    };
    write(&server, &lines(&[&old, &new]));
    logs("keys=2 added=new removed=");
    assert_eq!((status(&server, &new), status(&server, &old)), (200, 200));
    write(&server, &new.lines);
    logs("keys=1 added= removed=old");
    assert_eq!((status(&server, &new), status(&server, &old)), (200, 401));
    let pasted = format!("[server]\nkeys = [\"{}\"]", old.text);
    for (bad, part) in [
        (pasted.as_str(), "server.keys: "),
        ("[[server.keys]]\nname = \"x\"", "line"),
        (
            "[[server.keys]]\nname = \"x\"\nhash = \"y\"\nscope = \"read\"",
            "hash",
        ),
    ] {
        let before = server
            .log()
            .matches("the keys could not be reloaded")
            .count();
        write(&server, bad);
        let log = eventually("the error is logged", || {
            let log = server.log();
            let errors = log.matches("the keys could not be reloaded").count();
            (errors > before).then_some(log)
        });
        assert!(log.contains(part), "{log}");
        assert!(!log.contains(&old.text), "{log}");
        assert_eq!((status(&server, &new), status(&server, &old)), (200, 401));
    }
}

#[test]
fn the_first_key_closes_the_server_and_removing_the_last_requires_open() {
    let key = Key::new("");
    let server = Server::start();
    let is_open = || server.get("/v1/kinds").status == 200;
    assert!(is_open());
    write(&server, &key.lines);
    eventually("a key is required", || (!is_open()).then_some(()));
    let refusals = || {
        server
            .log()
            .matches("the keys could not be reloaded")
            .count()
    };
    write(&server, "");
    eventually("the reload is refused", || (refusals() == 1).then_some(()));
    assert!(!is_open());
    std::fs::remove_file(server.folder().join("megaboard.toml")).unwrap();
    server.signal("HUP");
    eventually("the second reload is refused", || {
        (refusals() == 2).then_some(())
    });
    assert!(!is_open());
    assert_eq!(status(&server, &key), 200);
    write(&server, "[server]\nopen = true\n");
    eventually("no key is required", || is_open().then_some(()));
}
