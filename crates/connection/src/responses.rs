//! Bytes of answers on their way to clients: [`Responses`].
//!
//! An answer is made at once and taken as slowly as its client likes, for up to the write timeout. So its bytes count
//! in a [`Pool`] until the connection has written them: each piece of its body holds what was counted. Each address has
//! a share, so that the clients of one cannot have those of all others refused. Answers of up to [`SMALL_BYTES_MAX`]
//! do not count: a connection has one answer at a time ([`Flow`]), and the limit of connections bounds them.
//!
//! **Invariant:** an answer that has no room is not sent. So a read is refused. What answers a write cannot be refused
//! once the write was applied: it is small, or can be made so (the lists of a receipt), or its handler takes room for
//! as much as it may come to before it changes anything ([`ResponseReservation`]). Reads leave the reserve of the pool
//! to that, and the same part of their address's share.
//!
//! Where there is no room, a connection makes way that has taken nothing of an answer for [`STALL_MAX`]: it ends, and
//! what was counted for it is free at once. Its memory follows with its task, in a moment. Scrapes have a pool of their
//! own, in which a client that reads is answered whatever others leave unread.
//!
//! A client has the last byte of an answer before its room is free again, and may ask for the next at once. So a few
//! reads wait a moment for room before they are refused.

#[cfg(test)]
mod tests;

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
use futures::FutureExt as _;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

use crate::per_address::{OfAddress, PerAddress};
use crate::pool::{HeldBytes, Pool};
use crate::socket::Flow;
use problem::{Problem, ProblemType};

/// Of the pool an address may have one part in so many, where nothing else is set.
pub const ADDRESS_PART: usize = 4;

/// Bytes of an answer that is not counted.
pub const SMALL_BYTES_MAX: usize = 16 << 10;

/// How long a connection may take nothing of a large answer while others need its room.
const STALL_MAX: Duration = Duration::from_secs(2);

/// How long a read waits for room, and how often it looks whether there is some.
const ROOM_WAIT_MAX: Duration = Duration::from_millis(100);
const ROOM_LOOK_EVERY: Duration = Duration::from_millis(5);

/// How many reads wait for it at once: their answers are made already, and not counted.
const READS_WAITING_MAX: usize = 4;

/// The answers on their way. Clones are the same.
#[derive(Debug, Clone)]
pub struct Responses(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    pool: Pool,
    of_addresses: PerAddress,
    stall_max: Duration,
    unwritten: Mutex<UnwrittenResponses>,
    /// One for each read that may wait for room.
    waiting: Semaphore,
}

/// Large answers that connections were given and have not written, the oldest first.
#[derive(Debug, Default)]
struct UnwrittenResponses {
    next_number: u64,
    by_number: BTreeMap<u64, UnwrittenResponse>,
}

#[derive(Debug)]
struct UnwrittenResponse {
    since: Instant,
    address: IpAddr,
    flow: Arc<Flow>,
    _counted: Option<Counted>,
}

/// What is counted for one answer.
#[derive(Debug)]
struct Counted {
    of_all: HeldBytes,
    of_address: OfAddress,
}

/// The answers to one address. Handlers of requests that may change something get them from the gate.
#[derive(Debug, Clone)]
pub struct AddressResponses {
    answers: Responses,
    address: IpAddr,
}

/// Room for one answer; free again when this is dropped.
#[derive(Debug)]
pub struct ResponseReservation {
    to: AddressResponses,
    /// None for a small answer.
    counted: Option<Counted>,
}

/// What has no room for an answer.
#[derive(Debug, Clone, Copy)]
enum Lack {
    OfAddress,
    OfAll,
}

/// What a response carries whose handler has taken the room for it.
#[derive(Debug, Clone)]
struct InRoom(Arc<ResponseReservation>);

impl Responses {
    /// Answers that count in this pool; an address may have so many bytes of it.
    #[must_use]
    pub fn new(pool: &Pool, address_bytes_max: usize) -> Self {
        Self::with_stall_max(pool, address_bytes_max, STALL_MAX)
    }

    /// Answers to scrapes: the one that has not been taken for longest makes way at once, of whatever address it is.
    #[must_use]
    pub fn for_scrapes(pool: &Pool) -> Self {
        Self::with_stall_max(pool, usize::MAX, Duration::ZERO)
    }

    fn with_stall_max(pool: &Pool, address_bytes_max: usize, stall_max: Duration) -> Self {
        Self(Arc::new(Shared {
            pool: pool.clone(),
            of_addresses: PerAddress::up_to(address_bytes_max),
            stall_max,
            unwritten: Mutex::default(),
            waiting: Semaphore::new(READS_WAITING_MAX),
        }))
    }

