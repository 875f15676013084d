//! Rooms, their members and gifts: [`Rooms`].

use std::sync::Arc;

use commands::gifts;

/// Rooms whose popularity follows Zipf's law: room N has 1/N of the requests and members of room 1. Clones share the
/// weights.
#[derive(Clone)]
pub(crate) struct Rooms {
    /// For each room the sum of the weights up to it; the last one is the sum of all.
    sums: Arc<[f64]>,
    members: u32,
}

impl Rooms {
    /// Creates this number of rooms, at least one, with this number of members together.
    pub(crate) fn new(rooms: u32, members: u32) -> Self {
        let sums = (1..=rooms).scan(0.0, |sum, room| {
            *sum += f64::from(room).recip();
            Some(*sum)
        });
        Self {
            sums: sums.collect(),
            members,
        }
    }

    /// Returns a random room, from 0.
    pub(crate) fn room(&self, random: &mut fastrand::Rng) -> usize {
        let at = random.f64() * self.sums.last().copied().unwrap_or_default();
        self.sums
            .partition_point(|sum| *sum <= at)
            .min(self.sums.len() - 1)
    }

    /// Returns all rooms.
    pub(crate) fn all(&self) -> std::ops::Range<usize> {
        0..self.sums.len()
    }

    /// Returns the number of members of a room, at least 1.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub(crate) fn members_of(&self, room: usize) -> u32 {
        let before = room.checked_sub(1).map_or(0.0, |before| self.sums[before]);
        let all = self.sums.last().copied().unwrap_or(1.0);
        let share = (self.sums[room] - before) / all;
        (share * f64::from(self.members)).round().max(1.0) as u32
    }

    /// Returns a random member of a room. Those with lower numbers are more frequent.
    pub(crate) fn member(&self, room: usize, random: &mut fastrand::Rng) -> String {
        let number = random.u32(..self.members_of(room));
        name(random.u32(..=number))
    }
}

/// The beginning of the subjects of rooms.
pub(crate) const ROOM_PREFIX: &str = "load-";

/// Returns the subject of a room's board.
pub(crate) fn subject(room: usize) -> String {
    format!("{ROOM_PREFIX}{}", room + 1)
}

/// Returns the name of a member of a room.
pub(crate) fn name(number: u32) -> String {
    gifts::crowd_member(number).0.as_str().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_and_their_members_follow_zipfs_law() {
        let rooms = Rooms::new(1_000, 100_000);
        let mut random = fastrand::Rng::with_seed(3);
        let mut counts = vec![0_u32; 1_000];
        for _ in 0..100_000 {
            counts[rooms.room(&mut random)] += 1;
        }
        // The harmonic number of 1,000 is 7.485.
        assert!((13_000..13_700).contains(&counts[0]), "{}", counts[0]);
        assert!((1_200..1_470).contains(&counts[9]), "{}", counts[9]);
        assert_eq!(rooms.members_of(0), 13_359);
        assert_eq!(rooms.members_of(9), 1_336);
        let all: u32 = rooms.all().map(|room| rooms.members_of(room)).sum();
        assert!((99_500..100_500).contains(&all), "{all}");
    }

    #[test]
    fn each_room_has_a_member() {
        let rooms = Rooms::new(100, 1);
        assert!(rooms.all().all(|room| rooms.members_of(room) == 1));
        let mut random = fastrand::Rng::with_seed(1);
        assert_eq!(rooms.member(99, &mut random), name(0));
    }
}
