//! The one cached way to a top: responses prepared whole, for repeated reads.
//!
//! 1. The first two reads of a target are answered in full. [`Gate::note_read`] sees that the second is repeated, and
//!    its handler gets to know, and adds what its response depends on ([`ServedBoard`]).
//! 2. [`Gate::prepare`] keeps the response in a table ([`PreparedResponses`]) by all of the request that it depends on
//!    ([`ReadKey`]), beside these [`Facts`].
//! 3. [`Gate::repeat`] answers further reads in one lookup, while the facts are true: what the authorizer says, and the
//!    top ([`ServedTop`]). A repeated read takes from the same limits and counts in the same metrics. What is not found
//!    here, and what is refused, is left to the full checks.
//!
//! With a tracer, while requests are logged and while the server drains, all reads are answered in full.
//!
//! The table has one slot for each hash of a key. So the number of responses is limited, and nothing is evicted in any
//! order. Their bytes are counted in a share.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::{ArcSwapOption, Guard};
use axum::body::Body;
use axum::http::header::{ACCEPT_ENCODING, HOST, IF_NONE_MATCH, ORIGIN};
use axum::http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Version,
};
use board::KindName;
use bytes::Bytes;
use futures::future::ready;
use futures::{FutureExt as _, StreamExt as _, stream};
use http_body_util::BodyExt as _;
use http_server::request_trace::{REQUEST_ID, request_id};
use http_server::{HeldBytes, SMALL_BYTES_MAX, Share};
use hyper::body::{Body as HttpBody, Incoming};
use merger::ServedTop;
use tokio::time::Instant;
use twox_hash::XxHash3_64;

use super::Gate;
use crate::observed;
use crate::route::{Matched, may_be_prepared};

/// The maximum number of prepared responses.
const PREPARED_MAX: usize = 4096;

/// The maximum length of the path and the query of a prepared read, and of each header in its key.
const KEY_PART_BYTES_MAX: usize = 1024;

const VARYING_COUNT: usize = 4;

/// The headers that a response to a read may depend on, besides those that its facts are checked with.
static VARYING: [HeaderName; VARYING_COUNT] = [HOST, IF_NONE_MATCH, ACCEPT_ENCODING, ORIGIN];

/// Estimated bytes of a prepared response beside its body, its headers and its key.
const FIXED_BYTES: usize = 1024;

/// A read whose response is to be prepared.
pub(crate) struct ReadToPrepare {
    key: OwnedReadKey,
    route: Option<usize>,
    had_keys: bool,
}

/// What a prepared response depends on, beside the request.
pub(crate) struct Facts {
    board: ServedBoard,
    /// The index of the row in the table of routes, for the metrics.
    route: Option<usize>,
    /// Whether keys were configured.
    had_keys: bool,
}

/// An extension of the response to a repeated read: the top that it was made of.
#[derive(Debug, Clone)]
pub(crate) struct ServedBoard {
    pub(crate) top: ServedTop,
    pub(crate) kind: KindName,
}

impl Gate {
    /// Returns the prepared response to a read, if it is prepared and nothing that it depends on has changed.
    pub(crate) fn repeat(
        &self,
        peer: IpAddr,
        request: &Request<Incoming>,
    ) -> Option<Response<Body>> {
        if !may_be_prepared(request.uri().path()) {
            return None;
        }
        let arrived = Instant::now();
        let prepared = self.prepared.find(&ReadKey::of(request)?)?;
        let prepared = prepared.as_ref()?;
        let Facts {
            board: ServedBoard { top, kind },
            route,
            had_keys,
        } = &prepared.facts;
        let app = &self.app;
        let headers = request.headers();
        let _permit = self.requests.acquire()?;
        let clock = app.clock();
        let may_repeat = app.tracer.is_none()
            && !app.is_draining()
            && !observed::logs_requests()
            && app.merger.serves_again(top, arrived)
            && (app.access).permits_again(
                peer,
                headers,
                clock,
                kind.as_str(),
                *had_keys,
                &*self.app,
            );
        if !may_repeat {
            return None;
        }
        app.merger.count_served_again(top, arrived);
        let route = self.metrics.of(*route);
        let counted = app.metrics.http.begin_at(route, arrived.into_std());
        let mut response = prepared.response();
        (response.headers_mut()).insert(REQUEST_ID, request_id(headers));
        counted.end_with(prepared.status);
        app.metrics.http.count_repeated();
        Some(response)
    }

