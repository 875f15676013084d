//! Repeated reads of a top: one lookup, instead of all the checks that they have passed before.
//!
//! The first two reads are answered in full, and the response to the second is prepared
//! ([`PreparedResponses`](connection::PreparedResponses)). It is sent again while all that it depends on is the same:
//! the request, as far as [`ReadKey`] has it, what the authorizer says, and the top ([`ServedTop`](merger::ServedTop)).
//! A repeated read takes from the same limits and counts in the same metrics. What is not found here, and what is
//! refused, is left to the full checks.
//!
//! With a tracer, while requests are logged and while the server drains, all reads are answered in full.

use std::net::IpAddr;

use axum::http::{Method, Request};
use axum::response::Response;
use connection::{OwnedReadKey, ReadKey, ResponseBody};
use hyper::body::Incoming;
use request_trace::{REQUEST_ID, request_id};
use tokio::time::Instant;

use super::Gate;
use super::facts::Facts;
use crate::observed;
use crate::repeated::{IsRepeated, ServedBoard};
use crate::route::{Matched, Needs, may_be_prepared};

/// A read whose response is to be prepared.
pub(crate) struct ReadToPrepare {
    key: OwnedReadKey,
    had_keys: bool,
}

impl Gate {
    /// Returns the prepared response to a read, if it is prepared and nothing that it depends on has changed.
    pub(crate) fn repeat(
        &self,
        peer: IpAddr,
        request: &Request<Incoming>,
    ) -> Option<axum::http::Response<ResponseBody>> {
        if !may_be_prepared(request.uri().path()) {
            return None;
        }
        let arrived = Instant::now();
        let prepared = self.prepared.find(&ReadKey::of(request)?)?;
        let prepared = prepared.as_ref()?;
        let Facts {
            board: ServedBoard { top, kind },
            matched,
            had_keys,
        } = prepared.facts();
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
        let route = self.metrics.of(request.method(), matched);
        let counted = app.metrics.http.begin_at(route, arrived.into_std());
        let mut response = prepared.response();
        (response.headers_mut()).insert(REQUEST_ID, request_id(headers));
        counted.end_with(prepared.status());
        app.metrics.http.count_repeated();
        Some(response)
    }

    /// Notes a read that is answered in full. If it is repeated, tells its handler, and returns what
    /// [`prepare`](Self::prepare) needs.
    pub(crate) fn note_read(
        &self,
        request: &mut Request<Incoming>,
        matched: &Matched,
    ) -> Option<ReadToPrepare> {
        if !matched.may_be_prepared() {
            return None;
        }
        let key = ReadKey::of(request).filter(|key| self.prepared.is_repeated(key))?;
        let key = key.to_owned();
        request.extensions_mut().insert(IsRepeated);
        let had_keys = self.app.access.has_keys();
        Some(ReadToPrepare { key, had_keys })
    }

    /// Prepares the response to a read, if its handler has added what it depends on.
    pub(crate) fn prepare(
        &self,
        read: ReadToPrepare,
        matched: &Matched,
        mut response: Response,
    ) -> Response {
        let needs = matched.route().and_then(|route| route.needs(&Method::GET));
        let board = response.extensions_mut().remove::<ServedBoard>();
        let (Some(Needs::ReadKey), Some(board)) = (needs, board) else {
            return response;
        };
        let had_keys = read.had_keys;
        if self.app.access.has_keys() != had_keys {
            return response;
        }
        let facts = Facts {
            board,
            matched: *matched,
            had_keys,
        };
        self.prepared.prepare(read.key, response, facts)
    }
}
