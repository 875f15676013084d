//! Bytes of answers on their way to clients: [`Answers`].
//!
//! An answer is made at once and taken as slowly as its client likes, for up to the write timeout. So its bytes count
//! in a [`Pool`] until the connection has written them: each piece of its body holds what was counted. Each address has
//! a share, so that the clients of one cannot have those of all others refused. Answers of up to [`SMALL_BYTES_MAX`]
//! do not count: a connection has one answer at a time ([`Flow`]), and the limit of connections bounds them.
//!
//! **Invariant:** an answer that has no room is not sent. So a read is refused. What answers a write cannot be refused
//! once the write was applied: it is small, or can be made so (the lists of a receipt), or its handler takes room for
//! as much as it may come to before it changes anything ([`AnswerRoom`]). Reads leave the reserve of the pool to that,
//! and the same part of their address's share.
//!
//! Where there is no room, a connection makes way that has taken nothing of an answer for [`STALL_MAX`]: it ends, and
//! what was counted for it is free at once. Its memory follows with its task, in a moment. Scrapes have a pool of their
//! own, in which whoever reads is answered whatever others leave unread.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::app::App;
use crate::per_address::{OfAddress, PerAddress};
use crate::pool::{Held, Pool};
use crate::problem::{Problem, ProblemType};
use crate::socket::Flow;

/// Of the pool an address may have one part in so many, where nothing else is set.
pub(crate) const ADDRESS_PART: usize = 4;

/// Bytes of an answer that is not counted.
pub(crate) const SMALL_BYTES_MAX: usize = 16 << 10;

/// How long a connection may take nothing of a large answer while others need its room.
const STALL_MAX: Duration = Duration::from_secs(2);

/// The answers on their way. Clones are the same.
#[derive(Debug, Clone)]
pub(crate) struct Answers(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    pool: Pool,
    of_addresses: PerAddress,
    stall_max: Duration,
    unwritten: Mutex<UnwrittenAnswers>,
}

/// Large answers that connections were given and have not written, the oldest first.
#[derive(Debug, Default)]
struct UnwrittenAnswers {
    next_number: u64,
    by_number: BTreeMap<u64, UnwrittenAnswer>,
}

#[derive(Debug)]
struct UnwrittenAnswer {
    since: Instant,
    address: IpAddr,
    flow: Arc<Flow>,
    _counted: Option<Counted>,
}

/// What is counted for one answer.
#[derive(Debug)]
struct Counted {
    of_all: Held,
    of_address: OfAddress,
}

/// The answers to one address. Handlers of requests that may change something get them from the gate.
#[derive(Debug, Clone)]
pub(crate) struct AnswersTo {
    answers: Answers,
    address: IpAddr,
}

/// Room for one answer; free again when this is dropped.
#[derive(Debug)]
pub(crate) struct AnswerRoom {
    to: AnswersTo,
    /// None for a small answer.
    counted: Option<Counted>,
}

/// What a response carries whose handler has taken the room for it.
#[derive(Debug, Clone)]
struct InRoom(Arc<AnswerRoom>);

impl Answers {
    /// Answers that count in this pool; an address may have so many bytes of it.
    pub(crate) fn new(pool: &Pool, address_bytes_max: usize) -> Self {
        Self::with_stall_max(pool, address_bytes_max, STALL_MAX)
    }

    /// Answers to scrapes: the one that has not been taken for longest makes way at once, of whatever address it is.
    pub(crate) fn for_scrapes(pool: &Pool) -> Self {
        Self::with_stall_max(pool, usize::MAX, Duration::ZERO)
    }

    fn with_stall_max(pool: &Pool, address_bytes_max: usize, stall_max: Duration) -> Self {
        Self(Arc::new(Shared {
            pool: pool.clone(),
            of_addresses: PerAddress::up_to(address_bytes_max),
            stall_max,
            unwritten: Mutex::default(),
        }))
    }

    /// Those to this address.
    pub(crate) fn to(&self, address: IpAddr) -> AnswersTo {
        AnswersTo {
            answers: self.clone(),
            address,
        }
    }

    /// Ends the connection that has taken nothing of a large answer for longest, if that is too long; with `address` of
    /// its connections alone. Returns whether there was one.
    fn displace(&self, address: Option<IpAddr>) -> bool {
        let Shared {
            stall_max,
            unwritten,
            ..
        } = &*self.0;
        let now = Instant::now();
        let is_old = |since: Instant| now.duration_since(since) >= *stall_max;
        let mut unwritten = unwritten.lock();
        let old = unwritten.by_number.iter();
        let old = old.take_while(|(_, answer)| is_old(answer.since));
        let stalled = old.filter_map(|(number, answer)| {
            let since = answer.flow.blocked_since()?;
            let counts = address.is_none_or(|address| address == answer.address);
            (counts && is_old(since)).then_some((since, *number))
        });
        let Some((_, number)) = stalled.min() else {
            return false;
        };
        let displaced = unwritten.by_number.remove(&number);
        drop(unwritten);
        displaced.is_some_and(|answer| {
            answer.flow.displace();
            true
        })
    }
}

