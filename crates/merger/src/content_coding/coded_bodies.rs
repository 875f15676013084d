//! [`CodedBodies`]: the codings of one body, each made once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use tokio::sync::{OnceCell, Semaphore};
use tokio::task::spawn_blocking;

use crate::content_coding::coding::{CODED_BYTES_MIN, Coding};

/// Maximum bytes of a body that is compressed by the task that needs it: for less than a millisecond. A longer one is
/// compressed on a thread that may block.
const INLINE_BYTES_MAX: usize = 32 << 10;

/// Maximum longer bodies that are compressed at once. Each takes a thread, and about a megabyte for its encoder.
const COMPRESSING_MAX: usize = 4;

static COMPRESSING: Semaphore = Semaphore::const_new(COMPRESSING_MAX);

/// Bytes that may still be kept. Clones share them.
#[derive(Debug, Clone)]
pub struct KeptBytes(Arc<AtomicUsize>);

impl KeptBytes {
    /// Permits this number of bytes.
    #[must_use]
    pub fn up_to(bytes_max: usize) -> Self {
        Self(Arc::new(AtomicUsize::new(bytes_max)))
    }

    /// Takes this number of bytes, if they are left.
    #[must_use]
    pub fn take(&self, bytes: usize) -> bool {
        let less = |left: usize| left.checked_sub(bytes);
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        self.0.fetch_update(set, fetch, less).is_ok()
    }

    /// Gives back bytes that were taken and are not kept.
    pub fn give_back(&self, bytes: usize) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Returns the bytes that are left.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// The codings of one body, each made when a client first accepts it, if there are bytes left to keep it.
#[derive(Debug)]
pub struct CodedBodies {
    by_coding: [OnceCell<Option<Bytes>>; Coding::ALL.len()],
    left: KeptBytes,
}

impl CodedBodies {
    /// Creates the codings of a body, to be kept within this number of bytes.
    #[must_use]
    pub fn within(left: KeptBytes) -> Self {
        Self {
            by_coding: Default::default(),
            left,
        }
    }

    /// Returns the body in this coding. `None` if the body is too small or does not become smaller, or there are no
    /// bytes left for it, or while too many others are being compressed: then it is sent as it is.
    pub async fn get(&self, coding: Coding, body: &Bytes) -> Option<Bytes> {
        let cell = &self.by_coding[coding as usize];
        if let Some(known) = cell.get() {
            return known.clone();
        }
        // Callers that come in the meantime wait for this one. Boxed, since this is rare and would increase the size of
        // every read.
        let made = cell.get_or_try_init(|| self.coded(coding, body));
        Box::pin(made).await.ok().cloned().flatten()
    }

    /// Compresses the body. An error: not now.
    async fn coded(&self, coding: Coding, body: &Bytes) -> Result<Option<Bytes>, ()> {
        let coded = if body.len() < CODED_BYTES_MIN {
            None
        } else if body.len() <= INLINE_BYTES_MAX {
            coding.encoded(body)
        } else {
            let permit = COMPRESSING.try_acquire().map_err(drop)?;
            let body = body.clone();
            // The permit is held until the thread has finished, even if this caller is cancelled.
            let coded = spawn_blocking(move || (coding.encoded(&body), permit));
            coded.await.map_err(drop)?.0
        };
        let kept = coded.filter(|coded| self.left.take(coded.len()));
        Ok(kept.map(Bytes::from))
    }
}

#[cfg(test)]
mod tests {
    use futures::future::join_all;

    use super::*;
    use crate::content_coding::coding::tests::{decoded, top};

    fn bodies() -> CodedBodies {
        CodedBodies::within(KeptBytes::up_to(usize::MAX))
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn each_coding_is_made_once_for_all() {
        for entries in [100, 10_000] {
            let (bodies, body) = (Arc::new(bodies()), Bytes::from(top(entries)));
            for coding in Coding::ALL {
                let get = |()| {
                    let (bodies, body) = (bodies.clone(), body.clone());
                    tokio::spawn(async move { bodies.get(coding, &body).await.unwrap() })
                };
                let all = join_all([(); 8].map(get)).await;
                let all: Vec<Bytes> = all.into_iter().map(Result::unwrap).collect();
                assert!(decoded(coding, &all[0]) == body);
                // The same bytes, not equal ones.
                let starts = all.iter().map(|coded| coded.as_ptr());
                assert!(starts.eq([all[0].as_ptr(); 8]));
            }
        }
    }

    #[tokio::test]
    async fn small_bodies_have_no_codings() {
        for (bytes, is_coded) in [(CODED_BYTES_MIN - 1, false), (CODED_BYTES_MIN, true)] {
            let body = Bytes::from(vec![b'a'; bytes]);
            let coded = bodies().get(Coding::Zstd, &body).await;
            assert_eq!(coded.is_some(), is_coded, "{bytes}");
        }
    }

    #[tokio::test]
    async fn only_codings_with_bytes_left_are_kept() {
        let body = Bytes::from(top(100));
        let bytes = Coding::Gzip.encoded(&body).unwrap().len();
        for (left, zstd) in [(2 * bytes, true), (bytes, false)] {
            let bodies = CodedBodies::within(KeptBytes::up_to(left));
            assert!(bodies.get(Coding::Gzip, &body).await.is_some());
            assert_eq!(bodies.get(Coding::Zstd, &body).await.is_some(), zstd);
            assert!(bodies.get(Coding::Gzip, &body).await.is_some());
        }
    }
}
