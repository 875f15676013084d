//! One board of the demo: which members give, how much and when.

use std::sync::Arc;

use board::{BoardName, KindName, Member, Subject, Timestamp, Value, Values};
use commands::gifts::{Cast, crowd_member, random_gift};
use shard_router::{KnownKind, Write};
use shard_store::Change;

/// The members that the stage has from before the start, of which any room may have some.
pub(super) const CROWD: u32 = 1_000_000;

/// One in this many gifts begins a series.
const STREAK_ONE_IN: u32 = 12;

/// Points of the first regular member at the start, and the difference to the next.
const OPENING: (i64, i64) = (64_000, 420);

/// A board and its members.
pub(super) struct Room {
    board: Arc<BoardName>,
    /// Average gifts per tick.
    pace: f64,
    regulars: Vec<Member>,
    /// The gift that is repeated, and how many times more.
    streak: Option<(Member, i64, u32)>,
}

/// A gift.
pub(super) fn gift(
    board: &Arc<BoardName>,
    kind: &KnownKind,
    member: Member,
    points: i64,
    at: Timestamp,
) -> Write {
    let points = Value::new(points).expect("gifts are small numbers");
    Write {
        board: board.clone(),
        kind: kind.clone(),
        member,
        change: Change::Fold(Values::from(points)),
        at,
        id: None,
        only: None,
    }
}

impl Room {
    pub(super) fn new(
        kind: &KindName,
        subject: &str,
        pace: f64,
        cast: &Cast,
        random: &mut fastrand::Rng,
    ) -> Self {
        let subject = Subject::new(subject).expect("a room of the demo is a subject");
        let mut regulars = cast.regulars().to_vec();
        random.shuffle(&mut regulars);
        Self {
            board: Arc::new(BoardName::new(kind.clone(), subject)),
            pace,
            regulars,
            streak: None,
        }
    }

    pub(super) const fn board(&self) -> &Arc<BoardName> {
        &self.board
    }

    /// Returns the gifts of the regular members from before the start.
    pub(super) fn opening(&self, kind: &KnownKind, now: Timestamp) -> Vec<Write> {
        let (first, less) = OPENING;
        let points = (0..).map(|place| first - place * less);
        let regulars = self.regulars.iter().zip(points);
        let opening = regulars
            .map(|(member, points)| gift(&self.board, kind, member.clone(), points.max(1), now));
        opening.collect()
    }

    /// Returns the gifts of one tick.
    pub(super) fn tick(
        &mut self,
        kind: &KnownKind,
        now: Timestamp,
        random: &mut fastrand::Rng,
    ) -> Vec<Write> {
        let mut gifts = Vec::new();
        if let Some((member, points, left)) = self.streak.take() {
            gifts.push(gift(&self.board, kind, member.clone(), points, now));
            self.streak = left.checked_sub(1).map(|left| (member, points, left));
        }
        let mut due = self.pace;
        while random.f64() < due {
            due -= 1.0;
            let (member, points) = (self.giver(random), random_gift(random));
            if self.streak.is_none() && random.u32(..STREAK_ONE_IN) == 0 {
                let times = random.u32(4..20);
                self.streak = Some((member.clone(), points.max(99), times));
            }
            gifts.push(gift(&self.board, kind, member, points, now));
        }
        gifts
    }

    /// Draws a member: mostly a regular one, the first ones more often, otherwise any.
    fn giver(&self, random: &mut fastrand::Rng) -> Member {
        if random.u32(..4) == 0 {
            return crowd_member(random.u32(..CROWD)).0;
        }
        let place = random.usize(..self.regulars.len());
        let place = random.usize(..=place);
        self.regulars[place].clone()
    }
}
