//! Reads whole bodies: [`whole_up_to`].

use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use axum::body::Body;
use futures::poll;
use hyper::body::Body as _;
use tokio::time::timeout;
use wire::problem::{Problem, ProblemType};

use super::frames::next_bytes;
use super::memory::Whole;
use crate::share::Share;

/// The time within which a whole body must arrive. It limits how long a slow client holds a request permit.
const WHOLE_WAIT_MAX: Duration = Duration::from_mins(2);

/// Reads a whole body of at most `bytes_max` bytes, which count in this share, within a time limit.
pub async fn whole_up_to(share: &Share, body: Body, bytes_max: usize) -> Result<Whole, Problem> {
    let mut read = pin!(read_whole(share, body, bytes_max));
    // Without a timer if all of it has arrived.
    if let Poll::Ready(whole) = poll!(&mut read) {
        return whole;
    }
    let whole = timeout(WHOLE_WAIT_MAX, read).await;
    whole.unwrap_or_else(|_| {
        let detail = format!("the body took more than {} s", WHOLE_WAIT_MAX.as_secs());
        Err(Problem::new(ProblemType::TooSlow, detail))
    })
}

async fn read_whole(share: &Share, mut body: Body, bytes_max: usize) -> Result<Whole, Problem> {
    let too_large = || {
        let detail = format!("the body is larger than {bytes_max} bytes");
        Problem::new(ProblemType::TooLarge, detail)
    };
    // Checks `Content-Length`. A body that is never polled is never requested: its client receives no 100.
    let hint = body.size_hint();
    if hint.lower() > bytes_max as u64 {
        return Err(too_large());
    }
    let length = hint.exact().and_then(|length| usize::try_from(length).ok());
    let mut whole = Whole::new(share, length.unwrap_or(bytes_max));
    while let Some(bytes) = next_bytes(&mut body).await? {
        if whole.len() + bytes.len() > bytes_max {
            return Err(too_large());
        }
        whole.add(&bytes)?;
        if body.is_end_stream() {
            break;
        }
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use futures::StreamExt as _;

    use super::*;
    use crate::body::frames::SILENCE_MAX;

    /// Returns a body that never ends, with one byte per interval.
    fn trickling(every: Duration) -> Body {
        Body::from_stream(futures::stream::repeat(()).then(move |()| async move {
            tokio::time::sleep(every).await;
            Ok::<_, std::io::Error>(" ")
        }))
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_body_times_out() {
        for (every, waited, detail) in [
            (SILENCE_MAX / 2, WHOLE_WAIT_MAX, "took more than 120 s"),
            (SILENCE_MAX * 2, SILENCE_MAX, "sent nothing for 30 s"),
        ] {
            let began = tokio::time::Instant::now();
            let problem = whole_up_to(&Share::up_to(1000), trickling(every), 1000)
                .await
                .unwrap_err();
            assert_eq!(problem.kind, ProblemType::TooSlow);
            assert!(problem.detail.contains(detail), "{problem:?}");
            assert_eq!(began.elapsed(), waited);
        }
        let problem =
            whole_up_to(&Share::up_to(1000), trickling(Duration::from_millis(1)), 10).await;
        assert_eq!(problem.unwrap_err().kind, ProblemType::TooLarge);
    }
}
