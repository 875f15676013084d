//! SIGHUP: keys come and go while the server serves.

use end_to_end::{Launch, Server, eventually};

use super::{Key, lines};

fn write(server: &Server, config: &str) {
    std::fs::write(server.folder().join("megaboard.toml"), config).unwrap();
    server.signal("HUP");
}

fn status(server: &Server, key: &Key) -> u16 {
    key.get(server, "/v1/kinds").status
}

#[test]
fn keys_are_read_again_and_a_bad_file_keeps_the_old_ones() {
    let (old, new) = (Key::new("--name old"), Key::new("--name new"));
    let server = Server::with(&old.lines);
    assert_eq!((status(&server, &old), status(&server, &new)), (200, 401));
    write(&server, &lines(&[&old, &new]));
    eventually("the new key", || {
        (status(&server, &new) == 200).then_some(())
    });
    assert_eq!(status(&server, &old), 200);
    write(&server, &new.lines);
    eventually("the old key's end", || {
        (status(&server, &old) == 401).then_some(())
    });
    for (bad, part) in [
        ("[[server.keys]]\nname = \"x\"", "line"),
        (
            "[[server.keys]]\nname = \"x\"\nhash = \"y\"\nscope = \"read\"",
            "hash",
        ),
    ] {
        let before = server.log().matches("the keys stay as they were").count();
        write(&server, bad);
        let told = eventually("what is wrong with the file", || {
            let log = server.log();
            let told = log.matches("the keys stay as they were").count();
            (told > before).then_some(log)
        });
        assert!(told.contains(part), "{told}");
        assert_eq!((status(&server, &new), status(&server, &old)), (200, 401));
    }
}

#[test]
fn on_its_machine_a_server_may_lose_its_last_key_and_get_a_first_one() {
    let key = Key::new("");
    let server = Server::start();
    assert_eq!(server.get("/v1/kinds").status, 200);
    write(&server, &key.lines);
    eventually("the first key", || {
        (server.get("/v1/kinds").status == 401).then_some(())
    });
    write(&server, "");
    eventually("no key", || {
        (server.get("/v1/kinds").status == 200).then_some(())
    });
}

#[test]
fn beyond_its_machine_the_last_key_stays() {
    let key = Key::new("");
    let launch = Launch::new().file("megaboard.toml", &key.lines);
    let server = launch.args("--store memory: --listen 0.0.0.0:0").start();
    write(&server, "");
    eventually("the refusal", || {
        server.log().contains("the keys stay").then_some(())
    });
    assert_eq!(server.get("/v1/kinds").status, 401);
    assert_eq!(status(&server, &key), 200);
}