    /// Notes a read that is answered in full. If it is repeated, returns what [`prepare`](Self::prepare) needs.
    pub(super) fn note_read<B: HttpBody>(
        &self,
        request: &Request<B>,
        matched: &Matched,
    ) -> Option<ReadToPrepare> {
        let is_prepared = matched.route().is_some_and(|route| route.prepared);
        let key = is_prepared.then(|| ReadKey::of(request)).flatten();
        let key = key.filter(|key| self.prepared.is_repeated(key))?;
        Some(ReadToPrepare {
            key: key.to_owned(),
            route: matched.index,
            had_keys: self.app.access.has_keys(),
        })
    }

    /// Prepares the response to a read, if its handler has added what it depends on.
    pub(super) fn prepare(
        &self,
        read: ReadToPrepare,
        mut response: Response<Body>,
    ) -> Response<Body> {
        let ReadToPrepare {
            key,
            route,
            had_keys,
        } = read;
        match response.extensions_mut().remove::<ServedBoard>() {
            Some(board) if self.app.access.has_keys() == had_keys => {
                let facts = Facts {
                    board,
                    route,
                    had_keys,
                };
                self.prepared.prepare(key, response, facts)
            }
            _ => response,
        }
    }
}

/// All that the response to a read depends on, as it was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ReadKey<'a> {
    target: &'a str,
    varying: [Option<&'a [u8]>; VARYING_COUNT],
}

/// A [`ReadKey`] that outlives its request.
#[derive(Debug)]
struct OwnedReadKey {
    target: Box<str>,
    varying: [Option<Box<[u8]>>; VARYING_COUNT],
}

impl<'a> ReadKey<'a> {
    /// Returns the key of a read; `None` for a request whose response may depend on anything else.
    fn of<B: HttpBody>(request: &'a Request<B>) -> Option<Self> {
        let uri = request.uri();
        let is_plain = request.method() == Method::GET
            && request.version() == Version::HTTP_11
            && uri.authority().is_none()
            && request.body().is_end_stream();
        let target = uri.path_and_query()?.as_str();
        if !is_plain || target.len() > KEY_PART_BYTES_MAX {
            return None;
        }
        let mut varying = [None; VARYING_COUNT];
        for (name, value) in request.headers() {
            let Some(index) = VARYING.iter().position(|varying| varying == name) else {
                continue;
            };
            let is_long = value.len() > KEY_PART_BYTES_MAX;
            if is_long || varying[index].replace(value.as_bytes()).is_some() {
                return None;
            }
        }
        Some(Self { target, varying })
    }

    /// Copies the key.
    fn to_owned(self) -> OwnedReadKey {
        OwnedReadKey {
            target: self.target.into(),
            varying: self.varying.map(|value| value.map(Into::into)),
        }
    }

    fn hash(&self) -> u64 {
        let hash = XxHash3_64::oneshot(self.target.as_bytes());
        let varying = self.varying.iter().flatten();
        varying.fold(hash, |hash, value| {
            hash.rotate_left(5) ^ XxHash3_64::oneshot(value)
        })
    }
}

impl OwnedReadKey {
    fn borrowed(&self) -> ReadKey<'_> {
        ReadKey {
            target: &self.target,
            varying: self.varying.each_ref().map(Option::as_deref),
        }
    }

    fn bytes(&self) -> usize {
        let varying = self.varying.iter().flatten().map(|value| value.len());
        self.target.len() + varying.sum::<usize>()
    }
}

/// A response that is ready to be sent again, and facts that have to be checked before that.
#[derive(Debug)]
struct Prepared<T> {
    key: OwnedReadKey,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    facts: T,
    _held: HeldBytes,
}

