//! The files of the page, as they are served.

use std::collections::BTreeMap;
use std::path::Path;

use testkit::Server;

/// The policy of every file.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' data: https:; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";

/// Returns the files in the sources.
fn sources() -> BTreeMap<String, Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/api/files");
    let files = std::fs::read_dir(folder).unwrap().map(|file| {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        (name, std::fs::read(file.path()).unwrap())
    });
    files.collect()
}

fn media_type(name: &str) -> &'static str {
    match Path::new(name).extension().unwrap().to_str().unwrap() {
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        other => panic!("{name}: unknown media type of {other}"),
    }
}

#[test]
fn every_file_is_served_as_in_the_sources() {
    let server = Server::start();
    for (name, bytes) in sources() {
        let response = server.get(format!("/page/{name}"));
        assert_eq!(response.status, 200, "{name}");
        assert_eq!(response.body.as_bytes(), bytes, "{name}");
        assert_eq!(response.header("content-type"), media_type(&name), "{name}");
        assert_eq!(response.header("content-security-policy"), POLICY);
        assert_eq!(response.header("x-content-type-options"), "nosniff");
        assert_eq!(response.header("cache-control"), "no-cache");
    }
}

#[test]
fn the_root_is_the_page() {
    let server = Server::start();
    let (root, index) = (server.get("/"), server.get("/page/index.html"));
    assert_eq!(root.body, index.body);
    assert_eq!(root.header("etag"), index.header("etag"));
    assert_eq!(root.header("content-type"), "text/html; charset=utf-8");
}

#[test]
fn only_configured_sites_embed_the_live_page_and_overlays() {
    let policy = |server: &Server, path| {
        let response = server.get(path);
        response.header("content-security-policy").to_owned()
    };
    let embedded = ["/", "/overlay/gifts/a"];
    let none = Server::start();
    assert_eq!(embedded.map(|path| policy(&none, path)), [POLICY; 2]);
    let sites = "https://a.example https://*.b.example";
    let list = sites.replace(' ', "\", \"");
    let server = Server::with(&format!("[server]\nframe_ancestors = [\"{list}\"]\n"));
    let with_sites = POLICY.replace("'none'; form", &format!("{sites}; form"));
    assert_eq!(
        embedded.map(|path| policy(&server, path)),
        [&*with_sites; 2]
    );
    for path in ["/docs", "/admin", "/page/main.js"] {
        assert_eq!(policy(&server, path), POLICY, "{path}");
    }
}

#[test]
fn overlays_of_all_boards_are_one_file() {
    let server = Server::start();
    let file = server.get("/page/overlay.html");
    for path in [
        "/overlay/gifts/room-8842?n=3",
        "/overlay/no-such-kind/a%20b",
    ] {
        let response = server.get(path);
        assert_eq!(response.body, file.body, "{path}");
        assert_eq!(response.header("content-security-policy"), POLICY);
        assert_eq!(response.header("content-type"), "text/html; charset=utf-8");
    }
    assert_eq!(server.get("/overlay/gifts").status, 404);
}

#[test]
fn unchanged_files_are_304() {
    let server = Server::start();
    let mut etags = BTreeMap::new();
    for name in sources().into_keys() {
        let path = format!("/page/{name}");
        let etag = server.get(&path).header("etag").to_owned();
        for known in [&etag, &format!("\"other\", {etag}")] {
            let again = server.get_with(&path, &[("if-none-match", known)]);
            assert_eq!((again.status, &*again.body), (304, ""), "{name}");
            assert_eq!(again.header("etag"), etag);
        }
        let other = server.get_with(&path, &[("if-none-match", "\"other\"")]);
        assert_eq!(other.status, 200);
        assert_eq!(
            etags.insert(etag, name),
            None,
            "two files have the same ETag"
        );
    }
}

#[test]
fn other_paths_are_404() {
    let server = Server::start();
    for path in ["/page/none.js", "/page/..%2FCargo.toml", "/page/", "/page"] {
        let response = server.get(path);
        assert_eq!(response.status, 404, "{path}");
        assert_eq!(response.value()["type"], "unknown-path", "{path}");
    }
    assert_eq!(server.delete("/").status, 405);
}
