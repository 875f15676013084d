//! `serve --demo`: a simulated live stream.
//!
//! One stage with a million members and a few rooms, all of the kind `gifts`, in a store in memory. Most gifts are
//! small; now and then a member gives a series of them.

use std::sync::Arc;
use std::time::Duration;

use board::{BoardName, KindName, Member, Subject, Timestamp, Value, Values};
use commands::gifts::{crowd_member, random_gift};
use shard_router::{BoardBatches, KnownKind, Router, Write, WriteOutcome};
use shard_store::{Change, Clock};
use tokio::time::{MissedTickBehavior, interval, sleep};

/// The kind of all boards of the demo.
pub(crate) const KIND: &str = "gifts";

/// The settings of the kind. The million members of the stage are in the window `all`, so it comes first.
pub(crate) const SETTINGS: &str = r#"windows = ["all", "hour", "day", "week", "month"]"#;

/// Members that give often, in several scripts, one with an emoji.
const REGULARS: &str = "Ada, 小雨, Noor ✨, Mila, Kenji, Zoë, Omar, Lucía, Björn, Priya, Tomás, अनन्या, Yuki, Sam, Chloé, Іван, \
                        Fatima, Leo, Ines, مريم, Max, Aiko, Bo, Sofía, Jin, Ravi, Elif, Nia";

/// The members that the stage has from before the start, of which any room may have some.
const CROWD: u32 = 1_000_000;

/// The age of their contributions: they are in no window but `all`.
const CROWD_AGE: Duration = Duration::from_hours(3 * 365 * 24);

/// The number of their contributions per batch.
const CROWD_BATCH: u32 = 1_000;

/// The pause between two batches.
const CROWD_PAUSE: Duration = Duration::from_millis(2);

/// The interval of gifts.
const TICK: Duration = Duration::from_millis(150);

/// The stage and the rooms, and the average gifts per tick in each.
const ROOMS: [(&str, f64); 5] = [
    ("main-stage", 3.0),
    ("room-ada", 0.9),
    ("room-bosphorus", 0.5),
    ("room-café", 0.3),
    ("room-late-night", 0.1),
];

/// Points of the first regular member at the start, and the difference to the next.
const OPENING: (i64, i64) = (64_000, 420);

/// One in this many gifts is a series.
const SERIES_ONE_IN: u32 = 12;

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
    let rooms = ROOMS.map(|(subject, pace)| Room::new(&name, subject, pace));
    tokio::join!(demo.fill(&rooms[0].board), demo.live(&rooms));
}

/// A board and its members.
struct Room {
    board: Arc<BoardName>,
    /// Average gifts per tick.
    pace: f64,
    regulars: Vec<Member>,
}

impl Room {
    fn new(kind: &KindName, subject: &str, pace: f64) -> Self {
        let subject = Subject::new(subject).expect("a room of the demo is a subject");
        let member = |name| Member::new(name).expect("the names are valid");
        let mut regulars: Vec<Member> = REGULARS.split(", ").map(member).collect();
        fastrand::shuffle(&mut regulars);
        Self {
            board: Arc::new(BoardName::new(kind.clone(), subject)),
            pace,
            regulars,
        }
    }

    /// Returns the member and the points of a random gift: mostly of a regular member, of the first ones more often.
    fn gift(&self, random: &mut fastrand::Rng) -> (Member, i64) {
        let member = if random.u32(..4) == 0 {
            crowd_member(random.u32(..CROWD)).0
        } else {
            let index = random.usize(..self.regulars.len());
            self.regulars[random.usize(..=index)].clone()
        };
        let times = match random.u32(..SERIES_ONE_IN) {
            0 => random.i64(4..20),
            _ => 1,
        };
        (member, times * random_gift(random))
    }
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

    fn gift(
        &self,
        board: &Arc<BoardName>,
        (member, points): (Member, i64),
        at: Timestamp,
    ) -> Write {
        let points = Value::new(points).expect("gifts are small numbers");
        Write {
            board: board.clone(),
            kind: self.kind.clone(),
            member,
            change: Change::Fold(Values::from(points)),
            at,
            id: None,
            only: None,
        }
    }

    async fn write(&self, writes: impl Iterator<Item = Write>) {
        let batches: BoardBatches = writes.collect();
        let written = self.router.write(batches, self.now(), false).await;
        let is_refused =
            |it: &&WriteOutcome| matches!(it, WriteOutcome::Rejected(_) | WriteOutcome::Failed(_));
        let count = written.iter().filter(is_refused).count();
        if count > 0 {
            tracing::warn!(count, "contributions of the demo were not applied");
        }
    }

    /// Writes the earlier contributions to the stage, batch by batch, while the rooms are live.
    async fn fill(&self, stage: &Arc<BoardName>) {
        let at = self.now().minus(CROWD_AGE);
        for first in (0..CROWD).step_by(CROWD_BATCH as usize) {
            let batch = first..first + CROWD_BATCH;
            let gifts = batch.map(|number| self.gift(stage, crowd_member(number), at));
            self.write(gifts).await;
            // A store in memory never waits, so this gives the rooms time.
            sleep(CROWD_PAUSE).await;
        }
        tracing::info!(
            members = CROWD,
            "the demo's stage is full: gifts/main-stage?window=all"
        );
    }

    /// Writes the gifts of the regular members from before the start, then some at every tick.
    async fn live(&self, rooms: &[Room]) {
        let now = self.now();
        let (first, less) = OPENING;
        let opening = rooms.iter().flat_map(|room| {
            let points = (0..).map(|index| first - index * less);
            let gifts = room.regulars.iter().cloned().zip(points);
            gifts.map(|gift| self.gift(&room.board, gift, now))
        });
        self.write(opening).await;
        let mut random = fastrand::Rng::new();
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let now = self.now();
            let mut gifts = Vec::new();
            for room in rooms {
                let mut due = room.pace;
                while random.f64() < due {
                    due -= 1.0;
                    let (gift, at) = (room.gift(&mut random), self.router.arrival(now));
                    gifts.push(self.gift(&room.board, gift, at));
                }
            }
            self.write(gifts.into_iter()).await;
        }
    }
}
