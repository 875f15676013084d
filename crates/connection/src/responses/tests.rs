//! What answers may hold, and which connections make way for them.

use std::net::Ipv4Addr;

use axum::http::StatusCode;
use futures::FutureExt as _;
use http_body_util::BodyExt as _;
use tokio::time::advance;

use super::*;

const LARGE: usize = 100_000;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const THERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));

/// Room for four large answers, of which reads may have three.
fn pool() -> Pool {
    Pool::up_to(4 * LARGE)
}

/// An address may have all of it.
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

/// That of a connection that takes nothing from now on.
fn blocked() -> Arc<Flow> {
    let flow = free();
    flow.block();
    flow
}

/// Sends what has room, without a wait.
fn sent(answers: &AddressResponses, response: Response, flow: &Arc<Flow>) -> Response {
    let sent = answers.send(response, flow).now_or_never();
    sent.expect("room for it")
}

fn is_displaced(flow: &Flow) -> bool {
    flow.displaced().now_or_never().is_some()
}

#[tokio::test]
async fn an_answer_counts_until_its_last_piece_is_let_go_of() {
    let pool = pool();
    let mut body = sent(&of_one_address(&pool), large(), &free()).into_body();
    assert_eq!(pool.bytes(), LARGE);
    let piece = body.frame().await.unwrap().unwrap().into_data().unwrap();
    drop(body);
    assert_eq!((piece.len(), pool.bytes()), (LARGE, LARGE));
    let mut rest = piece;
    let _ = rest.split_to(LARGE / 2);
    assert_eq!(pool.bytes(), LARGE);
    drop(rest);
    assert_eq!(pool.bytes(), 0);
}

#[tokio::test(start_paused = true)]
async fn without_room_an_answer_is_refused_and_small_ones_are_sent() {
    let pool = pool();
    let answers = of_one_address(&pool);
    let held = [(); 3].map(|()| sent(&answers, large(), &free()));
    assert!(held.iter().all(|response| response.status() == 200));
    let refused = answers.send(large(), &free()).await;
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    let small = sent(&answers, of_bytes(SMALL_BYTES_MAX), &free());
    assert_eq!((small.status().as_u16(), pool.bytes()), (200, 3 * LARGE));
    drop(held);
    assert_eq!(pool.bytes(), 0);
    assert_eq!(sent(&answers, large(), &free()).status(), 200);
}

