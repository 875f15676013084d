//! The limits of unread responses, and the connections that are closed because of them.

use std::net::Ipv4Addr;
use std::task::Waker;

use axum::http::StatusCode;
use futures::FutureExt as _;
use http_body_util::BodyExt as _;
use tokio::time::advance;

use super::*;
use crate::backpressure::Asked;

const LARGE: usize = 100_000;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const THERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));

/// Returns a share for four large responses, of which reads may use three.
fn share() -> Share {
    Share::up_to(4 * LARGE)
}

/// Returns the responses to an address that may use the whole share.
fn of_one_address(share: &Share) -> AddressResponses {
    Responses::new(share, usize::MAX).to(HERE)
}

fn of_bytes(bytes: usize) -> Response {
    Body::from(vec![b'x'; bytes]).into_response()
}

fn large() -> Response {
    of_bytes(LARGE)
}

fn free() -> Arc<Backpressure> {
    Arc::default()
}

/// Returns the flow of a connection that is blocked.
fn blocked() -> Arc<Backpressure> {
    let flow = free();
    flow.block();
    flow
}

/// Sends a response, which must not wait.
fn sent(responses: &AddressResponses, response: Response, flow: &Arc<Backpressure>) -> Response {
    let sent = responses.send(response, flow).now_or_never();
    sent.expect("the response is sent without a wait")
}

fn is_displaced(flow: &Backpressure) -> bool {
    let context = Context::from_waker(Waker::noop());
    flow.poll_asked(&context) == Asked::Close
}

#[tokio::test]
async fn a_response_counts_until_its_last_piece_is_dropped() {
    let share = share();
    let mut body = sent(&of_one_address(&share), large(), &free()).into_body();
    assert_eq!(share.bytes(), LARGE);
    let piece = body.frame().await.unwrap().unwrap().into_data().unwrap();
    drop(body);
    assert_eq!((piece.len(), share.bytes()), (LARGE, LARGE));
    let mut half = piece;
    let _ = half.split_to(LARGE / 2);
    assert_eq!(share.bytes(), LARGE);
    drop(half);
    assert_eq!(share.bytes(), 0);
}

#[tokio::test(start_paused = true)]
async fn in_a_full_share_large_responses_are_refused_and_small_ones_are_sent() {
    let share = share();
    let responses = of_one_address(&share);
    let held = [(); 3].map(|()| sent(&responses, large(), &free()));
    assert!(held.iter().all(|response| response.status() == 200));
    let refused = responses.send(large(), &free()).await;
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    let small = sent(&responses, of_bytes(SMALL_BYTES_MAX), &free());
    assert_eq!((small.status().as_u16(), share.bytes()), (200, 3 * LARGE));
    drop(held);
    assert_eq!(share.bytes(), 0);
    assert_eq!(sent(&responses, large(), &free()).status(), 200);
}

