//! Limits the bytes of responses that clients have not read: [`Responses`].
//!
//! A response is created at once, and a client may read it slowly, until the write timeout. So its bytes are counted in
//! a [`Share`] until the connection has written them: each piece of the body holds the counter. The bytes of each
//! address are limited, too, so that the clients of one address cannot have the requests of all others rejected.
//! Responses of up to [`SMALL_BYTES_MAX`] are not counted: a connection has one response at a time ([`Backpressure`]),
//! and the number of connections is limited.
//!
//! **Invariant:** a response that does not fit into the share and the limit of its address is not sent, whatever else
//! is held. So reads are rejected: one that can never fit by a problem that says so. A write cannot be rejected once it
//! was applied: its response is small, or can be shortened (the lists of a receipt), or its handler reserves the
//! maximum length before it changes anything ([`ResponseReservation`]). Reads do not use the reserve of the share, nor
//! the same part of the limit of their address.
//!
//! If the share is full, the connection that reads slowest is closed, rather than the new response rejected
//! ([`ReadRate`]): of those that have a response for [`GRACE`], wait for their client, and read fewer than [`FAST`]
//! bytes a second. Its bytes are released from the share at once; its memory is freed soon afterwards, with its task.
//! Scrapes have a share of their own, in which a client that reads is always served, whatever others leave unread.
//!
//! A client receives the last byte of a response before the bytes are released, and may send its next request at once.
//! So a few reads wait for a short time before they are rejected.

mod read_rate;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::FutureExt as _;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};
use wire::problem::{Problem, ProblemType};

use self::read_rate::ReadRate;
use crate::backpressure::Backpressure;
use crate::per_address::{OfAddress, PerAddress};
use crate::share::{HeldBytes, Share, within};

/// The length up to which a response is not counted.
pub const SMALL_BYTES_MAX: usize = 16 << 10;

/// The bytes of a response that its connection is given at a time.
const PIECE_BYTES: usize = 256 << 10;

/// The time for which a connection with a large response is not closed, however slowly its client reads.
const GRACE: Duration = Duration::from_secs(1);

/// The bytes a second from which on a client is not disconnected: its memory is free soon.
const FAST: u64 = 1 << 20;

/// The time for which a read waits for bytes of the share, and the interval of its attempts.
const WAIT_MAX: Duration = Duration::from_millis(100);
const RETRY_EVERY: Duration = Duration::from_millis(5);

/// The number of reads that wait at once. Their responses already exist, and are not counted.
const READS_WAITING_MAX: usize = 4;

/// Counts the responses that clients have not read. Clones share the counters.
#[derive(Debug, Clone)]
pub struct Responses(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    share: Share,
    of_addresses: PerAddress,
    /// Connections with younger responses are not closed, ...
    grace: Duration,
    /// ... and none that reads so many bytes a second.
    fast: u64,
    unwritten: Mutex<UnwrittenResponses>,
    /// A permit for each read that may wait.
    waiting: Semaphore,
}

/// Large responses that connections have not written, the oldest first.
#[derive(Debug, Default)]
struct UnwrittenResponses {
    next_number: u64,
    by_number: BTreeMap<u64, UnwrittenResponse>,
}

#[derive(Debug)]
struct UnwrittenResponse {
    since: Instant,
    address: IpAddr,
    flow: Arc<Backpressure>,
    rate: Arc<ReadRate>,
    _counted: Option<Counted>,
}

/// The bytes that are counted for one response.
#[derive(Debug)]
struct Counted {
    of_share: HeldBytes,
    of_address: OfAddress,
}

/// The responses to one address. The gate provides them to handlers.
#[derive(Debug, Clone)]
pub struct AddressResponses {
    responses: Responses,
    address: IpAddr,
}

/// Bytes that are reserved for one response until this is dropped.
#[derive(Debug)]
pub struct ResponseReservation {
    to: AddressResponses,
    /// `None` for a small response.
    counted: Option<Counted>,
}

/// An extension of a response for which the handler has reserved bytes.
#[derive(Debug, Clone)]
struct Reserved(Arc<ResponseReservation>);

impl Responses {
    /// Counts responses in this share, of which an address may use `address_bytes_max`.
    #[must_use]
    pub fn new(share: &Share, address_bytes_max: usize) -> Self {
        Self::displacing(share, address_bytes_max, GRACE, FAST)
    }

    /// Counts responses to scrapes. If the share is full, the slowest connection that waits for its client is closed at
    /// once, whatever its address.
    #[must_use]
    pub fn for_scrapes(share: &Share) -> Self {
        Self::displacing(share, usize::MAX, Duration::ZERO, u64::MAX)
    }

