//! Simulated viewers and what they give, for `load` and `serve --demo`: regulars with names of their own, and a
//! crowd with names that are made up.

use board::Member;
use twox_hash::XxHash3_64;

/// Who gives most. Names as they are met: of any script, and of more than letters.
const REGULARS: [&str; 28] = [
    "Ada",
    "小雨",
    "Noor ✨",
    "Mila",
    "Kenji",
    "Zoë",
    "Omar",
    "Lucía",
    "Björn",
    "Priya",
    "Tomás",
    "अनन्या",
    "Yuki",
    "Sam",
    "Chloé",
    "Іван",
    "Fatima",
    "Leo",
    "Ines",
    "مريم",
    "Max",
    "Aiko",
    "Bo",
    "Sofía",
    "Jin",
    "Ravi",
    "Elif",
    "Nia",
];

const ADJECTIVES: [&str; 16] = [
    "quiet", "lucky", "brave", "sleepy", "golden", "tiny", "cosmic", "gentle", "wild", "sunny",
    "frosty", "clever", "silver", "mellow", "swift", "merry",
];

const ANIMALS: [&str; 16] = [
    "otter", "panda", "falcon", "lynx", "heron", "koala", "badger", "fox", "whale", "gecko",
    "moth", "bison", "crane", "hare", "tiger", "seal",
];

/// Points of the crowd at most.
const CROWD_POINTS_MAX: i64 = 30_000;

/// Gifts as a platform sells them, the dear ones seldom.
const GIFTS: [(i64, u32); 7] = [
    (1, 25),
    (5, 20),
    (10, 18),
    (50, 14),
    (99, 10),
    (520, 8),
    (1314, 5),
];

/// All members of the demo.
pub struct Cast {
    regulars: Vec<Member>,
}

impl Default for Cast {
    fn default() -> Self {
        let member = |name: &&str| Member::new(name).expect("a name of the cast is a member's");
        Self {
            regulars: REGULARS.iter().map(member).collect(),
        }
    }
}

impl Cast {
    /// Everybody with a name of their own.
    #[must_use]
    pub fn regulars(&self) -> &[Member] {
        &self.regulars
    }
}

/// One of the crowd, and what it has given: few have much, as in any crowd.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
pub fn of_crowd(number: u32) -> (Member, i64) {
    let hash = XxHash3_64::oneshot(&number.to_le_bytes());
    let part = |shift: u32, count: usize| (hash >> shift) as usize % count;
    let adjective = ADJECTIVES[part(0, ADJECTIVES.len())];
    let animal = ANIMALS[part(8, ANIMALS.len())];
    let name = format!("{adjective}-{animal}-{number}");
    // A Pareto distribution by a number above 0 and at most 1.
    let share = ((hash >> 32) + 1) as f64 / 2_f64.powi(32);
    let points = (5.0 * share.powf(-0.75)) as i64;
    let member = Member::new(&name).expect("letters and digits name a member");
    (member, points.clamp(1, CROWD_POINTS_MAX))
}

/// What somebody gives, as it comes.
pub fn any_gift(random: &mut fastrand::Rng) -> i64 {
    let all: u32 = GIFTS.iter().map(|(_, weight)| weight).sum();
    let mut thrown = random.u32(..all);
    for (points, weight) in GIFTS {
        match thrown.checked_sub(weight) {
            Some(left) => thrown = left,
            None => return points,
        }
    }
    1
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn everybody_is_somebody_else() {
        let cast = Cast::default();
        let crowd = (0..10_000).map(|number| of_crowd(number).0);
        let all: BTreeSet<Member> = crowd.chain(cast.regulars().iter().cloned()).collect();
        assert_eq!(all.len(), 10_000 + REGULARS.len());
    }

    #[test]
    fn few_of_the_crowd_have_much() {
        let rich = (0..10_000).filter(|number| of_crowd(*number).1 > 1_000);
        assert!((1..200).contains(&rich.count()));
    }
}
