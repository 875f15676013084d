//! Simulated viewers and their gifts, for `load` and `serve --demo`: regulars with fixed names, and a crowd with
//! generated names.

use board::Member;
use twox_hash::XxHash3_64;

/// Names of viewers that give often, in several scripts, one with an emoji.
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

/// The maximum points of a member of the crowd.
const CROWD_POINTS_MAX: i64 = 30_000;

/// Points and relative frequencies of gifts.
const GIFTS: [(i64, u32); 7] = [
    (1, 25),
    (5, 20),
    (10, 18),
    (50, 14),
    (99, 10),
    (520, 8),
    (1314, 5),
];

/// The regular viewers.
pub struct Cast {
    regulars: Vec<Member>,
}

impl Default for Cast {
    fn default() -> Self {
        let member = |name: &&str| Member::new(name).expect("the names are valid");
        Self {
            regulars: REGULARS.iter().map(member).collect(),
        }
    }
}

impl Cast {
    /// Returns the regular viewers.
    #[must_use]
    pub fn regulars(&self) -> &[Member] {
        &self.regulars
    }
}

/// Returns the member of the crowd with this number, and its points, which have a Pareto distribution.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
pub fn crowd_member(number: u32) -> (Member, i64) {
    let hash = XxHash3_64::oneshot(&number.to_le_bytes());
    let part = |shift: u32, count: usize| (hash >> shift) as usize % count;
    let adjective = ADJECTIVES[part(0, ADJECTIVES.len())];
    let animal = ANIMALS[part(8, ANIMALS.len())];
    let name = format!("{adjective}-{animal}-{number}");
    // Above 0 and at most 1.
    let share = ((hash >> 32) + 1) as f64 / 2_f64.powi(32);
    let points = (5.0 * share.powf(-0.75)) as i64;
    let member = Member::new(&name).expect("the name is valid");
    (member, points.clamp(1, CROWD_POINTS_MAX))
}

/// Returns the points of a random gift.
pub fn random_gift(random: &mut fastrand::Rng) -> i64 {
    let all: u32 = GIFTS.iter().map(|(_, weight)| weight).sum();
    let mut choice = random.u32(..all);
    for (points, weight) in GIFTS {
        match choice.checked_sub(weight) {
            Some(left) => choice = left,
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
    fn all_names_differ() {
        let cast = Cast::default();
        let crowd = (0..10_000).map(|number| crowd_member(number).0);
        let all: BTreeSet<Member> = crowd.chain(cast.regulars().iter().cloned()).collect();
        assert_eq!(all.len(), 10_000 + REGULARS.len());
    }

    #[test]
    fn few_of_the_crowd_have_many_points() {
        let many = (0..10_000).filter(|number| crowd_member(*number).1 > 1_000);
        assert!((1..200).contains(&many.count()));
    }
}
