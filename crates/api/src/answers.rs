//! Bytes of answers on their way to clients, under one limit for all of them: [`Answers`].
//!
//! An answer is made at once and taken as slowly as its client likes, for up to the write timeout. So
//! its bytes are counted until the connection has written them: the body's last piece carries what was
//! counted ([`Held`]). Past the limit an answer to a read is replaced by a problem. What answers a write
//! is sent all the same, since the write has been done; receipts have a limit of their own. Each address
//! has a share, so that the clients of one cannot have those of all others refused.
//!
//! Answers of up to [`SMALL_BYTES_MAX`] are not counted, so that slow readers of large ones cannot keep
//! a server from its small ones: the limit of connections bounds them. A connection begins no request
//! while [`CONNECTION_BYTES_MAX`] of its earlier answers are unwritten, which [`Flow`] knows.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use metering::{Counter, Pulled, Registry, Unit};

use crate::per_address::{OfAddress, PerAddress};
use crate::problem::{Problem, ProblemType};
use crate::socket::Flow;

/// Bytes of all large answers on their way at once, where nothing else is set.
pub(crate) const ANSWER_BYTES_MAX: usize = 256 << 20;

/// Of them an address may have one part in so many, where nothing else is set.
pub(crate) const ADDRESS_PART: usize = 4;

/// Bytes of an answer that is not counted.
const SMALL_BYTES_MAX: usize = 16 << 10;

/// Unwritten bytes of answers with which a connection begins no further request.
pub(crate) const CONNECTION_BYTES_MAX: usize = 1 << 20;

/// The answers on their way.
#[derive(Debug)]
pub(crate) struct Answers {
    bytes: Arc<AtomicUsize>,
    bytes_max: usize,
    of_addresses: PerAddress,
    refused: Counter,
}

/// What is counted for one answer; given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    all: Arc<AtomicUsize>,
    all_max: usize,
    refused: Counter,
    bytes: usize,
}

/// What a response carries whose handler has counted it already.
#[derive(Debug, Clone)]
struct Counted(Arc<Held>);

impl Answers {
    pub(crate) fn up_to(bytes_max: usize) -> Self {
        Self {
            bytes: Arc::default(),
            bytes_max,
            of_addresses: PerAddress::up_to(bytes_max / ADDRESS_PART),
            refused: Counter::default(),
        }
    }

    /// The same counts under other limits: of all, and of each address.
    pub(crate) fn with_limits(mut self, bytes_max: usize, address_bytes_max: usize) -> Self {
        self.bytes_max = bytes_max;
        self.of_addresses = PerAddress::up_to(address_bytes_max);
        self
    }

    /// Returns how many bytes are on their way.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Counts nothing yet.
    pub(crate) fn hold(&self) -> Held {
        Held {
            all: self.bytes.clone(),
            all_max: self.bytes_max,
            refused: self.refused.clone(),
            bytes: 0,
        }
    }

    /// Counts a response until its connection has written it. `is_read`: it may be refused instead.
    pub(crate) fn count(
        &self,
        response: Response,
        is_read: bool,
        address: IpAddr,
        flow: &Arc<Flow>,
    ) -> Response {
        let bytes = response.body().size_hint().exact();
        // Streams have no size, and a limit of their own.
        let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
        let Some(bytes) = bytes.filter(|bytes| *bytes > SMALL_BYTES_MAX) else {
            return response;
        };
        let of_address = self.of_addresses.enter_with(address, bytes);
        if of_address.is_none() && is_read {
            self.refused.inc();
            let max = self.of_addresses.max();
            let detail = format!(
                "answers that address {address} has not taken yet leave no room for one of {bytes} bytes, and {max} \
                 are the limit"
            );
            return Problem::new(ProblemType::Overloaded, detail).into_response();
        }
        let held = if let Some(counted) = response.extensions().get::<Counted>() {
            counted.0.clone()
        } else {
            let mut held = self.hold();
            match held.grow_to(bytes) {
                Err(problem) if is_read => return problem.into_response(),
                Err(_) => held.grow_anyway(bytes),
                Ok(()) => {}
            }
            Arc::new(held)
        };
        flow.add_unwritten(bytes);
        let unwritten = Unwritten {
            _held: held,
            _of_address: of_address,
            flow: flow.clone(),
            bytes,
        };
        response.map(|body| {
            Body::new(Sent {
                body,
                unwritten: Arc::new(unwritten),
            })
        })
    }