#[tokio::test(start_paused = true)]
async fn a_write_reserves_its_response_before_it_is_applied_or_is_refused() {
    let share = share();
    let responses = of_one_address(&share);
    let reads = [(); 3].map(|()| sent(&responses, large(), &free()));
    // Uses the reserve.
    let mut reservation = responses.reservation();
    reservation.resize(LARGE).unwrap();
    let refused = responses
        .reservation()
        .resize(SMALL_BYTES_MAX + 1)
        .unwrap_err();
    assert_eq!(refused.kind, ProblemType::Overloaded);
    assert_eq!(share.bytes(), share.bytes_max());
    // The response is shorter than the reservation, so the remaining bytes are released.
    let written = sent(&responses, reservation.answer(of_bytes(LARGE / 2)), &free());
    assert_eq!(written.status(), 200);
    assert_eq!(share.bytes(), 7 * LARGE / 2);
    responses.reservation().resize(LARGE / 2).unwrap();
    let mut small = responses.reservation();
    small.resize(LARGE / 2).unwrap();
    let small = sent(&responses, small.answer(of_bytes(SMALL_BYTES_MAX)), &free());
    assert_eq!(share.bytes(), 7 * LARGE / 2);
    drop((reads, written, small));
    assert_eq!(share.bytes(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_growing_response_is_counted_once() {
    let share = share();
    let responses = of_one_address(&share);
    let mut reservation = responses.reservation();
    reservation.resize_for_read(SMALL_BYTES_MAX).await.unwrap();
    assert_eq!(share.bytes(), 0);
    reservation.resize_for_read(LARGE / 2).await.unwrap();
    reservation.resize_for_read(LARGE).await.unwrap();
    assert_eq!(share.bytes(), LARGE);
    let other = sent(&responses, large(), &free());
    assert!(reservation.resize_for_read(2 * LARGE + 1).await.is_err());
    assert_eq!(share.bytes(), 2 * LARGE);
    drop(other);
    reservation.resize_for_read(3 * LARGE).await.unwrap();
    let response = sent(&responses, reservation.answer(of_bytes(3 * LARGE)), &free());
    assert_eq!(
        (response.status().as_u16(), share.bytes()),
        (200, 3 * LARGE)
    );
    drop(response);
    assert_eq!(share.bytes(), 0);
}

#[tokio::test]
async fn a_response_larger_than_the_limit_of_its_address_is_refused_even_alone() {
    let share = Share::up_to(16 * LARGE);
    let responses = Responses::new(&share, 4 * LARGE).to(HERE);
    // Reads leave the reserve.
    let refused = sent(&responses, of_bytes(3 * LARGE + 1), &free());
    assert_eq!(refused.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert!(!refused.headers().contains_key("retry-after"));
    let mut write = responses.reservation();
    let refused = write.resize(4 * LARGE + 1).unwrap_err();
    assert_eq!(refused.kind, ProblemType::TooLarge);
    assert!(
        refused.detail.contains("400000 are the limit"),
        "{refused:?}"
    );
    assert_eq!(share.bytes(), 0);
    write.resize(4 * LARGE).unwrap();
    // A share below the limit of an address is the limit.
    let responses = Responses::new(&Share::up_to(LARGE), 4 * LARGE).to(HERE);
    let refused = responses.reservation().resize(LARGE + 1).unwrap_err();
    assert_eq!(refused.kind, ProblemType::TooLarge);
}

#[tokio::test]
async fn a_response_is_given_to_its_connection_in_pieces_and_is_whole() {
    let share = Share::up_to(4 << 20);
    let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(2 * PIECE_BYTES + 1).collect();
    let response = Body::from(bytes.clone()).into_response();
    let mut body = sent(&of_one_address(&share), response, &free()).into_body();
    let mut read = Vec::new();
    for left in [2 * PIECE_BYTES + 1, PIECE_BYTES + 1, 1] {
        assert_eq!(body.size_hint().exact(), Some(left as u64));
        assert!(!body.is_end_stream());
        let piece = body.frame().await.unwrap().unwrap().into_data().unwrap();
        read.extend_from_slice(&piece);
    }
    assert!(body.is_end_stream());
    assert_eq!(read, bytes);
}

#[tokio::test(start_paused = true)]
async fn each_address_has_its_own_limit() {
    let share = Share::up_to(16 * LARGE);
    let responses = Responses::new(&share, 4 * LARGE);
    let (here, there) = (responses.to(HERE), responses.to(THERE));
    let held = [(); 3].map(|()| sent(&here, large(), &free()));
    assert!(held.iter().all(|response| response.status() == 200));
    let refused = here.send(large(), &free()).await;
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    // Writes may use the reserve. Beyond it they are refused, too, before they are applied.
    let mut reservation = here.reservation();
    reservation.resize(LARGE).unwrap();
    let refused = here.reservation().resize(LARGE).unwrap_err();
    assert!(refused.detail.contains("10.0.0.1"), "{refused:?}");
    assert_eq!(
        sent(&here, of_bytes(SMALL_BYTES_MAX), &free()).status(),
        200
    );
    let written = sent(&here, reservation.answer(large()), &free());
    let other = sent(&there, large(), &free());
    assert_eq!(
        (written.status(), other.status()),
        (StatusCode::OK, StatusCode::OK)
    );
    assert_eq!(share.bytes(), 5 * LARGE);
    drop((held, written));
    assert_eq!(sent(&here, large(), &free()).status(), 200);
    drop(other);
    assert_eq!(share.bytes(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_response_that_the_share_refuses_is_not_counted_for_its_address() {
    let share = share();
    let responses = Responses::new(&share, 4 * LARGE);
    let [mut first, mut second] = [(); 2].map(|()| responses.to(THERE).reservation());
    first.resize(2 * LARGE).unwrap();
    let [mut other, mut read] = [(); 2].map(|()| responses.to(HERE).reservation());
    other.resize(2 * LARGE).unwrap();
    assert!(read.resize_for_read(LARGE).await.is_err());
    assert!(second.resize(2 * LARGE).is_err());
    drop(first);
    // Each address can use its whole limit.
    other.resize(4 * LARGE).unwrap();
    drop(other);
    responses.to(THERE).reservation().resize(4 * LARGE).unwrap();
    drop((read, second));
}

/// A large response that a client reads in pieces.
struct Read {
    flow: Arc<Backpressure>,
    body: Body,
}

impl Read {
    /// A response of eight pieces.
    fn of(responses: &AddressResponses) -> Self {
        let flow = blocked();
        let response = sent(responses, of_bytes(8 * PIECE_BYTES), &flow);
        assert_eq!(response.status(), 200);
        let body = response.into_body();
        Self { flow, body }
    }

    /// Has the connection take a piece.
    fn take(&mut self) {
        let piece = self.body.frame().now_or_never();
        assert!(piece.flatten().is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn the_slowest_connection_is_closed_first_and_a_fast_or_new_one_never() {
    const BYTES: usize = 8 * PIECE_BYTES;
    let share = Share::up_to(4 * BYTES);
    let responses = of_one_address(&share);
    let [mut slow, mut slowest, mut fast] = [(); 3].map(|()| Read::of(&responses));
    let refused = async |responses: &AddressResponses| {
        let response = responses.send(of_bytes(BYTES), &free()).await;
        response.status() == StatusCode::SERVICE_UNAVAILABLE
    };
    assert!(refused(&responses).await, "all are new");
    for read in [&mut slow, &mut slowest, &mut fast] {
        read.take();
    }
    advance(GRACE / 2).await;
    slow.take();
    advance(GRACE / 2).await;
    // More than a mebibyte in the last second.
    for _ in 0..5 {
        fast.take();
    }
    let mut new = Vec::new();
    for closed in [&slowest, &slow] {
        assert!(!is_displaced(&closed.flow));
        new.push(Read::of(&responses));
        assert!(is_displaced(&closed.flow));
        assert!(!is_displaced(&fast.flow));
        // Counted bytes never exceed the limit.
        assert_eq!(share.bytes(), 3 * BYTES);
    }
    assert!(
        refused(&responses).await,
        "one is fast, and the others are new"
    );
    // A connection that does not wait for its client is being written.
    advance(GRACE).await;
    fast.flow.free();
    for read in &new {
        read.flow.free();
    }
    assert!(refused(&responses).await);
    fast.flow.block();
    let last = Read::of(&responses);
    assert!(is_displaced(&fast.flow), "it takes nothing any more");
    // A closed connection is not released a second time when it ends.
    drop((slow, slowest, fast));
    assert_eq!(share.bytes(), 3 * BYTES);
    drop((new, last));
    assert_eq!(share.bytes(), 0);
}

#[tokio::test(start_paused = true)]
async fn at_its_limit_an_address_closes_its_own_connection() {
    let share = Share::up_to(16 * LARGE);
    let responses = Responses::new(&share, LARGE);
    let write = |address| {
        let mut reservation = responses.to(address).reservation();
        reservation.resize(LARGE).unwrap();
        reservation.answer(large())
    };
    let flows = [blocked(), blocked()];
    let there = sent(&responses.to(THERE), write(THERE), &flows[0]);
    let here = sent(&responses.to(HERE), write(HERE), &flows[1]);
    advance(GRACE).await;
    responses.to(HERE).reservation().resize(LARGE).unwrap();
    assert!(!is_displaced(&flows[0]) && is_displaced(&flows[1]));
    drop((there, here));
}

#[tokio::test(start_paused = true)]
async fn a_scrape_is_served_whatever_others_leave_unread() {
    let share = share();
    let scrapes = Responses::for_scrapes(&share).to(HERE);
    let mut flows = Vec::new();
    let mut held = Vec::new();
    for _ in 0..100 {
        advance(Duration::from_millis(1)).await;
        let flow = blocked();
        let response = sent(&scrapes, large(), &flow);
        assert_eq!(response.status(), 200);
        assert!(share.bytes() <= share.bytes_max(), "{}", share.bytes());
        flows.push(flow);
        held.push(response);
    }
    let displaced: Vec<bool> = flows.iter().map(|flow| is_displaced(flow)).collect();
    assert!(displaced[..97].iter().all(|displaced| *displaced));
    assert!(!displaced[97..].contains(&true));
}

#[tokio::test(start_paused = true)]
async fn a_few_reads_wait_for_free_bytes() {
    let share = share();
    let responses = of_one_address(&share);
    let held = [(); 3].map(|()| sent(&responses, large(), &free()));
    let began = Instant::now();
    let reads = [(); READS_WAITING_MAX].map(|()| {
        let responses = responses.clone();
        tokio::spawn(async move { responses.send(large(), &free()).await })
    });
    tokio::task::yield_now().await;
    // A read beyond the limit of waiting reads is refused at once.
    let beyond = sent(&responses, large(), &free());
    assert_eq!(beyond.status(), 503);
    sleep(WAIT_MAX / 2).await;
    drop(held);
    let mut served = 0;
    let mut finished = Vec::new();
    for read in reads {
        let response = read.await.unwrap();
        served += usize::from(response.status() == 200);
        finished.push(response);
    }
    assert_eq!(served, 3);
    assert!(began.elapsed() <= WAIT_MAX + RETRY_EVERY);
    assert_eq!(share.bytes(), 3 * LARGE);
}
