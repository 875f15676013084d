//! [`BegunRequest`]: a request that was checked, and has no response yet.

use std::future::ready;
use std::sync::Arc;

use axum::response::{IntoResponse as _, Response};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use http_server::validators::HoldsNoMemory;
use http_server::{AddressResponses, Flow, RequestPermit, is_small};
use wire::problem::Problem;

use crate::dispatch::finished;
use crate::metrics::CountedRequest;

use super::paced::PacedRequest;

/// A request that is counted until it has a response.
pub(crate) struct BegunRequest<'a> {
    handled: Handled<'a>,
    counted: Option<CountedRequest<'a>>,
}

impl<'a> BegunRequest<'a> {
    pub(super) const fn new(handled: Handled<'a>, counted: CountedRequest<'a>) -> Self {
        Self {
            handled,
            counted: Some(counted),
        }
    }

    /// Begins a request that is refused before the gate, and not counted.
    pub(crate) fn refused(problem: Problem) -> Self {
        Self {
            handled: Handled::answered_by(answered(problem)),
            counted: None,
        }
    }

    /// Waits for the response.
    pub(crate) async fn answer(self, flow: &Arc<Flow>) -> Response {
        let response = self.handled.answer(flow).await;
        if let Some(counted) = self.counted {
            counted.end(&response);
        }
        response
    }
}

/// A request that was handed to its handler, or refused.
pub(super) struct Handled<'a> {
    pub(super) response: BoxFuture<'a, Response>,
    /// Whose it is, unless it was refused.
    pub(super) paced: Option<PacedRequest<'a>>,
    pub(super) is_head: bool,
    /// What a large response counts in, unless it is counted already.
    pub(super) answers: Option<AddressResponses>,
    /// Held until the response is there.
    pub(super) permit: Option<RequestPermit<'a>>,
}

impl<'a> Handled<'a> {
    pub(super) fn answered_by(response: BoxFuture<'a, Response>) -> Self {
        Self {
            response,
            paced: None,
            is_head: false,
            answers: None,
            permit: None,
        }
    }

    /// Waits for the response, and counts it until the connection has written it.
    pub(super) async fn answer(self, flow: &Arc<Flow>) -> Response {
        let response = match self.paced {
            Some(paced) => paced.complete(self.response).await,
            None => self.response.await,
        };
        let response = finished(response, self.is_head);
        drop(self.permit);
        match self.answers {
            // Boxed, since it would increase the size of every request.
            Some(answers) if is_counted(&response) => answers.send(response, flow).boxed().await,
            _ => response,
        }
    }
}

/// Returns whether a response holds memory until it is read.
fn is_counted(response: &Response) -> bool {
    !is_small(response) && response.extensions().get::<HoldsNoMemory>().is_none()
}

/// Returns the response to a request that was refused.
pub(super) fn answered(problem: Problem) -> BoxFuture<'static, Response> {
    ready(problem.into_response()).boxed()
}
