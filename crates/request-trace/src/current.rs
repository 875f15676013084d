//! The request that this thread is answering at the moment, for log lines.

use std::cell::RefCell;

use axum::http::HeaderValue;

use crate::tracer::TraceId;

thread_local! {
    static CURRENT: RefCell<Option<CurrentRequest>> = const { RefCell::new(None) };
}

/// What log lines and traces say of a request.
#[derive(Debug, Clone)]
pub struct CurrentRequest {
    id: HeaderValue,
    trace: Option<TraceId>,
}

impl CurrentRequest {
    /// A request of this id, in this trace.
    #[must_use]
    pub const fn new(id: HeaderValue, trace: Option<TraceId>) -> Self {
        Self { id, trace }
    }

    /// Returns the header with its id.
    #[must_use]
    pub const fn header(&self) -> &HeaderValue {
        &self.id
    }

    /// Its id: visible ASCII.
    #[must_use]
    pub fn id(&self) -> &str {
        // No other id was taken.
        self.id.to_str().unwrap_or_default()
    }

    /// The trace that it belongs to, if its caller has one or it is traced here.
    #[must_use]
    pub const fn trace(&self) -> Option<TraceId> {
        self.trace
    }
}

/// The request that this thread is answering at the moment.
#[must_use]
pub fn current_request() -> Option<CurrentRequest> {
    // A thread that ends may still log.
    let current = CURRENT.try_with(|current| current.borrow().clone());
    current.ok().flatten()
}

/// While it lives, this thread answers the request; dropped also where that panics.
#[derive(Debug)]
pub struct Answering<'a>(&'a mut Option<CurrentRequest>);

impl<'a> Answering<'a> {
    /// The request goes to the thread for as long, and comes back: nothing is counted or allocated.
    pub fn this(request: &'a mut Option<CurrentRequest>) -> Self {
        CURRENT.with(|current| std::mem::swap(&mut *current.borrow_mut(), request));
        Self(request)
    }
}

impl Drop for Answering<'_> {
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
    fn a_thread_answers_one_request_inside_another_and_then_none() {
        let (mut outer, mut inner) = (Some(request("outer")), Some(request("inner")));
        {
            let _outer = Answering::this(&mut outer);
            {
                let _inner = Answering::this(&mut inner);
                assert_eq!(current_id().as_deref(), Some("inner"));
            }
            assert_eq!(current_id().as_deref(), Some("outer"));
        }
        assert_eq!(current_id(), None);
        assert_eq!(outer.unwrap().id(), "outer");
    }

    #[test]
    fn a_panic_leaves_no_request_behind() {
        let panicked = std::panic::catch_unwind(|| {
            let mut request = Some(request("a"));
            let _answering = Answering::this(&mut request);
            panic!("on purpose");
        });
        assert!(panicked.is_err());
        assert_eq!(current_id(), None);
    }
}
