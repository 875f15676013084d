//! Authorizes a request by its key or its stream token: [`Authorizer`].

use std::net::IpAddr;
use std::sync::Arc;

use arc_swap::Guard;
use axum::http::{HeaderMap, header};
use board::Timestamp;
use problem::{Problem, ProblemType};

use crate::access::Access;
use crate::caller::Caller;
use crate::key::Key;
use crate::keys::{Keys, bearer};
use crate::scope::Scope;
use crate::token::BadToken;

/// A request, and the current keys to check it against.
pub struct Authorizer<'a> {
    access: &'a Access,
    keys: Guard<Arc<Keys>>,
    headers: &'a HeaderMap,
    peer: IpAddr,
    clock: &'a dyn Fn() -> Timestamp,
}

impl Access {
    /// Returns the authorizer of a request from this peer; `None` if no keys are configured and every request is
    /// permitted.
    pub fn authorizer<'a>(
        &'a self,
        headers: &'a HeaderMap,
        peer: IpAddr,
        clock: &'a dyn Fn() -> Timestamp,
    ) -> Option<Authorizer<'a>> {
        let keys = self.keys();
        (!keys.is_empty()).then_some(Authorizer {
            access: self,
            keys,
            headers,
            peer,
            clock,
        })
    }

    /// Returns a token for the streams of a board, `kind/subject`, that is valid until `end` or until the caller's key
    /// ends.
    #[must_use]
    pub fn issue_token(&self, board: &str, caller: &Caller, end: Timestamp) -> String {
        self.tokens().issue(board, caller.tag(), end)
    }
}

impl Authorizer<'_> {
    /// Checks the key without its scope: returns 401 if it is missing or invalid, 429 if its budget is spent.
    pub fn check_key(&self) -> Result<(), Problem> {
        self.key().map(drop)
    }

    /// Returns the caller, or 403 unless its key has this scope and may access boards of this kind.
    pub fn caller(&self, needed: Scope, kind: Option<&str>) -> Result<Caller, Problem> {
        let key = self.key()?;
        key.check_scope(needed)?;
        if let Some(kind) = kind {
            key.check_kind(kind)?;
        }
        Ok(Caller::of(key))
    }

    /// Returns whether [`caller`](Self::caller) permits the request, and takes it from the budget of its key. `false`
    /// counts nothing: `caller` decides.
    pub(crate) fn permits(&self, needed: Scope, kind: &str) -> bool {
        let key = bearer(self.headers).ok();
        key.and_then(|text| self.keys.find(text))
            .is_some_and(|key| {
                key.check_time((self.clock)()).is_ok()
                    && key.check_scope(needed).is_ok()
                    && key.is_for(kind)
                    && key.take().is_ok()
            })
    }

    /// Returns the caller of a stream of this board, by its key if it sends one, otherwise by its token.
    pub fn stream_caller(
        &self,
        token: Option<&str>,
        kind: &str,
        subject: &str,
    ) -> Result<Caller, Problem> {
        match token {
            Some(token) if !self.headers.contains_key(header::AUTHORIZATION) => {
                self.token_holder(token, kind, subject)
            }
            _ => self.caller(Scope::Read, Some(kind)),
        }
    }

    /// Returns the key of the request.
    fn key(&self) -> Result<Arc<Key>, Problem> {
        let text = bearer(self.headers)?;
        // The lookup comes first, and costs less than a microsecond: a valid key is accepted however many wrong keys
        // its address has sent.
        let Some(key) = self.keys.find(text) else {
            return Err(self.wrong_key());
        };
        key.check_time((self.clock)())?;
        let taken = key.take();
        taken.map_err(|wait| {
            Problem::too_many_requests(
                format_args!("key {:?} sends too many requests", key.name),
                wait,
            )
        })?;
        Ok(key.clone())
    }

    /// Returns the response to an unknown key: 401, or 429 if its address has sent too many.
    fn wrong_key(&self) -> Problem {
        let address = self.access.client(self.peer, self.headers);
        match self.access.guesses().count(address) {
            Ok(()) => unauthorized("authorization: the key is unknown"),
            Err(wait) => Problem::too_many_requests(
                format_args!("address {address} sent too many wrong keys"),
                wait,
            ),
        }
    }

    /// Returns the caller whose key issued this token, if the token is for this board.
    fn token_holder(&self, token: &str, kind: &str, subject: &str) -> Result<Caller, Problem> {
        let board = format!("{kind}/{subject}");
        let now = (self.clock)();
        let tag = match self.access.tokens().check(token, &board, now) {
            Ok(tag) => tag,
            Err(BadToken::Wrong) => {
                let detail = format!("token: is not one for board {board:?}");
                return Err(unauthorized(&detail));
            }
            Err(BadToken::Expired) => return Err(unauthorized("token: has expired")),
        };
        let Some(key) = self.keys.of_tag(tag) else {
            return Err(unauthorized("token: its key was removed"));
        };
        key.check_time(now)?;
        key.check_kind(kind)?;
        Ok(Caller::of(key.clone()))
    }
}

fn unauthorized(detail: &str) -> Problem {
    Problem::new(ProblemType::Unauthorized, detail)
}