impl AnswersTo {
    /// Room for a further answer. None is taken yet.
    pub(crate) fn room(&self) -> AnswerRoom {
        AnswerRoom {
            to: self.clone(),
            counted: None,
        }
    }

    /// Counts an answer until its connection has written it. One without room is refused, unless its handler has taken
    /// the room for it.
    pub(crate) fn send(&self, mut response: Response, flow: &Arc<Flow>) -> Response {
        let taken = response.extensions_mut().remove::<InRoom>();
        // Streams have no size, and a limit of their own.
        let bytes = bytes_of(&response).unwrap_or(0);
        if bytes <= SMALL_BYTES_MAX {
            return response;
        }
        let taken = taken.and_then(|InRoom(room)| Arc::into_inner(room));
        let mut room = taken.unwrap_or_else(|| self.room());
        match room.resize_for_read(bytes) {
            Ok(()) => room.send(response, flow),
            Err(problem) => problem.into_response(),
        }
    }
}

impl FromRequestParts<Arc<App>> for AnswersTo {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Infallible> {
        let answers = parts.extensions.get::<Self>().cloned();
        // Every request comes by the gate, which gives it them, but for those of unit tests.
        Ok(answers.unwrap_or_else(|| app.answers.to(IpAddr::from([0, 0, 0, 0]))))
    }
}

impl AnswerRoom {
    /// Takes room for so many bytes in all, before a write that cannot be refused any more once it is applied.
    pub(crate) fn resize(&mut self, bytes: usize) -> Result<(), Problem> {
        self.resize_within(bytes, false)
    }

    /// The same for a read.
    pub(crate) fn resize_for_read(&mut self, bytes: usize) -> Result<(), Problem> {
        self.resize_within(bytes, true)
    }

    fn resize_within(&mut self, bytes: usize, is_read: bool) -> Result<(), Problem> {
        if bytes <= SMALL_BYTES_MAX {
            self.counted = None;
            return Ok(());
        }
        let AnswersTo { answers, address } = &self.to;
        let Shared {
            pool, of_addresses, ..
        } = &*answers.0;
        let Counted { of_all, of_address } = self.counted.get_or_insert_with(|| Counted {
            of_all: pool.hold(),
            of_address: of_addresses.hold(*address),
        });
        let overloaded = |detail: String| {
            pool.refuse();
            Err(Problem::new(ProblemType::Overloaded, detail))
        };
        while !of_address.resize_leaving(bytes, is_read) {
            if !answers.displace(Some(*address)) {
                let max = of_addresses.max();
                return overloaded(format!(
                    "answers that address {address} has not taken yet leave no room for one of {bytes} bytes, and \
                     {max} are the limit"
                ));
            }
        }
        while !of_all.resize_or_alone(bytes, is_read) {
            if !answers.displace(None) {
                of_address.resize(of_all.bytes());
                let (all, max) = (pool.bytes(), pool.bytes_max());
                return overloaded(format!(
                    "answers that clients have not taken yet have {all} bytes, and {max} are the limit"
                ));
            }
        }
        Ok(())
    }

    /// Has a response carry the room that was taken for it. What it does not need is given back.
    pub(crate) fn answer(mut self, mut response: Response) -> Response {
        let fits = self.resize(bytes_of(&response).unwrap_or(0));
        debug_assert!(fits.is_ok(), "more than was taken: {fits:?}");
        response.extensions_mut().insert(InRoom(Arc::new(self)));
        response
    }

    fn send(self, response: Response, flow: &Arc<Flow>) -> Response {
        let AnswersTo { answers, address } = self.to;
        let mut unwritten = answers.0.unwritten.lock();
        let number = unwritten.next_number;
        unwritten.next_number += 1;
        let answer = UnwrittenAnswer {
            since: Instant::now(),
            address,
            flow: flow.clone(),
            _counted: self.counted,
        };
        unwritten.by_number.insert(number, answer);
        drop(unwritten);
        let unwritten = Arc::new(Unwritten { answers, number });
        response.map(|body| Body::new(Sent { body, unwritten }))
    }
}

/// Bytes of a response's body, where they are known.
pub(crate) fn bytes_of(response: &Response) -> Option<usize> {
    let bytes = response.body().size_hint().exact()?;
    usize::try_from(bytes).ok()
}

