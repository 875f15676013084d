//! URLs of Redis that are accepted, and errors of others.

use super::*;

fn url(text: &str) -> RedisUrl {
    text.parse().unwrap()
}

fn addresses(url: &RedisUrl) -> Vec<String> {
    url.addresses.iter().map(Address::to_string).collect()
}

#[test]
fn each_form_is_read() {
    let one = url("redis://localhost");
    assert_eq!(one.kind, UrlKind::Servers);
    assert_eq!(addresses(&one), ["localhost:6379"]);
    assert!(!one.tls && one.login.is_none());

    let several = url("rediss://a:7000,b,[::1]:7001,[fd00::2]");
    assert!(several.tls);
    let seen = addresses(&several);
    assert_eq!(seen, ["a:7000", "b:6379", "[::1]:7001", "[fd00::2]:6379"]);
    assert_eq!(several.addresses[2].host, "::1");

    assert_eq!(url("redis-cluster://a").kind, UrlKind::Cluster);
    assert!(url("rediss-cluster://a").tls);

    let sentinel = url("redis-sentinel://a,b:5000/my%20primary");
    assert_eq!(sentinel.kind, UrlKind::Sentinel("my primary".to_owned()));
    assert_eq!(addresses(&sentinel), ["a:26379", "b:5000"]);
    assert!(url("rediss-sentinel://a/x").tls);
}

#[test]
fn logins_are_percent_decoded() {
    let login = url("redis://us%40er:p%3A%2F%40ss@a").login.unwrap();
    assert_eq!(login.user.as_deref(), Some("us@er"));
    assert_eq!(login.password, "p:/@ss");
    assert_eq!(url("redis://:secret@a").login.unwrap().user, None);
}

#[test]
fn the_password_is_never_shown() {
    let url = url("redis-sentinel://me:secret@a,b/main");
    let shown = "redis-sentinel://me:***@a:26379,b:26379/main";
    assert_eq!(url.to_string(), shown);
    for text in [format!("{url:?}"), format!("{:?}", url.login)] {
        assert!(!text.contains("secret"), "{text}");
    }
    for text in [
        "redis://me:sec:ret@a",
        "redis://me:sec:ret",
        "redis://me:ret/0",
        "redis://[::1]:ret",
    ] {
        let error = text.parse::<RedisUrl>().unwrap_err().to_string();
        assert!(!error.contains("ret"), "{text}: {error}");
    }
}

#[test]
fn what_is_wrong_is_named() {
    for (text, named) in [
        ("localhost:6379", "must begin with redis://"),
        ("http://a", "must begin with redis://"),
        ("redis://", "host \"\" is wrong: the host is missing"),
        ("redis://a,,b", "host \"\" is wrong"),
        ("redis://a:port", "host \"a\" is wrong: the port is not"),
        ("redis://a:0", "a number from 1 to 65535"),
        ("redis://a:65536", "a number from 1 to 65535"),
        ("redis://::1", "in brackets"),
        ("redis://[::1", "'[' without ']'"),
        ("redis://[::1]x", "only a port may follow"),
        ("redis://a,b,a:6379", "a:6379 is listed twice"),
        ("redis://user@a", "there is no ':'"),
        ("redis://user:@a", "the password is empty"),
        ("redis://user:%ff@a", "not UTF-8"),
        ("redis://a/1", "database 0"),
        ("redis-cluster://a/x", "nothing may follow"),
        ("redis-sentinel://a", "the name of the primary is missing"),
        ("redis-sentinel://a/", "the name of the primary is missing"),
    ] {
        let error = text.parse::<RedisUrl>().unwrap_err().to_string();
        assert!(error.contains(named), "{text}: {error}");
    }
}

#[test]
fn one_server_may_have_a_path() {
    let (url, path) =
        ServerUrl::with_path("rediss://u%40x:p%2Fw@h.example:7000/gifts/{a}@b").unwrap();
    let login = url.login.clone().unwrap();
    assert_eq!(login.user.as_deref(), Some("u@x"));
    assert_eq!(login.password, "p/w");
    assert_eq!((url.tls, path), (true, "gifts/{a}@b"));
    assert_eq!(url.to_string(), "rediss://h.example:7000");
    let (url, path) = ServerUrl::with_path("redis://:pw@[::1]").unwrap();
    assert_eq!((url.to_string().as_str(), path), ("redis://[::1]:6379", ""));
    for wrong in [
        "h:6379/g",
        "http://h/g",
        "redis-cluster://h",
        "redis:///g",
        "redis://secret@h/g",
        "redis://u:secret@h:port/g",
        "redis://u:secret@",
    ] {
        let error = ServerUrl::with_path(wrong).unwrap_err().to_string();
        assert!(!error.contains("secret"), "{error}");
    }
}
