//! Cached boards take no more bytes than the limit, and tops are exact whether they were cached or not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use board::{Member, Timestamp};
use bytes::Bytes;
use merger::{Merger, Rendered, Settings};

use crate::agree::ALL;
use crate::kinds::{kind, points, value};
use crate::stage::{NOW_MS, Stage, rendered, text};
use crate::twin::Row;

/// The number of bytes of rendered entries that are in memory.
#[derive(Clone, Default)]
struct BytesInUse(Arc<AtomicUsize>);

/// Bytes that are counted until they are freed.
struct CountedBytes {
    bytes: Bytes,
    in_use: BytesInUse,
}

impl AsRef<[u8]> for CountedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for CountedBytes {
    fn drop(&mut self) {
        self.in_use.0.fetch_sub(self.bytes.len(), Ordering::Relaxed);
    }
}

impl BytesInUse {
    /// Waits until at most this many bytes are in use: evicted entries are freed a little later.
    fn settled(&self, merger: &Merger, bytes_max: u64) -> u64 {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            merger.free_evicted();
            let kept = self.0.load(Ordering::Relaxed) as u64;
            if kept <= bytes_max {
                return kept;
            }
            assert!(Instant::now() < deadline, "{kept} bytes are kept");
            std::thread::yield_now();
        }
    }

    fn merger(&self, stage: &Stage, cache_bytes_max: u64) -> Merger {
        let in_use = self.clone();
        let settings = Settings {
            clock: Arc::new(|| Timestamp::from_millis(NOW_MS)),
            renderer: Arc::new(move |_, entries| {
                let Rendered { bytes, ends } = rendered(entries);
                in_use.0.fetch_add(bytes.len(), Ordering::Relaxed);
                let in_use = in_use.clone();
                Rendered {
                    bytes: Bytes::from_owner(CountedBytes { bytes, in_use }),
                    ends,
                }
            }),
            renderer_format: "test",
            cache_bytes_max,
        };
        Merger::new(stage.router.clone(), settings)
    }
}

#[tokio::test]
async fn many_boards_in_a_small_cache() {
    const BOARDS: usize = 500;
    const LIMIT_BYTES: u64 = 100_000;
    let stage = Stage::in_memory(kind(points(16))).await;
    let in_use = BytesInUse::default();
    let merger = in_use.merger(&stage, LIMIT_BYTES);
    let row = |board: usize, n: usize| Row {
        member: Member::new(&format!("member-{n}-of-board-{board}")).unwrap(),
        values: value(i64::try_from(100 - n).unwrap()).into(),
        at: Timestamp::from_millis(NOW_MS),
    };
    let wanted = |board: usize, len: usize| {
        let shown = (0..len).map(|n| format!("{}:{}:member-{n}-of-board-{board}", n + 1, n + 1));
        shown.collect::<Vec<_>>().join(",")
    };
    for board in 0..BOARDS {
        let name = stage.board_about(&format!("room-{board}"));
        let rows: Vec<Row> = (0..50).map(|n| row(board, n)).collect();
        stage.set(&name, &rows).await;
        let top = merger.top(&name, &stage.kind, ALL, false).await.unwrap();
        assert_eq!(text(&top), wanted(board, 50));
    }
    let kept = in_use.settled(&merger, LIMIT_BYTES);
    assert!(kept > 0, "nothing was kept");
    // Evicted boards are merged again, and cached ones are not too old.
    for board in 0..BOARDS {
        let name = stage.board_about(&format!("room-{board}"));
        stage.set(&name, &[row(board, 50)]).await;
        let top = merger.top(&name, &stage.kind, ALL, true).await.unwrap();
        assert_eq!(text(&top), wanted(board, 51));
        assert!(!top.stale);
    }
}

#[tokio::test]
async fn version_vectors_count_in_the_cache() {
    const BOARDS: usize = 20;
    // The size of one version vector.
    const LIMIT_BYTES: u64 = 4096 * 24;
    let stage = Stage::in_memory(kind(points(4096))).await;
    let in_use = BytesInUse::default();
    let merger = in_use.merger(&stage, LIMIT_BYTES);
    let row = Row {
        member: Member::new("u1").unwrap(),
        values: value(1).into(),
        at: Timestamp::from_millis(NOW_MS),
    };
    for board in 0..BOARDS {
        let name = stage.board_about(&format!("room-{board}"));
        stage.set(&name, std::slice::from_ref(&row)).await;
        let top = merger.top(&name, &stage.kind, ALL, false).await.unwrap();
        assert_eq!(text(&top), "1:1:u1");
        merger.free_evicted();
    }
    assert_eq!(in_use.settled(&merger, 0), 0);
}
