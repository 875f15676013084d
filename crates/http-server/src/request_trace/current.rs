//! The request that the thread is working on, for log lines: [`current_request`].

use std::cell::RefCell;

use axum::http::HeaderValue;

use crate::request_trace::trace_id::TraceId;

thread_local! {
    static CURRENT: RefCell<Option<CurrentRequest>> = const { RefCell::new(None) };
}

/// The id and the trace of a request.
#[derive(Debug, Clone)]
pub struct CurrentRequest {
    id: HeaderValue,
    trace: Option<TraceId>,
}

impl CurrentRequest {
    /// Creates a request with this id, in this trace.
    #[must_use]
    pub const fn new(id: HeaderValue, trace: Option<TraceId>) -> Self {
        Self { id, trace }
    }

    /// Returns the id as the value of a header.
    #[must_use]
    pub fn into_header(self) -> HeaderValue {
        self.id
    }

    /// Returns the id, which is visible ASCII.
    #[must_use]
    pub fn id(&self) -> &str {
        // `request_id` accepts no other ids.
        self.id.to_str().unwrap_or_default()
    }

    /// Returns the trace that the request belongs to, if its caller has one or it is traced here.
    #[must_use]
    pub const fn trace(&self) -> Option<TraceId> {
        self.trace
    }
}

/// Returns the request that this thread is working on.
#[must_use]
pub fn current_request() -> Option<CurrentRequest> {
    // A thread may still log while its thread-local values are destroyed.
    let current = CURRENT.try_with(|current| current.borrow().clone());
    current.ok().flatten()
}

/// A guard: until it is dropped, also by a panic, the request is the current one of this thread.
#[derive(Debug)]
pub struct RequestScope<'a>(&'a mut Option<CurrentRequest>);

impl<'a> RequestScope<'a> {
    /// Makes the request the current one. It is moved to the thread and back, so nothing is counted or allocated.
    pub fn enter(request: &'a mut Option<CurrentRequest>) -> Self {
        CURRENT.with(|current| std::mem::swap(&mut *current.borrow_mut(), request));
        Self(request)
    }
}

impl Drop for RequestScope<'_> {
    fn drop(&mut self) {
        CURRENT.with(|current| std::mem::swap(&mut *current.borrow_mut(), self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(id: &'static str) -> CurrentRequest {
        CurrentRequest {
            id: HeaderValue::from_static(id),
            trace: None,
        }
    }

    fn current_id() -> Option<String> {
        current_request().map(|current| current.id().to_owned())
    }

    #[test]
    fn scopes_nest_and_end_without_a_request() {
        let (mut outer, mut inner) = (Some(request("outer")), Some(request("inner")));
        {
            let _outer = RequestScope::enter(&mut outer);
            {
                let _inner = RequestScope::enter(&mut inner);
                assert_eq!(current_id().as_deref(), Some("inner"));
            }
            assert_eq!(current_id().as_deref(), Some("outer"));
        }
        assert_eq!(current_id(), None);
        assert_eq!(outer.unwrap().id(), "outer");
    }

    #[test]
    fn a_panic_ends_the_scope() {
        let panicked = std::panic::catch_unwind(|| {
            let mut request = Some(request("a"));
            let _scope = RequestScope::enter(&mut request);
            panic!("on purpose");
        });
        assert!(panicked.is_err());
        assert_eq!(current_id(), None);
    }
}