impl<T> Prepared<T> {
    fn response(&self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.body.clone()));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers.clone();
        response
    }
}

/// A table of prepared responses.
#[derive(Debug)]
pub(crate) struct PreparedResponses<T> {
    slots: Box<[Slot<T>]>,
    share: Share,
}

#[derive(Debug)]
struct Slot<T> {
    prepared: ArcSwapOption<Prepared<T>>,
    /// The hash of the last read that was not found here.
    missed: AtomicU64,
}

impl<T> PreparedResponses<T> {
    /// Creates an empty table, whose bytes are counted in this share.
    pub(crate) fn new(share: &Share) -> Self {
        let slot = |_| Slot {
            prepared: ArcSwapOption::empty(),
            missed: AtomicU64::new(0),
        };
        Self {
            slots: (0..PREPARED_MAX).map(slot).collect(),
            share: share.clone(),
        }
    }

    /// Returns the response that was prepared for this read.
    fn find(&self, key: &ReadKey<'_>) -> Option<Guard<Option<Arc<Prepared<T>>>>> {
        let found = self.slot(key.hash()).prepared.load();
        let is_it = found
            .as_ref()
            .is_some_and(|prepared| prepared.key.borrowed() == *key);
        is_it.then_some(found)
    }

    /// Notes a read that is not served from here. Returns whether it is repeated, so that its response should be
    /// prepared.
    fn is_repeated(&self, key: &ReadKey<'_>) -> bool {
        let hash = key.hash();
        let missed = &self.slot(hash).missed;
        missed.load(Ordering::Relaxed) == hash || {
            missed.store(hash, Ordering::Relaxed);
            false
        }
    }

    /// Prepares a response, if it is small and there is memory. Returns the response.
    fn prepare(&self, key: OwnedReadKey, response: Response<Body>, facts: T) -> Response<Body> {
        let bytes = response.body().size_hint().exact();
        let is_small = bytes.is_some_and(|bytes| bytes <= SMALL_BYTES_MAX as u64);
        if !is_small {
            return response;
        }
        let (parts, mut body) = response.into_parts();
        let frame = body.frame().now_or_never().flatten();
        let first = frame.and_then(|frame| frame.ok()?.into_data().ok());
        let first = first.unwrap_or_default();
        if Some(first.len() as u64) != bytes {
            // Not one of the bodies of a handler, which are in one piece.
            let first = stream::once(ready(Ok(first)));
            let body = Body::from_stream(first.chain(body.into_data_stream()));
            return Response::from_parts(parts, body);
        }
        let body = first;
        if body.is_empty() && parts.status != StatusCode::NOT_MODIFIED {
            return Response::from_parts(parts, Body::empty());
        }
        let slot = self.slot(key.borrowed().hash());
        let headers = parts.headers.iter();
        let headers = headers.map(|(name, value)| name.as_str().len() + value.len());
        let bytes = FIXED_BYTES + key.bytes() + headers.sum::<usize>() + body.len();
        // First, since its bytes may be those that are missing.
        slot.prepared.store(None);
        let mut held = self.share.hold();
        if !held.resize_unreserved(bytes) {
            // Most are outdated: those that are not are soon prepared again.
            self.slots.iter().for_each(|slot| slot.prepared.store(None));
        }
        if held.bytes() > 0 || held.resize_unreserved(bytes) {
            let mut headers = parts.headers.clone();
            // Its value is a part of the read buffer of another connection.
            headers.insert(REQUEST_ID, HeaderValue::from_static("-"));
            // So that no copy grows when it gets the id of its request.
            headers.reserve(1);
            slot.prepared.store(Some(Arc::new(Prepared {
                key,
                status: parts.status,
                headers,
                body: body.clone(),
                facts,
                _held: held,
            })));
        }
        Response::from_parts(parts, Body::from(body))
    }

    fn slot(&self, hash: u64) -> &Slot<T> {
        // The remainder is less than the number of slots.
        &self.slots[usize::try_from(hash % PREPARED_MAX as u64).unwrap_or_default()]
    }
}

#[cfg(test)]
mod tests;
