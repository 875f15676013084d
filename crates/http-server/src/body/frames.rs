//! The frames of a body: [`next_bytes`].

use std::task::Poll;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures::poll;
use http_body_util::BodyExt;
use tokio::time::timeout;
use wire::problem::{Problem, ProblemType};

/// The time within which the next bytes of a body must arrive.
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(30);

/// Returns the next bytes of a body; `None` at its end.
pub(super) async fn next_bytes(body: &mut Body) -> Result<Option<Bytes>, Problem> {
    loop {
        // Without a timer if it has arrived: that is as frequent as requests.
        let frame = match poll!(body.frame()) {
            Poll::Ready(frame) => frame,
            Poll::Pending => timeout(SILENCE_MAX, body.frame()).await.map_err(|_| {
                let detail = format!("the body sent nothing for {} s", SILENCE_MAX.as_secs());
                Problem::new(ProblemType::TooSlow, detail)
            })?,
        };
        match frame {
            None => return Ok(None),
            Some(Err(error)) => {
                let detail = format!("the body broke off: {error}");
                return Err(Problem::new(ProblemType::Malformed, detail));
            }
            Some(Ok(frame)) => {
                if let Ok(bytes) = frame.into_data() {
                    return Ok(Some(bytes));
                }
            }
        }
    }
}
