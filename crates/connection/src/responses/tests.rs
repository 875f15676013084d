//! The limits of unread responses, and the connections that are closed because of them.

use std::net::Ipv4Addr;
use std::task::Waker;

use axum::http::StatusCode;
use futures::FutureExt as _;
use http_body_util::BodyExt as _;
use tokio::time::advance;

use super::*;
use crate::flow::Asked;

const LARGE: usize = 100_000;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const THERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));

/// Returns a pool for four large responses, of which reads may use three.
fn pool() -> Pool {
    Pool::up_to(4 * LARGE)
}

/// Returns the responses to an address that may use the whole pool.
fn of_one_address(pool: &Pool) -> AddressResponses {
    Responses::new(pool, usize::MAX).to(HERE)
}

fn of_bytes(bytes: usize) -> Response {
    Body::from(vec![b'x'; bytes]).into_response()
}

fn large() -> Response {
    of_bytes(LARGE)
}

fn free() -> Arc<Flow> {
    Arc::default()
}

/// Returns the flow of a connection that is blocked.
fn blocked() -> Arc<Flow> {
    let flow = free();
    flow.block();
    flow
}

/// Sends a response, which must not wait.
fn sent(responses: &AddressResponses, response: Response, flow: &Arc<Flow>) -> Response {
    let sent = responses.send(response, flow).now_or_never();
    sent.expect("the response is sent without a wait")
}

fn is_displaced(flow: &Flow) -> bool {
    let context = Context::from_waker(Waker::noop());
    flow.poll_asked(&context) == Asked::Close
}

#[tokio::test]
async fn a_response_counts_until_its_last_piece_is_dropped() {
    let pool = pool();
    let mut body = sent(&of_one_address(&pool), large(), &free()).into_body();
    assert_eq!(pool.bytes(), LARGE);
    let piece = body.frame().await.unwrap().unwrap().into_data().unwrap();
    drop(body);
    assert_eq!((piece.len(), pool.bytes()), (LARGE, LARGE));
    let mut half = piece;
    let _ = half.split_to(LARGE / 2);
    assert_eq!(pool.bytes(), LARGE);
    drop(half);
    assert_eq!(pool.bytes(), 0);
}

#[tokio::test(start_paused = true)]
async fn in_a_full_pool_large_responses_are_refused_and_small_ones_are_sent() {
    let pool = pool();
    let responses = of_one_address(&pool);
    let held = [(); 3].map(|()| sent(&responses, large(), &free()));
    assert!(held.iter().all(|response| response.status() == 200));
    let refused = responses.send(large(), &free()).await;
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    let small = sent(&responses, of_bytes(SMALL_BYTES_MAX), &free());
    assert_eq!((small.status().as_u16(), pool.bytes()), (200, 3 * LARGE));
    drop(held);
    assert_eq!(pool.bytes(), 0);
    assert_eq!(sent(&responses, large(), &free()).status(), 200);
}

