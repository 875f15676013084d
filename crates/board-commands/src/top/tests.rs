use super::*;
use crate::test_server::{Reply, TestServer};

fn args(server: ServerArgs, name: &str, window: Option<&str>) -> TopArgs {
    TopArgs {
        board: BoardPath::parse(name).unwrap(),
        server,
        window: window.map(str::to_owned),
        n: 3,
    }
}

fn shown(body: &str) -> String {
    render(&serde_json::from_str(body).unwrap())
}

#[test]
fn the_path_is_percent_encoded() {
    let server = ServerArgs {
        server: "http://a".to_owned(),
        key: None,
    };
    let args = args(server, "gifts/a/b é?", Some("hour:2026-11-20T14+08:00"));
    assert_eq!(
        path(&args),
        "/v1/boards/gifts/a%2Fb%20%C3%A9%3F/top?n=3&window=hour%3A2026-11-20T14%2B08%3A00"
    );
}

#[test]
fn columns_are_aligned_despite_wide_and_control_characters() {
    let text = shown(
        r#"{"board":"gifts/room-1","window":"day:2026-11-20","version":"1","as_of":"2026-11-20T10:00:00.000Z",
        "members":12,"entries":[
        {"rank":1,"member":"用户一","points":1000,"reached_at":"2026-11-20T09:00:00.000Z"},
        {"rank":2,"member":"u2","points":-5,"reached_at":"2026-11-20T09:00:01.000Z"},
        {"rank":3,"member":"\u202e\u001b[2J","points":-77,"reached_at":"2026-11-20T09:00:02.000Z"}]}"#,
    );
    assert_eq!(
        text,
        "gifts/room-1  day:2026-11-20  12 members  as of 2026-11-20T10:00:00.000Z\n \
         rank  member             points  reached at\n    \
         1  用户一               1000  2026-11-20T09:00:00.000Z\n    \
         2  u2                     -5  2026-11-20T09:00:01.000Z\n    \
         3  \\u{202e}\\u{1b}[2J     -77  2026-11-20T09:00:02.000Z"
    );
}

#[test]
fn the_time_span_of_a_board_is_shown() {
    let text = shown(
        r#"{"board":"pk/1","window":"all","as_of":"t","members":0,"starts_at":"a","ends_at":"b",
        "final":true,"entries":[]}"#,
    );
    assert_eq!(
        text,
        "pk/1  all  0 members  as of t  from a  until b  final"
    );
}

#[test]
fn fields_are_in_the_order_of_the_kind() {
    let text = shown(
        r#"{"board":"hot/p","window":"all","as_of":"t","members":1,"stale":true,"entries":[
        {"rank":1,"member":"u","values":{"comments":3,"agree":-1,"last_reply":null},"reached_at":"r"}]}"#,
    );
    assert_eq!(
        text,
        "hot/p  all  1 member  as of t  stale: the store cannot be reached\n \
         rank  member  comments  agree  last_reply  reached at\n    \
         1  u              3     -1           -  r"
    );
}

#[test]
fn an_empty_board_has_only_a_heading() {
    let text = shown(
        r#"{"board":"k/s","window":"all","as_of":"t","members":0,"final":true,"entries":[]}"#,
    );
    assert_eq!(text, "k/s  all  0 members  as of t  final");
}

#[test]
fn problems_and_unreachable_servers_are_errors() {
    let server = TestServer::start(|_, _| {
        Reply::Answer(
            404,
            "",
            r#"{"title":"Unknown kind","detail":"gfits"}"#.to_owned(),
        )
    });
    let error = run(&args(server.args(), "gfits/a", None)).unwrap_err();
    assert_eq!(error.to_string(), "Unknown kind: gfits");
    assert_eq!(
        server.requests()[0].head[0],
        "GET /v1/boards/gfits/a/top?n=3 HTTP/1.1"
    );

    let free_address = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let unreachable = ServerArgs {
        server: format!("http://{free_address}"),
        key: None,
    };
    let url = unreachable.server.clone();
    let error = run(&args(unreachable, "gifts/a", None))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with(&format!("cannot reach {url}: ")),
        "{error}"
    );
}
