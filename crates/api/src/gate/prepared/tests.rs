use axum::http::header::AUTHORIZATION;

use super::*;

const PATH: &str = "/v1/top?n=3";

fn request(method: &str, target: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let request = Request::builder().method(method).uri(target);
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(*name, *value)
    });
    request.body(Body::empty()).unwrap()
}

fn response(body: &'static [u8]) -> Response<Body> {
    let response = Response::builder().status(203).header("x-other", "value");
    response.body(Body::from(body)).unwrap()
}

/// Returns the bytes of a body in one piece.
fn bytes_of<B: HttpBody<Data = Bytes> + Unpin>(mut body: B) -> Bytes {
    let frame = body.frame().now_or_never().unwrap();
    let bytes = frame.map_or(Bytes::new(), |frame| {
        frame.ok().unwrap().into_data().unwrap()
    });
    assert!(body.is_end_stream());
    bytes
}

fn prepare(table: &PreparedResponses<u32>, request: &Request<Body>, fact: u32) {
    let key = ReadKey::of(request).unwrap().to_owned();
    let sent = table.prepare(key, response(b"body"), fact);
    assert_eq!(sent.status(), 203);
    assert_eq!(bytes_of(sent.into_body()), "body");
}

fn fact(table: &PreparedResponses<u32>, request: &Request<Body>) -> Option<u32> {
    let found = table.find(&ReadKey::of(request).unwrap())?;
    let prepared = found.as_ref().unwrap();
    let response = prepared.response();
    assert_eq!(response.status(), 203);
    assert_eq!(response.headers()["x-other"], "value");
    assert_eq!(response.body().size_hint().exact(), Some(4));
    assert_eq!(bytes_of(response.into_body()), "body");
    Some(prepared.facts)
}

#[test]
fn a_response_is_found_by_all_that_it_depends_on() {
    let table = PreparedResponses::new(&Share::up_to(1 << 20));
    let plain = request("GET", PATH, &[("host", "a")]);
    prepare(&table, &plain, 1);
    assert_eq!(fact(&table, &plain), Some(1));
    let ignored = request(
        "GET",
        PATH,
        &[("x-any", "x"), ("host", "a"), ("range", "y")],
    );
    assert_eq!(fact(&table, &ignored), Some(1));
    let others = [
        request("GET", "/v1/top?n=4", &[("host", "a")]),
        request("GET", "/v1/top?n=%33", &[("host", "a")]),
        request("GET", PATH, &[("host", "b")]),
        request("GET", PATH, &[]),
        request("GET", PATH, &[("host", "a"), ("if-none-match", "*")]),
        request("GET", PATH, &[("host", "a"), ("if-none-match", "")]),
        request("GET", PATH, &[("host", "a"), ("accept-encoding", "gzip")]),
        request("GET", PATH, &[("host", "a"), ("origin", "https://a")]),
    ];
    for other in &others {
        assert_eq!(fact(&table, other), None, "{other:?}");
    }
    for (fact, other) in (2..).zip(&others) {
        prepare(&table, other, fact);
    }
    for (expected, other) in (2..).zip(&others) {
        let found = fact(&table, other);
        assert!(found.is_none_or(|found| found == expected), "{other:?}");
    }
}

#[test]
fn other_requests_have_no_key() {
    let long = format!("/{}", "a".repeat(KEY_PART_BYTES_MAX));
    let repeated = [("if-none-match", "\"a\""), ("if-none-match", "\"b\"")];
    for (method, target, headers) in [
        ("HEAD", PATH, &[] as &[_]),
        ("POST", PATH, &[]),
        ("GET", "http://a/v1/top?n=3", &[]),
        ("GET", long.as_str(), &[]),
        ("GET", PATH, &[("origin", long.as_str())]),
        ("GET", PATH, &repeated),
    ] {
        let request = request(method, target, headers);
        assert_eq!(ReadKey::of(&request), None, "{method} {target} {headers:?}");
    }
    let with_body = Request::get(PATH).body(Body::from("a")).unwrap();
    assert_eq!(ReadKey::of(&with_body), None);
    let old = Request::get(PATH).version(Version::HTTP_10);
    assert_eq!(ReadKey::of(&old.body(Body::empty()).unwrap()), None);
    // What permits a request is not part of it.
    assert!(!VARYING.contains(&AUTHORIZATION));
}

#[test]
fn only_the_second_of_two_reads_in_a_row_is_repeated() {
    let table = PreparedResponses::<u32>::new(&Share::up_to(0));
    let read = request("GET", PATH, &[]);
    let key = ReadKey::of(&read).unwrap();
    assert!(!table.is_repeated(&key));
    assert!(table.is_repeated(&key) && table.is_repeated(&key));
}

#[test]
fn the_share_limits_what_is_prepared() {
    let share = Share::up_to(16 * FIXED_BYTES);
    let table = PreparedResponses::new(&share);
    let reads: Vec<_> = (0..100)
        .map(|n| request("GET", &format!("/v1/top?n={n}"), &[]))
        .collect();
    for (fact_of, read) in (0..).zip(&reads) {
        prepare(&table, read, fact_of);
        assert_eq!(fact(&table, read), Some(fact_of), "the last one is kept");
        assert!(!share.is_in_reserve());
    }
    let kept = reads.iter().filter(|read| fact(&table, read).is_some());
    assert!((1..16).contains(&kept.count()));
    drop(table);
    assert_eq!(share.bytes(), 0);
}

#[test]
fn large_responses_and_streams_are_sent_but_not_prepared() {
    let share = Share::up_to(1 << 20);
    let table = PreparedResponses::new(&share);
    let read = request("GET", PATH, &[]);
    let key = ReadKey::of(&read).unwrap();
    let large = vec![b'a'; SMALL_BYTES_MAX + 1];
    let sent = table.prepare(key.to_owned(), Response::new(Body::from(large.clone())), 1);
    assert_eq!(bytes_of(sent.into_body()), large);
    let pieces = stream::iter(["a", "b"].map(Ok::<_, axum::Error>));
    let sent = table.prepare(key.to_owned(), Response::new(Body::from_stream(pieces)), 1);
    let sent = sent.into_body().collect().now_or_never().unwrap();
    assert_eq!(sent.unwrap().to_bytes(), "ab");
    assert!(table.find(&key).is_none());
    assert_eq!(share.bytes(), 0);
}
