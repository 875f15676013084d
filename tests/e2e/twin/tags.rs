//! Entity tags of responses: [`Tags`].

use std::collections::HashMap;

use serde_json::Value;
use testkit::{Response, Server};

/// Codings that requests accept, one after the other.
const CODINGS: [&str; 2] = ["identity", "gzip"];

/// The bodies of all tags of each path, without `as_of`: a tag has one body, for ever.
#[derive(Default)]
pub(super) struct Tags {
    bodies: HashMap<(String, String), Value>,
    requests: usize,
}

impl Tags {
    /// Sends a `GET` that accepts one of the codings.
    pub(super) fn get(&mut self, server: &Server, path: &str) -> Response {
        self.requests += 1;
        let coding = CODINGS[self.requests % CODINGS.len()];
        server.get_with(path, &[("accept-encoding", coding)])
    }

    /// Asserts that the response is the one that had its tag before, and that a client that has it gets 304 unless it
    /// has changed.
    pub(super) fn check(&mut self, server: &Server, path: &str, response: &Response) {
        if response.status != 200 {
            return;
        }
        let etag = response.header("etag").to_owned();
        assert!(!etag.is_empty(), "{path}: {response:?}");
        let mut body = response.value();
        body.as_object_mut().unwrap().remove("as_of");
        let again = server.get_with(path, &[("if-none-match", &etag)]);
        match again.status {
            200 => assert_ne!(again.header("etag"), etag, "{path}: {again:?}"),
            304 => assert_eq!((again.header("etag"), &*again.body), (&*etag, ""), "{path}"),
            // What it was about has ended in the meantime.
            status => assert!((404..=410).contains(&status), "{path}: {again:?}"),
        }
        let key = (path.to_owned(), etag);
        let first = self.bodies.entry(key).or_insert_with(|| body.clone());
        assert_eq!(*first, body, "{path}: two bodies have one tag");
    }
}