    fn displacing(share: &Share, address_bytes_max: usize, grace: Duration, fast: u64) -> Self {
        Self(Arc::new(Shared {
            share: share.clone(),
            of_addresses: PerAddress::up_to(address_bytes_max),
            grace,
            fast,
            unwritten: Mutex::default(),
            waiting: Semaphore::new(READS_WAITING_MAX),
        }))
    }

    /// Returns the responses to this address.
    #[must_use]
    pub fn to(&self, address: IpAddr) -> AddressResponses {
        AddressResponses {
            responses: self.clone(),
            address,
        }
    }

    /// Returns the maximum bytes of one response: the limit of an address, for reads without the reserve.
    fn bytes_max(&self, is_read: bool) -> usize {
        let max = self.0.of_addresses.max().min(self.0.share.bytes_max());
        within(max, is_read)
    }

    /// Closes the connection that reads a large response most slowly, unless all are new or fast. With `address`, only
    /// its connections are considered. Returns whether one was closed.
    fn displace(&self, address: Option<IpAddr>) -> bool {
        let now = Instant::now();
        let mut unwritten = self.0.unwritten.lock();
        let all = unwritten.by_number.iter();
        let old = all.take_while(|(_, response)| now - response.since >= self.0.grace);
        let rates = old.filter_map(|(number, response)| {
            let is_candidate = address.is_none_or(|address| address == response.address);
            let waits = is_candidate && response.flow.blocked_since().is_some();
            waits.then(|| (response.rate.per_second(now), *number))
        });
        let slow = rates.filter(|(per_second, _)| *per_second < self.0.fast);
        let Some((_, number)) = slow.min() else {
            return false;
        };
        let displaced = unwritten.by_number.remove(&number);
        drop(unwritten);
        displaced.is_some_and(|response| {
            response.flow.displace();
            true
        })
    }
}

impl AddressResponses {
    /// Returns an empty reservation for one response.
    #[must_use]
    pub fn reservation(&self) -> ResponseReservation {
        ResponseReservation {
            to: self.clone(),
            counted: None,
        }
    }

    /// Counts a response until its connection has written it. A response that does not fit is replaced by a problem,
    /// unless its handler has reserved bytes for it.
    pub async fn send(&self, mut response: Response, flow: &Arc<Backpressure>) -> Response {
        let reserved = response.extensions_mut().remove::<Reserved>();
        if is_small(&response) {
            return response;
        }
        let bytes = bytes_of(&response).unwrap_or(0);
        let reserved = reserved.and_then(|Reserved(reservation)| Arc::into_inner(reservation));
        let counted = if let Some(mut reservation) = reserved {
            reservation.resize(bytes).map(|()| reservation)
        } else {
            let mut reservation = self.reservation();
            let fits = reservation.resize_for_read(bytes).await;
            fits.map(|()| reservation)
        };
        match counted {
            Ok(reservation) => reservation.send(response, flow),
            Err(problem) => problem.into_response(),
        }
    }
}

impl ResponseReservation {
    /// Reserves this number of bytes in total, before a write: it cannot be rejected once it was applied.
    pub fn resize(&mut self, bytes: usize) -> Result<(), Problem> {
        let resized = self.resize_within(bytes, false);
        resized.inspect_err(|problem| self.count_refusal(problem))
    }

    /// Reserves this number of bytes in total for a read. Waits for a short time if they are not free.
    pub async fn resize_for_read(&mut self, bytes: usize) -> Result<(), Problem> {
        let resized = match self.resize_within(bytes, true) {
            Err(problem) if problem.kind == ProblemType::Overloaded => {
                // Boxed because this is rare, and the size of the future would be part of that of every request.
                self.wait(bytes, problem).boxed().await
            }
            resized => resized,
        };
        resized.inspect_err(|problem| self.count_refusal(problem))
    }

    async fn wait(&mut self, bytes: usize, mut problem: Problem) -> Result<(), Problem> {
        let responses = self.to.responses.clone();
        let Ok(_waiting) = responses.0.waiting.try_acquire() else {
            return Err(problem);
        };
        let until = Instant::now() + WAIT_MAX;
        while Instant::now() < until {
            sleep(RETRY_EVERY).await;
            match self.resize_within(bytes, true) {
                Ok(()) => return Ok(()),
                Err(again) => problem = again,
            }
        }
        Err(problem)
    }

    fn count_refusal(&self, problem: &Problem) {
        if problem.kind == ProblemType::Overloaded {
            self.to.responses.0.share.refuse();
        }
    }

