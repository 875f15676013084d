//! Simulated viewers and their gifts, for `load` and `serve --demo`.

use board::Member;
use twox_hash::XxHash3_64;

const ADJECTIVES: [&str; 16] = [
    "quiet", "lucky", "brave", "sleepy", "golden", "tiny", "cosmic", "gentle", "wild", "sunny",
    "frosty", "clever", "silver", "mellow", "swift", "merry",
];

const ANIMALS: [&str; 16] = [
    "otter", "panda", "falcon", "lynx", "heron", "koala", "badger", "fox", "whale", "gecko",
    "moth", "bison", "crane", "hare", "tiger", "seal",
];

/// The maximum points of a viewer.
const POINTS_MAX: i64 = 30_000;

/// Points and weights of gifts: the frequent ones are small.
const GIFTS: [(i64, u32); 7] = [
    (1, 25),
    (5, 20),
    (10, 18),
    (50, 14),
    (99, 10),
    (520, 8),
    (1314, 5),
];

/// Returns the viewer with this number, and its points, which have a Pareto distribution.
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
    (member, points.clamp(1, POINTS_MAX))
}

/// Returns the points of a random gift.
pub fn random_gift(random: &mut fastrand::Rng) -> i64 {
    weighted(&GIFTS, random)
}

/// Returns a random one of these choices, by their weights, of which at least one is above 0.
pub fn weighted<T: Copy>(choices: &[(T, u32)], random: &mut fastrand::Rng) -> T {
    let all: u32 = choices.iter().map(|(_, weight)| weight).sum();
    let mut at = random.u32(..all);
    for (choice, weight) in choices {
        match at.checked_sub(*weight) {
            Some(left) => at = left,
            None => return *choice,
        }
    }
    choices[0].0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_of_the_crowd_have_many_points() {
        let many = (0..10_000).filter(|number| crowd_member(*number).1 > 1_000);
        assert!((1..200).contains(&many.count()));
    }
}