    /// Those to this address.
    #[must_use]
    pub fn to(&self, address: IpAddr) -> AddressResponses {
        AddressResponses {
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

impl AddressResponses {
    /// Room for a further answer. None is taken yet.
    #[must_use]
    pub fn room(&self) -> ResponseReservation {
        ResponseReservation {
            to: self.clone(),
            counted: None,
        }
    }

    /// Counts an answer until its connection has written it. One without room is refused, unless its handler has taken
    /// the room for it.
    pub async fn send(&self, mut response: Response, flow: &Arc<Flow>) -> Response {
        let taken = response.extensions_mut().remove::<InRoom>();
        // Streams have no size, and a limit of their own.
        let bytes = bytes_of(&response).unwrap_or(0);
        if bytes <= SMALL_BYTES_MAX {
            return response;
        }
        let taken = taken.and_then(|InRoom(room)| Arc::into_inner(room));
        let mut room = taken.unwrap_or_else(|| self.room());
        match room.resize_for_read(bytes).await {
            Ok(()) => room.send(response, flow),
            Err(problem) => problem.into_response(),
        }
    }
}

/// What has the answers of a server: the state of its routes.
pub trait HasResponses: Send + Sync {
    /// Returns them.
    fn answers(&self) -> &Responses;
}

impl<S: HasResponses> FromRequestParts<Arc<S>> for AddressResponses {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<S>) -> Result<Self, Infallible> {
        let answers = parts.extensions.get::<Self>().cloned();
        // The gate gives them to every request, but for those of unit tests.
        Ok(answers.unwrap_or_else(|| state.answers().to(IpAddr::from([0, 0, 0, 0]))))
    }
}

impl ResponseReservation {
    /// Takes room for so many bytes in all, before a write that cannot be refused any more once it is applied.
    pub fn resize(&mut self, bytes: usize) -> Result<(), Problem> {
        self.resize_within(bytes, false)
            .map_err(|lack| self.refuse(bytes, lack))
    }

    /// The same for a read, which may wait a moment for it.
    pub async fn resize_for_read(&mut self, bytes: usize) -> Result<(), Problem> {
        let Err(lack) = self.resize_within(bytes, true) else {
            return Ok(());
        };
        // Boxed, since it is rare, and every request would carry its size.
        let waited = self.wait_for_room(bytes, lack).boxed().await;
        waited.map_err(|lack| self.refuse(bytes, lack))
    }

    async fn wait_for_room(&mut self, bytes: usize, mut lack: Lack) -> Result<(), Lack> {
        let answers = self.to.answers.clone();
        let Ok(_waiting) = answers.0.waiting.try_acquire() else {
            return Err(lack);
        };
        let until = Instant::now() + ROOM_WAIT_MAX;
        while Instant::now() < until {
            sleep(ROOM_LOOK_EVERY).await;
            match self.resize_within(bytes, true) {
                Ok(()) => return Ok(()),
                Err(again) => lack = again,
            }
        }
        Err(lack)
    }

    fn resize_within(&mut self, bytes: usize, is_read: bool) -> Result<(), Lack> {
        if bytes <= SMALL_BYTES_MAX {
            self.counted = None;
            return Ok(());
        }
        let AddressResponses { answers, address } = &self.to;
        let Shared {
            pool, of_addresses, ..
        } = &*answers.0;
        let Counted { of_all, of_address } = self.counted.get_or_insert_with(|| Counted {
            of_all: pool.hold(),
            of_address: of_addresses.hold(*address),
        });
        while !of_address.resize_leaving(bytes, is_read) {
            if !answers.displace(Some(*address)) {
                return Err(Lack::OfAddress);
            }
        }
        while !of_all.resize_or_alone(bytes, is_read) {
            if !answers.displace(None) {
                of_address.resize(of_all.bytes());
                return Err(Lack::OfAll);
            }
        }
        Ok(())
    }

    fn refuse(&self, bytes: usize, lack: Lack) -> Problem {
        let AddressResponses { answers, address } = &self.to;
        let Shared {
            pool, of_addresses, ..
        } = &*answers.0;
        pool.refuse();
        let detail = match lack {
            Lack::OfAddress => format!(
                "answers that address {address} has not taken yet leave no room for one of {bytes} bytes, and {} are \
                 the limit",
                of_addresses.max()
            ),
            Lack::OfAll => format!(
                "answers that clients have not taken yet have {} bytes, and {} are the limit",
                pool.bytes(),
                pool.bytes_max()
            ),
        };
        Problem::new(ProblemType::Overloaded, detail)
    }

    /// Has a response carry the room that was taken for it. What it does not need is given back.
    #[must_use]
    pub fn answer(mut self, mut response: Response) -> Response {
        let fits = self.resize(bytes_of(&response).unwrap_or(0));
        debug_assert!(fits.is_ok(), "more than was taken: {fits:?}");
        response.extensions_mut().insert(InRoom(Arc::new(self)));
        response
    }

    fn send(self, response: Response, flow: &Arc<Flow>) -> Response {
        let AddressResponses { answers, address } = self.to;
        let mut unwritten = answers.0.unwritten.lock();
        let number = unwritten.next_number;
        unwritten.next_number += 1;
        let answer = UnwrittenResponse {
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

/// Returns the bytes of a response's body, where they are known.
#[must_use]
pub fn bytes_of(response: &Response) -> Option<usize> {
    let bytes = response.body().size_hint().exact()?;
    usize::try_from(bytes).ok()
}

/// An answer that its connection has not written: dropped with the last piece of it.
#[derive(Debug)]
struct Unwritten {
    answers: Responses,
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