    /// Names what is counted.
    pub(crate) fn register(&self, registry: &mut Registry) {
        let bytes = self.bytes.clone();
        registry.register_with_unit(
            "answers_unwritten",
            "Answers of more than 16 KiB that their connections have not written yet",
            Unit::Bytes,
            Pulled::gauge(move || as_float(bytes.load(Ordering::Relaxed))),
        );
        registry.register(
            "answers_refused",
            "Answers to reads that were refused, since those on their way had all the room, or all of their address",
            self.refused.clone(),
        );
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a figure that is looked at by people"
)]
const fn as_float(bytes: usize) -> f64 {
    bytes as f64
}

impl Held {
    /// Counts an answer that has become so long. An error: there is no room for it.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> Result<(), Problem> {
        if bytes <= SMALL_BYTES_MAX {
            return Ok(());
        }
        let more = bytes.saturating_sub(self.bytes);
        let before = self.all.fetch_add(more, Ordering::Relaxed);
        // One alone is sent, however large it is.
        let others = before.saturating_sub(self.bytes);
        if others > 0 && before.saturating_add(more) > self.all_max {
            self.all.fetch_sub(more, Ordering::Relaxed);
            self.refused.inc();
            let detail = format!(
                "answers that clients have not taken yet have {before} bytes, and {} are the limit",
                self.all_max
            );
            return Err(Problem::new(ProblemType::Overloaded, detail));
        }
        self.bytes += more;
        Ok(())
    }

    fn grow_anyway(&mut self, bytes: usize) {
        let more = bytes.saturating_sub(self.bytes);
        self.all.fetch_add(more, Ordering::Relaxed);
        self.bytes += more;
    }

    /// Has a response carry what was counted for it.
    pub(crate) fn answer(self, mut response: Response) -> Response {
        response.extensions_mut().insert(Counted(Arc::new(self)));
        response
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// An answer that its connection has not written: dropped with the last piece of it.
#[derive(Debug)]
struct Unwritten {
    _held: Arc<Held>,
    _of_address: Option<OfAddress>,
    flow: Arc<Flow>,
    bytes: usize,
}

impl Drop for Unwritten {
    fn drop(&mut self) {
        self.flow.take_unwritten(self.bytes);
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

    use futures::FutureExt as _;
    use http_body_util::BodyExt as _;

    use super::*;

    const LARGE: usize = 100_000;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
    const THERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));

    /// An address may have all of it.
    fn of_one_address(bytes_max: usize) -> Answers {
        Answers::up_to(bytes_max).with_limits(bytes_max, usize::MAX)
    }

    fn large() -> Response {
        Body::from(vec![b'x'; LARGE]).into_response()
    }

    fn unwritten(answers: &Answers) -> usize {
        answers.bytes.load(Ordering::Relaxed)
    }

    #[tokio::test]
    async fn an_answer_counts_until_its_last_piece_is_let_go_of() {
        let (answers, flow) = (of_one_address(2 * LARGE), Arc::new(Flow::default()));
        let mut body = answers.count(large(), true, HERE, &flow).into_body();
        assert_eq!(unwritten(&answers), LARGE);
        let piece = body.frame().await.unwrap().unwrap().into_data().unwrap();
        drop(body);
        assert_eq!((piece.len(), unwritten(&answers)), (LARGE, LARGE));
        let mut rest = piece;
        let _ = rest.split_to(LARGE / 2);
        assert_eq!(unwritten(&answers), LARGE);
        drop(rest);
        assert_eq!(unwritten(&answers), 0);
    }

    #[test]
    fn past_the_limit_reads_are_refused_and_writes_answered() {
        let (answers, flow) = (of_one_address(2 * LARGE), Arc::new(Flow::default()));
        let held = [(); 2].map(|()| answers.count(large(), true, HERE, &flow));
        let refused = answers.count(large(), true, HERE, &flow);
        assert_eq!(refused.status(), 503);
        assert!(refused.headers().contains_key("retry-after"));
        assert_eq!(answers.refused.get(), 1);
        let small = Body::from(vec![b'x'; SMALL_BYTES_MAX]).into_response();
        assert_eq!(answers.count(small, true, HERE, &flow).status(), 200);
        assert_eq!(unwritten(&answers), 2 * LARGE);
        let written = answers.count(large(), false, HERE, &flow);
        assert_eq!(
            (written.status(), unwritten(&answers)),
            (axum::http::StatusCode::OK, 3 * LARGE)
        );
        drop((held, written));
        assert_eq!(unwritten(&answers), 0);
        assert_eq!(answers.count(large(), true, HERE, &flow).status(), 200);
    }

    #[test]
    fn an_answer_that_grows_is_counted_as_it_does_and_once() {
        let (answers, flow) = (of_one_address(2 * LARGE), Arc::new(Flow::default()));
        let mut held = answers.hold();
        held.grow_to(SMALL_BYTES_MAX).unwrap();
        assert_eq!(unwritten(&answers), 0);
        held.grow_to(LARGE / 2).unwrap();
        held.grow_to(LARGE).unwrap();
        assert_eq!(unwritten(&answers), LARGE);
        let other = answers.count(large(), true, HERE, &flow);
        assert!(held.grow_to(LARGE + 1).is_err());
        drop(other);
        // Alone it may be larger than all may be together.
        held.grow_to(3 * LARGE).unwrap();
        assert!(answers.hold().grow_to(LARGE).is_err());
        let response = answers.count(held.answer(large()), true, HERE, &flow);
        assert_eq!(unwritten(&answers), 3 * LARGE);
        drop(response);
        assert_eq!(unwritten(&answers), 0);
    }

    #[test]
    fn a_connection_with_much_unwritten_begins_no_request() {
        let (answers, flow) = (of_one_address(usize::MAX), Arc::new(Flow::default()));
        let full = Body::from(vec![b'x'; CONNECTION_BYTES_MAX]).into_response();
        let full = answers.count(full, true, HERE, &flow);
        assert!(flow.drained().now_or_never().is_none());
        drop(full);
        assert!(flow.drained().now_or_never().is_some());
    }

    #[test]
    fn an_address_has_its_share_and_others_theirs() {
        let (answers, flow) = (Answers::up_to(8 * LARGE), Arc::new(Flow::default()));
        let held = [(); 2].map(|()| answers.count(large(), true, HERE, &flow));
        let refused = answers.count(large(), true, HERE, &flow);
        assert_eq!(refused.status(), 503);
        assert!(refused.headers().contains_key("retry-after"));
        assert_eq!((answers.refused.get(), unwritten(&answers)), (1, 2 * LARGE));
        let small = Body::from(vec![b'x'; SMALL_BYTES_MAX]).into_response();
        assert_eq!(answers.count(small, true, HERE, &flow).status(), 200);
        // A write was done, and is answered.
        let written = answers.count(large(), false, HERE, &flow);
        assert_eq!(written.status(), 200);
        let other = answers.count(large(), true, THERE, &flow);
        assert_eq!(other.status(), 200);
        drop(held);
        assert_eq!(answers.count(large(), true, HERE, &flow).status(), 200);
        drop((written, other));
        assert_eq!(unwritten(&answers), 0);
    }
}
