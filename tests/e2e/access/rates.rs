//! Rate limits by key and by address, behind proxies or not, and of wrong keys.

use serde_json::json;
use testkit::{Exposition, Response, Server, eventually};

use super::{Key, lines};

/// More requests than any budget of these tests allows, even if a slow machine lets it refill
/// meanwhile.
const ENOUGH: usize = 500;

/// Repeats a request until it is refused. Returns how often it was accepted before, and the
/// refusal.
#[track_caller]
pub(super) fn refused(mut ask: impl FnMut() -> Response) -> (usize, Response) {
    for before in 0..ENOUGH {
        let response = ask();
        if response.status == 429 {
            return (before, response);
        }
    }
    panic!("{ENOUGH} requests were not refused");
}

#[track_caller]
fn assert_too_many_requests(response: &Response, parts: &[&str]) -> u64 {
    response.problem(429, "too-many-requests", parts);
    let wait = response.header("retry-after").parse().unwrap();
    assert!(wait >= 1, "{response:?}");
    wait
}

#[test]
fn a_key_has_a_budget_of_its_own() {
    let all = Key::new("--name all");
    let other = Key::new("--name other");
    let own = Key::new("--name own");
    let config = format!(
        "[server.limits]\nrequests_per_second = 1\nburst = 10\n{}requests_per_second = 100000\n",
        lines(&[&all, &other, &own])
    );
    let server = Server::with(&config);
    let (before, response) = refused(|| all.get(&server, "/v1/kinds"));
    assert!(before >= 10, "{before}");
    assert_eq!(assert_too_many_requests(&response, &["\"all\""]), 1);
    other.get(&server, "/v1/kinds").ok();
    for _ in 0..100 {
        own.get(&server, "/v1/kinds").ok();
    }
    server.get("/healthz").ok();
    eventually("the budget is refilled", || {
        (all.get(&server, "/v1/kinds").status == 200).then_some(())
    });
}

#[test]
fn an_address_has_a_budget_and_probes_are_free() {
    let server = Server::with("[server.limits.address]\nrequests_per_second = 1\nburst = 10\n");
    let (before, response) = refused(|| server.get("/v1/kinds"));
    assert!(before >= 10, "{before}");
    assert_too_many_requests(&response, &["127.0.0.1"]);
    // `X-Forwarded-For` from a client that is not a trusted proxy is ignored.
    let (before, _) = refused(|| server.get_with("/v1/kinds", &[("x-forwarded-for", "9.9.9.9")]));
    assert!(before <= 5, "{before}");
    for path in ["/healthz", "/readyz", "/metrics"] {
        for _ in 0..30 {
            assert_eq!(server.get(path).status, 200, "{path}");
        }
    }
}

#[test]
fn callers_without_a_key_have_the_budget_of_their_address() {
    let limits = "[server.limits.address]\nrequests_per_second = 1\nburst = 5\n";
    let kind = "[kinds.open]\npublic_read = true\n";
    let server = Server::with(&format!("{limits}{kind}{}", Key::new("").lines));
    let (before, response) = refused(|| server.get("/v1/boards/open/a/top"));
    assert!((5..8).contains(&before), "{before}");
    assert_too_many_requests(&response, &["127.0.0.1"]);
}

#[test]
fn a_large_read_counts_as_many_requests() {
    const MEMBERS: usize = 1000;
    let key = Key::new("--scope write --name own");
    let config = format!(
        "[kinds.gifts]\nshards = 16\n{}requests_per_second = 1\nburst = 10\n",
        key.lines
    );
    let server = Server::with(&config);
    let members: Vec<String> = (0..MEMBERS).map(|number| format!("u{number}")).collect();
    let contributions = members
        .iter()
        .map(|member| json!({"board": "gifts/a", "member": member, "points": 1}));
    let contributions = contributions.collect();
    // A write counts once, however large it is.
    key.ask(&server, "POST", "/v1/contributions", Some(&contributions))
        .ok();
    let path = "/v1/boards/gifts/a/lookup";
    let few = json!({"members": members[..10]});
    for _ in 0..3 {
        key.ask(&server, "POST", path, Some(&few)).ok();
    }
    key.ask(&server, "POST", path, Some(&json!({"members": members})))
        .ok();
    let response = key.get(&server, "/v1/kinds");
    // Some seventy are owed, of which no more than the burst are paid at a time.
    let wait = assert_too_many_requests(&response, &["\"own\""]);
    assert!((2..=10).contains(&wait), "{wait}");
}

#[test]
fn behind_a_trusted_proxy_each_client_has_its_own_budget() {
    let server = Server::with(
        "[server]\ntrusted_proxies = [\"127.0.0.0/8\", \"10.0.0.1\"]\n\
         [server.limits.address]\nrequests_per_second = 1\nburst = 10\n",
    );
    let from = |addresses: &str| server.get_with("/v1/kinds", &[("x-forwarded-for", addresses)]);
    let (before, response) = refused(|| from("8.8.8.8, 1.1.1.1, 10.0.0.1"));
    assert!(before >= 10, "{before}");
    assert_too_many_requests(&response, &["1.1.1.1"]);
    from("1.1.1.1, 2.2.2.2").ok();
    from("8.8.8.8").ok();
    // A customer usually has a whole /64, which shares one budget.
    refused(|| from("2001:db8:0:1::1"));
    from("2001:db8:0:2::1").ok();
    let (before, _) = refused(|| from("2001:db8:0:1::ffff"));
    assert!(before <= 5, "{before}");
}

#[test]
fn wrong_keys_do_not_lock_out_right_keys_of_their_address() {
    const RIGHT: usize = 365;
    let key = Key::new("--scope admin");
    let config = format!("[server]\ntrusted_proxies = [\"127.0.0.1\"]\n{}", key.lines);
    let server = Server::with(&config);
    let ask = |path: &str, address: &str, text: &str| {
        let bearer = format!("Bearer {text}");
        let headers = [
            ("authorization", &*bearer),
            ("x-forwarded-for", address),
            ("accept", "application/openmetrics-text, application/json"),
        ];
        server.get_with(path, &headers)
    };
    let from = |address: &str, text: &str| ask("/v1/kinds", address, text);
    let mut guess = 0;
    let mut wrong = || {
        guess += 1;
        let response = from("1.1.1.1", &format!("mb_{guess:043}"));
        assert!([401, 429].contains(&response.status), "{response:?}");
        response
    };
    let (before, response) = refused(&mut wrong);
    assert!((20..30).contains(&before), "{before}");
    let wait = assert_too_many_requests(&response, &["1.1.1.1", "wrong keys"]);
    assert!(wait <= 6, "{wait}");
    // Right keys from the same address are accepted all the time.
    for _ in 0..RIGHT {
        wrong();
        from("1.1.1.1", &key.text).ok();
    }
    from("2.2.2.2", "mb_wrong").problem(401, "unauthorized", &[]);
    let metrics = ask("/metrics", "1.1.1.1", &key.text);
    assert_eq!(metrics.status, 200);
    let refused = Exposition::read(&metrics.body).sum("megaboard_http_guesses_refused_total", &[]);
    assert!(refused >= 300.0, "{refused}");
}
