//! The addresses that a server without keys may listen on.

use testkit::Launch;

use super::Key;

const BEYOND: &str = "--store memory: --listen 0.0.0.0:0";

#[test]
fn without_keys_other_machines_are_not_served_by_default() {
    // Also for a name that only resolves to such an address.
    let in_file = "[server]\nlisten = \"0.0.0.0:0\"\nstore = \"memory:\"\n";
    let (status, _) = Launch::new().file("megaboard.toml", in_file).refused();
    assert_eq!(status, Some(1));
}

#[test]
fn other_machines_are_served_with_open_or_with_a_key() {
    let key = Key::new("--scope read");
    let starts = |launch: Launch, open: bool| {
        let server = launch.args(BEYOND).start();
        let port = server.address().rsplit(':').next().unwrap();
        let mut wire = testkit::Wire::to(&format!("127.0.0.1:{port}"));
        wire.write("GET /v1/kinds HTTP/1.1\r\nhost: localhost\r\n\r\n");
        assert_eq!(wire.response().status, if open { 200 } else { 401 });
    };
    starts(Launch::new().args("--open"), true);
    starts(Launch::new().env("MEGABOARD_OPEN", "1"), true);
    starts(Launch::new().env("MEGABOARD_OPEN", "true"), true);
    let file = |text: &str| Launch::new().file("megaboard.toml", text);
    starts(file("[server]\nopen = true\n"), true);
    starts(file(&key.lines), false);
    // `--open` permits running without keys; it does not disable configured ones.
    starts(file(&key.lines).args("--open"), false);
    let (status, _) = Launch::new()
        .env("MEGABOARD_OPEN", "0")
        .args(BEYOND)
        .refused();
    assert_eq!(status, Some(1));
}

#[test]
fn errors_in_a_key_are_reported_without_the_key() {
    let key = Key::new("--scope read --name one");
    for (config, part) in [
        (
            format!(
                "[[server.keys]]\nname = \"a\"\nhash = \"{}\"\nscope = \"read\"",
                key.text
            ),
            "line 3, column 8: server.keys.hash",
        ),
        (
            format!("[[server.keys]]\nname = \"a\"\nhash = {}", key.text),
            "hash",
        ),
        (key.lines.replace("read", "all"), "server.keys.scope"),
        (key.lines.replace("read", &key.text), "server.keys.scope"),
        (
            format!("[server]\nkeys = [\"{}\"]", key.text),
            "server.keys: ",
        ),
        (
            format!("[server]\nkeys = \"{}\"", key.text),
            "server.keys: ",
        ),
        (format!("{}kinds = [\"{}\"]", key.lines, key.text), "kinds"),
        (format!("{0}{0}", key.lines), "two keys are named \"one\""),
        (format!("{}kinds = []", key.lines), "kinds"),
        (
            format!("{}kinds = [\"Gifts\"]", key.lines),
            "server.keys.kinds",
        ),
        (format!("{}kind = [\"gifts\"]", key.lines), "kind"),
        (
            format!("{}expires_at = \"{}\"", key.lines, key.text),
            "server.keys.expires_at",
        ),
        (
            format!(
                "{}burst = 3",
                key.lines.replace("\"one\"", &format!("{:?}", key.text))
            ),
            "server.keys.name: an API key, a stream token or the hash of a key must not be used as a name",
        ),
        (
            format!("[server]\nhosts = [\"https://{}@h\"]", key.text),
            "server.hosts: \"...@h\"",
        ),
    ] {
        let (status, stderr) = Launch::on_a_free_port(&config).refused();
        assert_eq!(status, Some(1), "{config}: {stderr}");
        assert!(
            stderr.contains(part),
            "{config}: {part:?} is not in: {stderr}"
        );
        assert!(!stderr.contains(&key.text), "{stderr}");
    }
}
