//! [`Gzipped`]: a body in the content coding gzip (RFC 1952), made once.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::sync::{OnceCell, Semaphore};
use tokio::task::spawn_blocking;

/// Minimum bytes of a body that is compressed: a smaller one fits into one packet as it is.
pub const GZIPPED_BYTES_MIN: usize = 1024;

/// The level. Half of an entry is the same in all, the rest is nearly random: higher levels cost several times as much,
/// and save little (`docs/decisions/0016-compressed-responses.md`).
const LEVEL: u32 = 1;

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

/// A body in gzip, made when a client first accepts it, if there are bytes left to keep it.
#[derive(Debug)]
pub struct Gzipped {
    bytes: OnceCell<Option<Bytes>>,
    left: KeptBytes,
}

impl Gzipped {
    /// To be kept within this number of bytes.
    #[must_use]
    pub fn within(left: KeptBytes) -> Self {
        let bytes = OnceCell::new();
        Self { bytes, left }
    }

    /// Returns the body in gzip. `None` if it is too small or does not become smaller, or there are no bytes left for
    /// it, or while too many others are being compressed: then it is sent as it is.
    pub async fn get(&self, body: &Bytes) -> Option<Bytes> {
        if let Some(known) = self.bytes.get() {
            return known.clone();
        }
        // Callers that come in the meantime wait for this one. Boxed, since this is rare and would increase the size of
        // every read.
        let made = self.bytes.get_or_try_init(|| self.made(body));
        Box::pin(made).await.ok().cloned().flatten()
    }

    /// Compresses the body. An error: not now.
    async fn made(&self, body: &Bytes) -> Result<Option<Bytes>, ()> {
        let made = if body.len() < GZIPPED_BYTES_MIN {
            None
        } else if body.len() <= INLINE_BYTES_MAX {
            gzipped(body)
        } else {
            let permit = COMPRESSING.try_acquire().map_err(drop)?;
            let body = body.clone();
            // The permit is held until the thread has finished, even if this caller is cancelled.
            let made = spawn_blocking(move || (gzipped(&body), permit));
            made.await.map_err(drop)?.0
        };
        let kept = made.filter(|bytes| self.left.take(bytes.len()));
        Ok(kept.map(Bytes::from))
    }
}

/// Returns the bytes in gzip; `None` if that is not shorter.
fn gzipped(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(LEVEL));
    // Writing into a vector does not fail; if it did, the body would be sent as it is.
    encoder.write_all(bytes).ok()?;
    let mut made = encoder.finish().ok()?;
    made.shrink_to_fit();
    (made.len() < bytes.len()).then_some(made)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;
    use futures::future::join_all;

    use super::*;

    fn read(made: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        GzDecoder::new(made).read_to_end(&mut bytes).unwrap();
        bytes
    }

    /// Returns a body that compresses as a top does.
    fn top(entries: usize) -> Vec<u8> {
        let entry = |index: usize| {
            let (a, b) = (index * 7919 % 100_003, index * 104_729 % 86_400);
            format!("{{\"rank\":{index},\"member\":\"u{a}\",\"points\":{b}}},")
        };
        (0..entries).map(entry).collect::<String>().into_bytes()
    }

    #[test]
    fn bodies_of_all_lengths_are_read() {
        for entries in [20, 100, 1000, 20_000] {
            let body = top(entries);
            let made = gzipped(&body).unwrap();
            assert!(
                made.len() * 2 < body.len() && read(&made) == body,
                "{entries}"
            );
        }
        assert_eq!((gzipped(b""), gzipped(b"a")), (None, None));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn it_is_made_once_for_all() {
        for entries in [100, 10_000] {
            let gzip = Arc::new(Gzipped::within(KeptBytes::up_to(usize::MAX)));
            let body = Bytes::from(top(entries));
            let get = |()| {
                let (gzip, body) = (gzip.clone(), body.clone());
                tokio::spawn(async move { gzip.get(&body).await.unwrap() })
            };
            let all = join_all([(); 8].map(get)).await;
            let all: Vec<Bytes> = all.into_iter().map(Result::unwrap).collect();
            assert!(read(&all[0]) == body);
            // The same bytes, not equal ones.
            let starts = all.iter().map(|made| made.as_ptr());
            assert!(starts.eq([all[0].as_ptr(); 8]));
        }
    }

    #[tokio::test]
    async fn small_bodies_and_those_without_bytes_left_stay_as_they_are() {
        let kept = 200;
        for (bytes, left, is_made) in [
            (GZIPPED_BYTES_MIN - 1, kept, false),
            (GZIPPED_BYTES_MIN, kept, true),
            (GZIPPED_BYTES_MIN, 10, false),
        ] {
            let body = Bytes::from(vec![b'a'; bytes]);
            let gzip = Gzipped::within(KeptBytes::up_to(left));
            assert_eq!(gzip.get(&body).await.is_some(), is_made, "{bytes} {left}");
        }
    }
}