    fn resize_within(&mut self, bytes: usize, is_read: bool) -> Result<(), Problem> {
        if bytes <= SMALL_BYTES_MAX {
            self.counted = None;
            return Ok(());
        }
        let AddressResponses { responses, address } = &self.to;
        let bytes_max = responses.bytes_max(is_read);
        if bytes > bytes_max {
            let detail = format!(
                "the response would have {bytes} bytes or more, and {bytes_max} are the limit: request fewer entries or boards"
            );
            return Err(Problem::new(ProblemType::TooLarge, detail));
        }
        let Shared {
            share,
            of_addresses,
            ..
        } = &*responses.0;
        let Counted {
            of_share,
            of_address,
        } = self.counted.get_or_insert_with(|| Counted {
            of_share: share.hold(),
            of_address: of_addresses.hold(*address),
        });
        while !of_address.resize_leaving(bytes, is_read) {
            if !responses.displace(Some(*address)) {
                let detail = format!(
                    "a response of {bytes} bytes and those that address {address} has not read yet exceed {} bytes",
                    of_addresses.max()
                );
                return Err(Problem::new(ProblemType::Overloaded, detail));
            }
        }
        while !of_share.resize_leaving(bytes, is_read) {
            if !responses.displace(None) {
                of_address.resize(of_share.bytes());
                let detail = format!(
                    "responses that clients have not read yet have {} bytes; the limit is {}",
                    share.bytes(),
                    share.bytes_max()
                );
                return Err(Problem::new(ProblemType::Overloaded, detail));
            }
        }
        Ok(())
    }

    /// Attaches the reservation to the response. Releases the bytes that the response does not need.
    #[must_use]
    pub fn answer(mut self, mut response: Response) -> Response {
        let fits = self.resize(bytes_of(&response).unwrap_or(0));
        debug_assert!(fits.is_ok(), "more than was reserved: {fits:?}");
        // A small response is not counted.
        if self.counted.is_some() {
            response.extensions_mut().insert(Reserved(Arc::new(self)));
        }
        response
    }

    fn send(self, response: Response, flow: &Arc<Backpressure>) -> Response {
        let AddressResponses { responses, address } = self.to;
        let mut unwritten = responses.0.unwritten.lock();
        let number = unwritten.next_number;
        unwritten.next_number += 1;
        let since = Instant::now();
        let rate = Arc::new(ReadRate::since(since));
        let entry = UnwrittenResponse {
            since,
            address,
            flow: flow.clone(),
            rate: rate.clone(),
            _counted: self.counted,
        };
        unwritten.by_number.insert(number, entry);
        drop(unwritten);
        let unwritten = Arc::new(Unwritten { responses, number });
        response.map(|body| {
            Body::new(CountedBody {
                body,
                rest: Bytes::new(),
                rate,
                unwritten,
            })
        })
    }
}

/// Returns whether a response is not counted: it is small, or a stream, which has no known length and a limit of its
/// own.
#[must_use]
pub fn is_small(response: &Response) -> bool {
    bytes_of(response).unwrap_or(0) <= SMALL_BYTES_MAX
}

/// Returns the length of a response's body, if it is known.
#[must_use]
pub fn bytes_of(response: &Response) -> Option<usize> {
    let bytes = response.body().size_hint().exact()?;
    usize::try_from(bytes).ok()
}

/// A response that its connection has not written. It is dropped with the last piece of the body.
#[derive(Debug)]
struct Unwritten {
    responses: Responses,
    number: u64,
}

impl Drop for Unwritten {
    fn drop(&mut self) {
        let mut unwritten = self.responses.0.unwritten.lock();
        let written = unwritten.by_number.remove(&self.number);
        drop(unwritten);
        // The bytes are released without holding the lock.
        drop(written);
    }
}

/// A piece of a body. The connection drops it once it is written.
struct Piece {
    bytes: Bytes,
    _unwritten: Arc<Unwritten>,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A body whose pieces hold the counter of its response.
struct CountedBody {
    body: Body,
    /// What the connection was not given yet of the last frame.
    rest: Bytes,
    rate: Arc<ReadRate>,
    unwritten: Arc<Unwritten>,
}

impl CountedBody {
    /// Returns the next piece, which the connection takes now.
    fn piece(&mut self) -> Frame<Bytes> {
        let bytes = self.rest.split_to(self.rest.len().min(PIECE_BYTES));
        self.rate.take(bytes.len(), Instant::now());
        let piece = Piece {
            bytes,
            _unwritten: self.unwritten.clone(),
        };
        Frame::data(Bytes::from_owner(piece))
    }
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        while self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(context)?) {
                None => return Poll::Ready(None),
                Some(frame) => match frame.into_data() {
                    Ok(bytes) => self.rest = bytes,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
            }
        }
        Poll::Ready(Some(Ok(self.piece())))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let unread = self.body.size_hint().exact();
        unread.map_or_else(SizeHint::default, |unread| {
            SizeHint::with_exact(unread + self.rest.len() as u64)
        })
    }
}