#[tokio::test(start_paused = true)]
async fn a_write_reserves_its_response_before_it_is_applied_or_is_refused() {
    let pool = pool();
    let responses = of_one_address(&pool);
    let reads = [(); 3].map(|()| sent(&responses, large(), &free()));
    // Uses the reserve.
    let mut reservation = responses.reservation();
    reservation.resize(LARGE).unwrap();
    let refused = responses
        .reservation()
        .resize(SMALL_BYTES_MAX + 1)
        .unwrap_err();
    assert_eq!(refused.kind, ProblemType::Overloaded);
    assert_eq!(pool.bytes(), pool.bytes_max());
    // The response is shorter than the reservation, so the remaining bytes are released.
    let written = sent(&responses, reservation.answer(of_bytes(LARGE / 2)), &free());
    assert_eq!(written.status(), 200);
    assert_eq!(pool.bytes(), 7 * LARGE / 2);
    responses.reservation().resize(LARGE / 2).unwrap();
    let mut small = responses.reservation();
    small.resize(LARGE / 2).unwrap();
    let small = sent(&responses, small.answer(of_bytes(SMALL_BYTES_MAX)), &free());
    assert_eq!(pool.bytes(), 7 * LARGE / 2);
    drop((reads, written, small));
    assert_eq!(pool.bytes(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_growing_response_is_counted_once() {
    let pool = pool();
    let responses = of_one_address(&pool);
    let mut reservation = responses.reservation();
    reservation.resize_for_read(SMALL_BYTES_MAX).await.unwrap();
    assert_eq!(pool.bytes(), 0);
    reservation.resize_for_read(LARGE / 2).await.unwrap();
    reservation.resize_for_read(LARGE).await.unwrap();
    assert_eq!(pool.bytes(), LARGE);
    let other = sent(&responses, large(), &free());
    assert!(reservation.resize_for_read(2 * LARGE + 1).await.is_err());
    assert_eq!(pool.bytes(), 2 * LARGE);
    drop(other);
    // A response alone in the pool may exceed its limit.
    reservation.resize_for_read(5 * LARGE).await.unwrap();
    assert!(responses.reservation().resize(LARGE).is_err());
    let response = sent(&responses, reservation.answer(of_bytes(5 * LARGE)), &free());
    assert_eq!((response.status().as_u16(), pool.bytes()), (200, 5 * LARGE));
    drop(response);
    assert_eq!(pool.bytes(), 0);
}

#[tokio::test(start_paused = true)]
async fn each_address_has_its_own_limit() {
    let pool = Pool::up_to(16 * LARGE);
    let responses = Responses::new(&pool, 4 * LARGE);
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
    assert_eq!(pool.bytes(), 5 * LARGE);
    drop((held, written));
    assert_eq!(sent(&here, large(), &free()).status(), 200);
    drop(other);
    assert_eq!(pool.bytes(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_response_that_the_pool_refuses_is_not_counted_for_its_address() {
    let pool = pool();
    let responses = Responses::new(&pool, 4 * LARGE);
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

#[tokio::test(start_paused = true)]
async fn the_longest_stalled_connection_is_closed_first() {
    let pool = pool();
    let responses = of_one_address(&pool);
    let flows = [blocked(), free(), blocked()];
    let held = flows.each_ref().map(|flow| sent(&responses, large(), flow));
    advance(STALL_MAX / 2).await;
    // The first client has read some bytes in between.
    flows[0].free();
    flows[0].block();
    advance(STALL_MAX / 4).await;
    assert_eq!(responses.send(large(), &free()).await.status(), 503);
    advance(STALL_MAX / 4).await;
    let mut others = Vec::new();
    for displaced in [2, 0] {
        others.push(sent(&responses, large(), &free()));
        assert_eq!(others.last().map(Response::status), Some(StatusCode::OK));
        assert!(is_displaced(&flows[displaced]), "{displaced}");
        // Counted bytes never exceed the limit.
        assert_eq!(pool.bytes(), 3 * LARGE);
        advance(STALL_MAX / 2).await;
    }
    // The remaining client reads, however slowly.
    assert_eq!(responses.send(large(), &free()).await.status(), 503);
    assert!(!is_displaced(&flows[1]));
    // A closed connection is not released a second time when it ends.
    drop(held);
    assert_eq!(pool.bytes(), 2 * LARGE);
}

#[tokio::test(start_paused = true)]
async fn at_its_limit_an_address_closes_its_own_connection() {
    let pool = Pool::up_to(16 * LARGE);
    let responses = Responses::new(&pool, LARGE);
    let flows = [blocked(), blocked()];
    let there = sent(&responses.to(THERE), large(), &flows[0]);
    let here = sent(&responses.to(HERE), large(), &flows[1]);
    advance(STALL_MAX).await;
    responses.to(HERE).reservation().resize(LARGE).unwrap();
    assert!(!is_displaced(&flows[0]) && is_displaced(&flows[1]));
    drop((there, here));
}

#[tokio::test(start_paused = true)]
async fn a_scrape_is_served_whatever_others_leave_unread() {
    let pool = pool();
    let scrapes = Responses::for_scrapes(&pool).to(HERE);
    let mut flows = Vec::new();
    let mut held = Vec::new();
    for _ in 0..100 {
        advance(Duration::from_millis(1)).await;
        let flow = blocked();
        let response = sent(&scrapes, large(), &flow);
        assert_eq!(response.status(), 200);
        assert!(pool.bytes() <= pool.bytes_max(), "{}", pool.bytes());
        flows.push(flow);
        held.push(response);
    }
    let displaced: Vec<bool> = flows.iter().map(|flow| is_displaced(flow)).collect();
    assert!(displaced[..97].iter().all(|displaced| *displaced));
    assert!(!displaced[97..].contains(&true));
}

#[tokio::test(start_paused = true)]
async fn a_few_reads_wait_for_free_bytes() {
    let pool = pool();
    let responses = of_one_address(&pool);
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
    assert_eq!(pool.bytes(), 3 * LARGE);
}
