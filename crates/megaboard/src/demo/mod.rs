//! `serve --demo`: a simulated live stream.
//!
//! One stage with a million members and a few rooms, all of the kind `gifts`, in a store in memory. Most gifts are
//! small; now and then a member gives a series of them.

mod room;

use std::sync::Arc;
use std::time::Duration;

use board::{KindName, Timestamp};
use commands::gifts::{Cast, crowd_member};
use shard_router::{BoardBatches, KnownKind, Router, Write, WriteOutcome};
use shard_store::Clock;
use tokio::time::{MissedTickBehavior, interval, sleep};

use room::{CROWD, Room, gift};

/// The kind of all boards of the demo.
pub(crate) const KIND: &str = "gifts";

/// The settings of the kind. The million members of the stage are in the window `all`, so it comes first.
pub(crate) const SETTINGS: &str = r#"windows = ["all", "hour", "day", "week", "month"]"#;

/// The age of the stage's contributions from before the start: they are in no window but `all`.
const CROWD_AGE: Duration = Duration::from_hours(3 * 365 * 24);

/// The number of their contributions per batch.
const CROWD_BATCH: u32 = 1_000;

/// The pause between two batches.
const CROWD_PAUSE: Duration = Duration::from_millis(2);

/// The interval of gifts.
const TICK: Duration = Duration::from_millis(150);

/// The rooms, and the average gifts per tick in each.
const ROOMS: [(&str, f64); 4] = [
    ("room-ada", 0.9),
    ("room-bosphorus", 0.5),
    ("room-café", 0.3),
    ("room-late-night", 0.1),
];

/// Contributes gifts for as long as it is polled.
pub(crate) async fn run(router: Arc<Router>, clock: Clock) {
    let name = KindName::new(KIND).expect("the name of the default kind is one");
    let Some(kind) = router.catalogue().known(name.as_str()) else {
        tracing::warn!(
            kind = KIND,
            "the demo's kind was deleted; the demo has stopped"
        );
        return;
    };
    let demo = Demo {
        router,
        clock,
        kind,
    };
    let mut random = fastrand::Rng::new();
    let cast = Cast::default();
    let mut room = |subject, pace| Room::new(&name, subject, pace, &cast, &mut random);
    let mut rooms = vec![room("main-stage", 3.0)];
    rooms.extend(ROOMS.map(|(subject, pace)| room(subject, pace)));
    for room in &mut rooms {
        demo.write(room.opening(&demo.kind, demo.now())).await;
    }
    let stage = rooms[0].board().clone();
    let crowd = demo.fill(&stage);
    let live = demo.live(rooms, random);
    tokio::join!(crowd, live);
}

/// Writes the gifts.
struct Demo {
    router: Arc<Router>,
    clock: Clock,
    kind: KnownKind,
}

impl Demo {
    fn now(&self) -> Timestamp {
        (self.clock)()
    }

    async fn write(&self, writes: Vec<Write>) {
        let batches: BoardBatches = writes.into_iter().collect();
        let written = self.router.write(batches, self.now(), false).await;
        let refused = written
            .iter()
            .filter(|it| matches!(it, WriteOutcome::Rejected(_) | WriteOutcome::Failed(_)));
        let count = refused.count();
        if count > 0 {
            tracing::warn!(count, "contributions of the demo were not applied");
        }
    }

    /// Writes the earlier contributions to the stage, batch by batch, while the rooms are live.
    async fn fill(&self, stage: &Arc<board::BoardName>) {
        let at = self.now().minus(CROWD_AGE);
        for first in (0..CROWD).step_by(CROWD_BATCH as usize) {
            let batch = first..first + CROWD_BATCH;
            let writes = batch.map(|number| {
                let (member, points) = crowd_member(number);
                gift(stage, &self.kind, member, points, at)
            });
            self.write(writes.collect()).await;
            // A store in memory never waits, so this gives the rooms time.
            sleep(CROWD_PAUSE).await;
        }
        tracing::info!(
            members = CROWD,
            "the demo's stage is full: gifts/main-stage?window=all"
        );
    }

    async fn live(&self, mut rooms: Vec<Room>, mut random: fastrand::Rng) {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let now = self.now();
            let gifts = rooms
                .iter_mut()
                .flat_map(|room| room.tick(&self.kind, now, &mut random))
                .map(|gift| Write {
                    at: self.router.arrival(now),
                    ..gift
                });
            self.write(gifts.collect()).await;
        }
    }
}
