//! What is served again without lookups is what a lookup finds, whatever has changed since it was served.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use board::{Keep, Kind, Period, Timestamp, Window, WindowRule, WindowSelector};
use merger::{ServedTop, Snapshot};
use shard_store::DeleteBoardError;
use tokio::time::{Instant, advance};

use crate::kinds::{kind, points};
use crate::random::Random;
use crate::stage::{NOW_MS, Stage};

const STEPS: usize = 3_000;
const STALENESS: Duration = Duration::from_secs(10);

/// Bounds of windows and closings are whole multiples of it.
const TICK: Duration = Duration::from_mins(1);
const TICK_MS: i64 = 60_000;

fn spec(top: u64) -> Kind {
    let mut spec = points(4);
    spec.top = top;
    spec.max_staleness = STALENESS;
    let hours = WindowRule {
        close: Some(7 * TICK),
        keep: Keep::After(20 * TICK),
        ..WindowRule::with_defaults(Period::Hour)
    };
    spec.windows = vec![hours, WindowRule::with_defaults(Period::All)];
    kind(spec)
}

/// A read as a request has it: a period whose current or previous window it is about, or one window.
#[derive(Debug, Clone, Copy)]
enum Selected {
    Current(Period),
    Previous(Period),
    Named(Window),
}

struct Served {
    selected: Selected,
    top: ServedTop,
    kind: Arc<Kind>,
    snapshot: Arc<Snapshot>,
}

struct Walk {
    stage: Stage,
    served: Vec<Served>,
    again: usize,
}

impl Walk {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.stage.clock_ms.load(Ordering::Relaxed))
    }

    /// Returns the kind that a request finds now, and its window if that is kept.
    fn window(&self, selected: Selected) -> Option<(Arc<Kind>, Window)> {
        let known = self.stage.router.catalogue().known("gifts");
        let kind = known.unwrap().kind;
        let window = match selected {
            Selected::Current(period) => kind.calendar().span_at(period, self.now()).window,
            Selected::Previous(period) => {
                WindowSelector::Previous(period).resolve(kind.calendar(), self.now())
            }
            Selected::Named(window) => window,
        };
        (!kind.is_expired(window, self.now())).then_some((kind, window))
    }

    /// Reads as a request does, and keeps what may be served again.
    async fn read(&mut self, selected: Selected, fresh: bool) {
        let from = self.now();
        let Some((kind, window)) = self.window(selected) else {
            return;
        };
        let Stage { merger, board, .. } = &self.stage;
        let view = merger.top(board, &kind, window, fresh).await.unwrap();
        if let Some(top) = merger.served_top(board, &kind, window, &view, from) {
            let snapshot = view.snapshot;
            self.served.push(Served {
                selected,
                top,
                kind,
                snapshot,
            });
        }
    }

    /// Compares everything that would be served again with what a read finds.
    async fn compare(&mut self) {
        let Stage { merger, board, .. } = &self.stage;
        let arrived = Instant::now();
        self.served
            .retain(|served| merger.serves_again(&served.top, arrived));
        for served in &self.served {
            let (kind, window) = self.window(served.selected).expect("the window is kept");
            assert!(Arc::ptr_eq(&kind, &served.kind));
            let merges = merger.counters().merges();
            let view = merger.top(board, &kind, window, false).await.unwrap();
            assert!(
                Arc::ptr_eq(&view.snapshot, &served.snapshot),
                "{:?}",
                served.selected
            );
            assert!(!view.stale);
            assert_eq!(merger.counters().merges(), merges);
        }
        self.again += self.served.len();
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_served_again_is_what_a_read_finds() {
    let stage = Stage::in_memory(spec(10)).await;
    let hour = |ms: i64| {
        Selected::Named(
            stage
                .kind
                .calendar()
                .span_at(Period::Hour, Timestamp::from_millis(NOW_MS + ms))
                .window,
        )
    };
    let selections = [
        Selected::Current(Period::Hour),
        Selected::Previous(Period::Hour),
        Selected::Current(Period::All),
        hour(0),
        hour(3_600_000),
    ];
    let mut walk = Walk {
        stage,
        served: Vec::new(),
        again: 0,
    };
    let mut random = Random::of_run(31);
    for _ in 0..STEPS {
        let now = walk.now();
        match random.below(12) {
            0 => {
                let points = i64::try_from(random.below(100)).unwrap() + 1;
                walk.stage.points("a", points).await;
            }
            1 => advance(STALENESS / 4).await,
            2 if random.below(4) == 0 => {
                walk.stage.clock_ms.fetch_add(TICK_MS, Ordering::Relaxed);
            }
            3 if random.below(8) == 0 => {
                let put = walk
                    .stage
                    .router
                    .catalogue()
                    .put(spec(5 + random.below(5)), now);
                walk.stage.known = put.await.unwrap().0;
            }
            4 if random.below(8) == 0 => {
                let Stage { router, board, .. } = &walk.stage;
                let deleted = router.delete_board(board, now).await;
                assert!(matches!(deleted, Ok(()) | Err(DeleteBoardError::NotFound)));
            }
            5 => walk.stage.router.catalogue().refresh().await.unwrap(),
            _ => {
                let selected = selections[usize::try_from(random.below(4)).unwrap()];
                walk.read(selected, random.below(8) == 0).await;
            }
        }
        walk.compare().await;
    }
    assert!(walk.again > STEPS, "{}", walk.again);
}
