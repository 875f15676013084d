//! Authorizes a request by its key or its stream token: [`Authorizer`].

use std::net::IpAddr;
use std::sync::Arc;

use arc_swap::Guard;
use axum::http::{HeaderMap, header};
use board::Timestamp;
use wire::problem::Problem;

use crate::access::Access;
use crate::caller::{Caller, unless_public};
use crate::key::Key;
use crate::keys::{Keys, bearer, unauthorized};
use crate::public_kinds::PublicKinds;
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

    /// Returns the caller of a read of boards of this kind, if the path names one. A key is required unless the kind is
    /// public, or, if the path names none, unless any kind is: then the handler checks the kinds. A key that is sent
    /// has to be valid.
    pub fn reader(&self, kind: Option<&str>, public: &dyn PublicKinds) -> Result<Caller, Problem> {
        if self.is_keyless() && kind.map_or_else(|| public.any(), |kind| public.contains(kind)) {
            return Ok(Caller::keyless());
        }
        let key = self.key()?;
        key.check_scope(Scope::Read)?;
        if let Some(kind) = kind {
            unless_public(key.check_kind(kind), kind, public)?;
        }
        Ok(Caller::of(key))
    }

    /// Returns whether the request has no key.
    pub(crate) fn is_keyless(&self) -> bool {
        !self.headers.contains_key(header::AUTHORIZATION)
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

    /// Returns the caller of a stream of this board, by its key if it sends one, otherwise by its token, otherwise as a
    /// [`reader`](Self::reader).
    pub fn stream_caller(
        &self,
        token: Option<&str>,
        kind: &str,
        subject: &str,
        public: &dyn PublicKinds,
    ) -> Result<Caller, Problem> {
        match token {
            Some(token) if self.is_keyless() => self.token_holder(token, kind, subject, public),
            _ => self.reader(Some(kind), public),
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
    fn token_holder(
        &self,
        token: &str,
        kind: &str,
        subject: &str,
        public: &dyn PublicKinds,
    ) -> Result<Caller, Problem> {
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
        unless_public(key.check_kind(kind), kind, public)?;
        Ok(Caller::of(key.clone()))
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use board::KindName;
    use wire::problem::ProblemType;

    use super::*;
    use crate::key_settings::KeySettings;
    use crate::new_key::{NewKey, digest_of};
    use crate::settings::AccessSettings;

    /// The kinds that are public.
    struct Public(&'static [&'static str]);

    impl PublicKinds for Public {
        fn contains(&self, kind: &str) -> bool {
            self.0.contains(&kind)
        }

        fn any(&self) -> bool {
            !self.0.is_empty()
        }
    }

    const PEER: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const NOW: fn() -> Timestamp = || Timestamp::from_millis(0);

    /// Returns a key for reading boards of the kind `own`, and what it is configured in.
    fn bound() -> (NewKey, Access) {
        let key = NewKey::generate().unwrap();
        let settings = AccessSettings {
            keys: vec![KeySettings {
                name: "k".to_owned(),
                hash: digest_of(key.text()),
                scope: Scope::Read,
                kinds: Some([KindName::new("own").unwrap()].into()),
                requests_per_second: None,
                burst: None,
                expires_at: None,
            }],
            ..AccessSettings::default()
        };
        (key, Access::new(&settings).unwrap())
    }

    fn with_key(text: &str) -> HeaderMap {
        let value = format!("Bearer {text}").parse().unwrap();
        HeaderMap::from_iter([(header::AUTHORIZATION, value)])
    }

    fn reader(
        access: &Access,
        headers: &HeaderMap,
        kind: Option<&str>,
        public: &Public,
    ) -> Result<Caller, ProblemType> {
        let authorizer = access.authorizer(headers, PEER, &NOW).unwrap();
        let caller = authorizer.reader(kind, public);
        caller.map_err(|problem| problem.kind)
    }

    #[test]
    fn without_a_key_only_public_kinds_are_read() {
        let (_, access) = bound();
        let (none, some) = (Public(&[]), Public(&["open"]));
        let read = |kind, public| reader(&access, &HeaderMap::new(), kind, public);
        for (kind, public) in [(None, &none), (Some("open"), &none), (Some("own"), &some)] {
            assert_eq!(read(kind, public).unwrap_err(), ProblemType::Unauthorized);
        }
        for kind in [None, Some("open")] {
            let caller = read(kind, &some).unwrap();
            assert!(caller.is_keyless() && !caller.is_for("open") && !caller.is_admin());
            assert!(!caller.is_unbounded_admin() && caller.name().is_none());
            assert!(caller.check_read("open", &some).is_ok());
            for refused in [
                caller.check_read("own", &some),
                caller.check_kind("open"),
                caller.check_kind_still(&access, "open"),
                caller.check_still(&access, Scope::Read, NOW()),
                caller.check_still_for(&access, "open", &none, NOW()),
            ] {
                assert_eq!(refused.unwrap_err().kind, ProblemType::Unauthorized);
            }
            assert!(
                caller
                    .check_still_for(&access, "open", &some, NOW())
                    .is_ok()
            );
        }
    }

    #[test]
    fn a_key_that_is_sent_is_checked_and_reads_public_kinds_too() {
        let (key, access) = bound();
        let (none, some) = (Public(&[]), Public(&["open"]));
        let (own, wrong) = (with_key(key.text()), with_key("mb_wrong"));
        for kind in [None, Some("open"), Some("own")] {
            let refused = reader(&access, &wrong, kind, &some).unwrap_err();
            assert_eq!(refused, ProblemType::Unauthorized);
        }
        let caller = reader(&access, &own, Some("open"), &some).unwrap();
        assert_eq!(caller.name(), Some("k"));
        assert!(caller.check_read("open", &some).is_ok());
        assert_eq!(
            caller.check_kind("open").unwrap_err().kind,
            ProblemType::Forbidden
        );
        let refused = reader(&access, &own, Some("open"), &none).unwrap_err();
        assert_eq!(refused, ProblemType::Forbidden);
        assert!(reader(&access, &own, Some("own"), &none).is_ok());
    }

    #[test]
    fn prepared_responses_are_for_the_same_callers() {
        let (key, access) = bound();
        let (none, some) = (Public(&[]), Public(&["open"]));
        let again = |headers: &HeaderMap, kind, public: &Public| {
            access.permits_again(PEER, headers, &NOW, kind, true, public)
        };
        let keyless = HeaderMap::new();
        assert!(again(&keyless, "open", &some));
        assert!(!again(&keyless, "open", &none) && !again(&keyless, "own", &some));
        assert!(again(&with_key(key.text()), "own", &some));
        assert!(!again(&with_key("mb_wrong"), "open", &some));
    }
}