#[tokio::test(start_paused = true)]
async fn a_write_takes_its_room_before_it_is_applied_or_is_refused() {
    let pool = pool();
    let answers = of_one_address(&pool);
    let reads = [(); 3].map(|()| sent(&answers, large(), &free()));
    // The reserve.
    let mut room = answers.room();
    room.resize(LARGE).unwrap();
    let refused = answers.room().resize(SMALL_BYTES_MAX + 1).unwrap_err();
    assert_eq!(refused.kind, ProblemType::Overloaded);
    assert_eq!(pool.bytes(), pool.bytes_max());
    // What it comes to is less: the rest is free again, and its answer is sent.
    let answer = sent(&answers, room.answer(of_bytes(LARGE / 2)), &free());
    assert_eq!(answer.status(), 200);
    assert_eq!(pool.bytes(), 7 * LARGE / 2);
    answers.room().resize(LARGE / 2).unwrap();
    let mut small = answers.room();
    small.resize(LARGE / 2).unwrap();
    let small = sent(&answers, small.answer(of_bytes(SMALL_BYTES_MAX)), &free());
    assert_eq!(pool.bytes(), 7 * LARGE / 2);
    drop((reads, answer, small));
    assert_eq!(pool.bytes(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_grows_is_counted_as_it_does_and_once() {
    let pool = pool();
    let answers = of_one_address(&pool);
    let mut room = answers.room();
    room.resize_for_read(SMALL_BYTES_MAX).await.unwrap();
    assert_eq!(pool.bytes(), 0);
    room.resize_for_read(LARGE / 2).await.unwrap();
    room.resize_for_read(LARGE).await.unwrap();
    assert_eq!(pool.bytes(), LARGE);
    let other = sent(&answers, large(), &free());
    assert!(room.resize_for_read(2 * LARGE + 1).await.is_err());
    assert_eq!(pool.bytes(), 2 * LARGE);
    drop(other);
    // Alone it may be larger than all may be together.
    room.resize_for_read(5 * LARGE).await.unwrap();
    assert!(answers.room().resize(LARGE).is_err());
    let response = sent(&answers, room.answer(of_bytes(5 * LARGE)), &free());
    assert_eq!((response.status().as_u16(), pool.bytes()), (200, 5 * LARGE));
    drop(response);
    assert_eq!(pool.bytes(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_address_has_its_share_and_others_theirs() {
    let pool = Pool::up_to(16 * LARGE);
    let answers = Responses::new(&pool, 4 * LARGE);
    let (here, there) = (answers.to(HERE), answers.to(THERE));
    let held = [(); 3].map(|()| sent(&here, large(), &free()));
    assert!(held.iter().all(|response| response.status() == 200));
    let refused = here.send(large(), &free()).await;
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    // What reads leave is for writes. Beyond it these are refused, too, before they are applied.
    let mut room = here.room();
    room.resize(LARGE).unwrap();
    let refused = here.room().resize(LARGE).unwrap_err();
    assert!(refused.detail.contains("10.0.0.1"), "{refused:?}");
    assert_eq!(
        sent(&here, of_bytes(SMALL_BYTES_MAX), &free()).status(),
        200
    );
    let written = sent(&here, room.answer(large()), &free());
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
async fn what_the_pool_refuses_counts_for_no_address() {
    let pool = pool();
    let answers = Responses::new(&pool, 4 * LARGE);
    let [mut first, mut second] = [(); 2].map(|()| answers.to(THERE).room());
    first.resize(2 * LARGE).unwrap();
    let [mut other, mut read] = [(); 2].map(|()| answers.to(HERE).room());
    other.resize(2 * LARGE).unwrap();
    assert!(read.resize_for_read(LARGE).await.is_err());
    assert!(second.resize(2 * LARGE).is_err());
    drop(first);
    // All of their shares.
    other.resize(4 * LARGE).unwrap();
    drop(other);
    answers.to(THERE).room().resize(4 * LARGE).unwrap();
    drop((read, second));
}

#[tokio::test(start_paused = true)]
async fn stalled_connections_are_displaced_the_longest_stalled_first() {
    let pool = pool();
    let answers = of_one_address(&pool);
    let flows = [blocked(), free(), blocked()];
    let held = flows.each_ref().map(|flow| sent(&answers, large(), flow));
    advance(STALL_MAX / 2).await;
    // It has taken some of it since.
    flows[0].free();
    flows[0].block();
    advance(STALL_MAX / 4).await;
    assert_eq!(answers.send(large(), &free()).await.status(), 503);
    advance(STALL_MAX / 4).await;
    let mut taken = Vec::new();
    for displaced in [2, 0] {
        taken.push(sent(&answers, large(), &free()));
        assert_eq!(taken.last().map(Response::status), Some(StatusCode::OK));
        assert!(is_displaced(&flows[displaced]), "{displaced}");
        // What is counted is never more than there is room for.
        assert_eq!(pool.bytes(), 3 * LARGE);
        advance(STALL_MAX / 2).await;
    }
    // The other takes what it is given, however slowly.
    assert_eq!(answers.send(large(), &free()).await.status(), 503);
    assert!(!flows.iter().any(|flow| is_displaced(flow)));
    // What makes way counts no second time when its connection ends.
    drop(held);
    assert_eq!(pool.bytes(), 2 * LARGE);
}

#[tokio::test(start_paused = true)]
async fn for_its_share_an_address_makes_way_itself() {
    let pool = Pool::up_to(16 * LARGE);
    let answers = Responses::new(&pool, LARGE);
    let flows = [blocked(), blocked()];
    let there = sent(&answers.to(THERE), large(), &flows[0]);
    let here = sent(&answers.to(HERE), large(), &flows[1]);
    advance(STALL_MAX).await;
    answers.to(HERE).room().resize(LARGE).unwrap();
    assert!(!is_displaced(&flows[0]) && is_displaced(&flows[1]));
    drop((there, here));
}

#[tokio::test(start_paused = true)]
async fn a_scrape_is_answered_whatever_others_leave_unread() {
    let pool = pool();
    let scrapes = Responses::for_scrapes(&pool).to(HERE);
    let mut flows = Vec::new();
    let mut held = Vec::new();
    for _ in 0..100 {
        advance(Duration::from_millis(1)).await;
        let flow = blocked();
        let answer = sent(&scrapes, large(), &flow);
        assert_eq!(answer.status(), 200);
        assert!(pool.bytes() <= pool.bytes_max(), "{}", pool.bytes());
        flows.push(flow);
        held.push(answer);
    }
    let displaced: Vec<bool> = flows.iter().map(|flow| is_displaced(flow)).collect();
    assert!(displaced[..97].iter().all(|displaced| *displaced));
    assert!(!displaced[97..].contains(&true));
}

#[tokio::test(start_paused = true)]
async fn a_read_waits_a_moment_for_room_and_few_do() {
    let pool = pool();
    let answers = of_one_address(&pool);
    let held = [(); 3].map(|()| sent(&answers, large(), &free()));
    let began = Instant::now();
    let reads = [(); READS_WAITING_MAX].map(|()| {
        let answers = answers.clone();
        tokio::spawn(async move { answers.send(large(), &free()).await })
    });
    tokio::task::yield_now().await;
    // One more than may wait is refused at once.
    let beyond = sent(&answers, large(), &free());
    assert_eq!(beyond.status(), 503);
    sleep(ROOM_WAIT_MAX / 2).await;
    drop(held);
    let mut answered = 0;
    let mut answers = Vec::new();
    for read in reads {
        let answer = read.await.unwrap();
        answered += usize::from(answer.status() == 200);
        answers.push(answer);
    }
    assert_eq!(answered, 3);
    assert!(began.elapsed() <= ROOM_WAIT_MAX + ROOM_LOOK_EVERY);
    assert_eq!(pool.bytes(), 3 * LARGE);
}