/// An answer that its connection has not written: dropped with the last piece of it.
#[derive(Debug)]
struct Unwritten {
    answers: Answers,
    number: u64,
}

impl Drop for Unwritten {
    fn drop(&mut self) {
        let mut unwritten = self.answers.0.unwritten.lock();
        let written = unwritten.by_number.remove(&self.number);
        drop(unwritten);
        // Its room is given back without the lock.
        drop(written);
    }
}

/// A piece of an answer: the connection lets go of it once it is written.
struct Piece {
    bytes: Bytes,
    _unwritten: Arc<Unwritten>,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A body whose pieces carry what was counted for it.
struct Sent {
    body: Body,
    unwritten: Arc<Unwritten>,
}

impl HttpBody for Sent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        polled.map_ok(|frame| {
            frame.map_data(|bytes| {
                Bytes::from_owner(Piece {
                    bytes,
                    _unwritten: self.unwritten.clone(),
                })
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
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
    fn of_one_address(pool: &Pool) -> AnswersTo {
        Answers::new(pool, usize::MAX).to(HERE)
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

    fn is_displaced(flow: &Flow) -> bool {
        flow.displaced().now_or_never().is_some()
    }

    #[tokio::test]
    async fn an_answer_counts_until_its_last_piece_is_let_go_of() {
        let pool = pool();
        let mut body = of_one_address(&pool).send(large(), &free()).into_body();
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

    #[test]
    fn without_room_an_answer_is_refused_and_small_ones_are_sent() {
        let pool = pool();
        let answers = of_one_address(&pool);
        let held = [(); 3].map(|()| answers.send(large(), &free()));
        assert!(held.iter().all(|response| response.status() == 200));
        let refused = answers.send(large(), &free());
        assert_eq!(refused.status(), 503);
        assert!(refused.headers().contains_key("retry-after"));
        let small = answers.send(of_bytes(SMALL_BYTES_MAX), &free());
        assert_eq!((small.status().as_u16(), pool.bytes()), (200, 3 * LARGE));
        drop(held);
        assert_eq!(pool.bytes(), 0);
        assert_eq!(answers.send(large(), &free()).status(), 200);
    }

    #[test]
    fn a_write_has_its_room_before_it_is_applied_or_none() {
        let pool = pool();
        let answers = of_one_address(&pool);
        let reads = [(); 3].map(|()| answers.send(large(), &free()));
        // The reserve.
        let mut room = answers.room();
        room.resize(LARGE).unwrap();
        let refused = answers.room().resize(SMALL_BYTES_MAX + 1).unwrap_err();
        assert_eq!(refused.kind, ProblemType::Overloaded);
        assert_eq!(pool.bytes(), pool.bytes_max());
        // What it comes to is less: the rest is free again, and its answer is sent.
        let answer = answers.send(room.answer(of_bytes(LARGE / 2)), &free());
        assert_eq!(answer.status(), 200);
        assert_eq!(pool.bytes(), 7 * LARGE / 2);
        answers.room().resize(LARGE / 2).unwrap();
        let mut small = answers.room();
        small.resize(LARGE / 2).unwrap();
        let small = answers.send(small.answer(of_bytes(SMALL_BYTES_MAX)), &free());
        assert_eq!(pool.bytes(), 7 * LARGE / 2);
        drop((reads, answer, small));
        assert_eq!(pool.bytes(), 0);
    }

    #[test]
    fn an_answer_that_grows_is_counted_as_it_does_and_once() {
        let pool = pool();
        let answers = of_one_address(&pool);
        let mut room = answers.room();
        room.resize_for_read(SMALL_BYTES_MAX).unwrap();
        assert_eq!(pool.bytes(), 0);
        room.resize_for_read(LARGE / 2).unwrap();
        room.resize_for_read(LARGE).unwrap();
        assert_eq!(pool.bytes(), LARGE);
        let other = answers.send(large(), &free());
        assert!(room.resize_for_read(2 * LARGE + 1).is_err());
        assert_eq!(pool.bytes(), 2 * LARGE);
        drop(other);
        // Alone it may be larger than all may be together.
        room.resize_for_read(5 * LARGE).unwrap();
        assert!(answers.room().resize(LARGE).is_err());
        let response = answers.send(room.answer(of_bytes(5 * LARGE)), &free());
        assert_eq!((response.status().as_u16(), pool.bytes()), (200, 5 * LARGE));
        drop(response);
        assert_eq!(pool.bytes(), 0);
    }

    #[test]
    fn an_address_has_its_share_and_others_theirs() {
        let pool = Pool::up_to(16 * LARGE);
        let answers = Answers::new(&pool, 4 * LARGE);
        let (here, there) = (answers.to(HERE), answers.to(THERE));
        let held = [(); 3].map(|()| here.send(large(), &free()));
        assert!(held.iter().all(|response| response.status() == 200));
        let refused = here.send(large(), &free());
        assert_eq!(refused.status(), 503);
        assert!(refused.headers().contains_key("retry-after"));
        // What reads leave is for writes. Beyond it these are refused, too, before they are applied.
        let mut room = here.room();
        room.resize(LARGE).unwrap();
        let refused = here.room().resize(LARGE).unwrap_err();
        assert!(refused.detail.contains("10.0.0.1"), "{refused:?}");
        assert_eq!(here.send(of_bytes(SMALL_BYTES_MAX), &free()).status(), 200);
        let written = here.send(room.answer(large()), &free());
        let other = there.send(large(), &free());
        assert_eq!(
            (written.status(), other.status()),
            (StatusCode::OK, StatusCode::OK)
        );
        assert_eq!(pool.bytes(), 5 * LARGE);
        drop((held, written));
        assert_eq!(here.send(large(), &free()).status(), 200);
        drop(other);
        assert_eq!(pool.bytes(), 0);
    }

    #[test]
    fn what_the_pool_refuses_counts_for_no_address() {
        let pool = pool();
        let answers = Answers::new(&pool, 4 * LARGE);
        let [mut first, mut second] = [(); 2].map(|()| answers.to(THERE).room());
        first.resize(2 * LARGE).unwrap();
        let [mut other, mut read] = [(); 2].map(|()| answers.to(HERE).room());
        other.resize(2 * LARGE).unwrap();
        assert!(read.resize_for_read(LARGE).is_err());
        assert!(second.resize(2 * LARGE).is_err());
        drop(first);
        // All of their shares.
        other.resize(4 * LARGE).unwrap();
        drop(other);
        answers.to(THERE).room().resize(4 * LARGE).unwrap();
        drop((read, second));
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_nothing_for_long_makes_way_the_longest_first() {
        let pool = pool();
        let answers = of_one_address(&pool);
        let flows = [blocked(), free(), blocked()];
        let held = flows.each_ref().map(|flow| answers.send(large(), flow));
        advance(STALL_MAX / 2).await;
        // It has taken some of it since.
        flows[0].free();
        flows[0].block();
        advance(STALL_MAX / 4).await;
        assert_eq!(answers.send(large(), &free()).status(), 503);
        advance(STALL_MAX / 4).await;
        let mut sent = Vec::new();
        for displaced in [2, 0] {
            sent.push(answers.send(large(), &free()));
            assert_eq!(sent.last().map(Response::status), Some(StatusCode::OK));
            assert!(is_displaced(&flows[displaced]), "{displaced}");
            // What is counted is never more than there is room for.
            assert_eq!(pool.bytes(), 3 * LARGE);
            advance(STALL_MAX / 2).await;
        }
        // The other takes what it is given, however slowly.
        assert_eq!(answers.send(large(), &free()).status(), 503);
        assert!(!flows.iter().any(|flow| is_displaced(flow)));
        // What makes way counts no second time when its connection ends.
        drop(held);
        assert_eq!(pool.bytes(), 2 * LARGE);
    }

    #[tokio::test(start_paused = true)]
    async fn for_its_share_an_address_makes_way_itself() {
        let pool = Pool::up_to(16 * LARGE);
        let answers = Answers::new(&pool, LARGE);
        let flows = [blocked(), blocked()];
        let there = answers.to(THERE).send(large(), &flows[0]);
        let here = answers.to(HERE).send(large(), &flows[1]);
        advance(STALL_MAX).await;
        answers.to(HERE).room().resize(LARGE).unwrap();
        assert!(!is_displaced(&flows[0]) && is_displaced(&flows[1]));
        drop((there, here));
    }

    #[tokio::test(start_paused = true)]
    async fn a_scrape_is_answered_whatever_others_leave_unread() {
        let pool = pool();
        let scrapes = Answers::for_scrapes(&pool).to(HERE);
        let mut flows = Vec::new();
        let mut held = Vec::new();
        for _ in 0..100 {
            advance(Duration::from_millis(1)).await;
            let flow = blocked();
            let sent = scrapes.send(large(), &flow);
            assert_eq!(sent.status(), 200);
            assert!(pool.bytes() <= pool.bytes_max(), "{}", pool.bytes());
            flows.push(flow);
            held.push(sent);
        }
        let displaced: Vec<bool> = flows.iter().map(|flow| is_displaced(flow)).collect();
        assert!(displaced[..97].iter().all(|displaced| *displaced));
        assert!(!displaced[97..].contains(&true));
    }
}
