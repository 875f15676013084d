use super::*;

fn shown(body: &str) -> String {
    render(&serde_json::from_str(body).unwrap())
}

#[test]
fn columns_are_aligned_despite_wide_and_control_characters() {
    let text = shown(
        r#"{"board":"gifts/room-1","window":"day:2026-11-20","version":"1","as_of":"2026-11-20T10:00:00.000000Z",
        "members":12,"entries":[
        {"rank":1,"member":"用户一","points":1000,"reached_at":"2026-11-20T09:00:00.000000Z"},
        {"rank":2,"member":"u2","points":-5,"reached_at":"2026-11-20T09:00:01.000000Z"},
        {"rank":3,"member":"\u202e\u001b[2J","points":-77,"reached_at":"2026-11-20T09:00:02.000000Z"}]}"#,
    );
    assert_eq!(
        text,
        "gifts/room-1  day:2026-11-20  12 members  as of 2026-11-20T10:00:00.000000Z\n \
         rank  member             points  reached at\n    \
         1  用户一               1000  2026-11-20T09:00:00.000000Z\n    \
         2  u2                     -5  2026-11-20T09:00:01.000000Z\n    \
         3  \\u{202e}\\u{1b}[2J     -77  2026-11-20T09:00:02.000000Z"
    );
}

#[test]
fn the_time_span_of_a_board_is_shown() {
    let text = shown(
        r#"{"board":"pk/1","window":"all","version":"1","as_of":"2026-11-20T10:00:00.123000Z","members":0,
        "starts_at":"2026-11-20T20:00:00Z","ends_at":"2026-11-20T20:15:00Z","final":true,"entries":[]}"#,
    );
    assert_eq!(
        text,
        "pk/1  all  0 members  as of 2026-11-20T10:00:00.123000Z  from 2026-11-20T20:00:00Z  \
         until 2026-11-20T20:15:00Z  final"
    );
}

#[test]
fn fields_are_in_the_order_of_the_kind() {
    let text = shown(
        r#"{"board":"hot/p","window":"all","version":"1","as_of":"2026-11-20T10:00:00.123000Z","members":1,"stale":true,
        "entries":[{"rank":1,"member":"u","values":{"comments":3,"agree":-1,"last_reply":null},
        "reached_at":"2026-11-20T09:00:00.000000Z"}]}"#,
    );
    assert_eq!(
        text,
        "hot/p  all  1 member  as of 2026-11-20T10:00:00.123000Z  stale: the store cannot be reached\n \
         rank  member  comments  agree  last_reply  reached at\n    \
         1  u              3     -1           -  2026-11-20T09:00:00.000000Z"
    );
}

#[test]
fn an_empty_board_has_only_a_heading() {
    let text = shown(
        r#"{"board":"k/s","window":"all","version":"1","as_of":"2026-11-20T10:00:00.123000Z","members":0,"final":true,
        "entries":[]}"#,
    );
    assert_eq!(
        text,
        "k/s  all  0 members  as of 2026-11-20T10:00:00.123000Z  final"
    );
}
