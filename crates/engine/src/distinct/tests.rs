//! Values compared with a map.

use std::collections::BTreeMap;

use board::{FieldName, FieldRule, Mode, Ties};
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn rules(fields: usize) -> Rules {
    let field = |number| FieldRule::sum(FieldName::new(&format!("f{number}")).unwrap());
    let fields = (0..fields).map(field).collect();
    Rules::new(fields, Mode::Best, Ties::Earliest).unwrap()
}

/// The twin: the number of members of each value.
#[derive(Default)]
struct Twin(BTreeMap<Vec<u64>, u32>);

impl Twin {
    fn add(&mut self, value: &RankWords, members: u32) {
        *self.0.entry(value.as_slice().to_vec()).or_default() += members;
    }

    fn remove(&mut self, value: &RankWords) {
        let members = self.0.get_mut(value.as_slice()).unwrap();
        *members -= 1;
        if *members == 0 {
            self.0.remove(value.as_slice());
        }
    }

    fn group(&self, value: &RankWords) -> Group {
        let better = self
            .0
            .keys()
            .filter(|held| held.as_slice() > value.as_slice());
        let members = self.0.get(value.as_slice()).copied().unwrap_or(0);
        Group {
            better: better.count() as u64,
            members: u64::from(members),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn values_agree_with_a_map(
        fields in 1..=4_usize,
        range in prop_oneof![Just(3_u64), Just(300), Just(u64::MAX)],
        ops in vec((0..3_u8, any::<u64>(), any::<usize>()), 0..1_500),
    ) {
        let (mut values, mut twin) = (Values::new(&rules(fields)), Twin::default());
        let mut held: Vec<RankWords> = Vec::new();
        let value = |number: u64| {
            let words: Vec<u64> = (0..fields).map(|at| (number >> (8 * at)) % range).collect();
            RankWords::new(&words)
        };
        for (op, number, index) in ops {
            let new = value(number);
            match op {
                0 if !held.is_empty() => {
                    let old = held.swap_remove(index % held.len());
                    values.remove(&old);
                    twin.remove(&old);
                }
                1 if !held.is_empty() => {
                    let index = index % held.len();
                    let old = std::mem::replace(&mut held[index], new);
                    if old != new {
                        values.change(&old, &new);
                        twin.add(&new, 1);
                        twin.remove(&old);
                    }
                }
                _ => {
                    values.add(&new, 2);
                    twin.add(&new, 2);
                    held.extend([new, new]);
                }
            }
        }
        for asked in held.iter().copied().chain([value(0), value(7), value(u64::MAX)]) {
            prop_assert_eq!(values.group(&asked), twin.group(&asked));
        }
        let all: Vec<(RankWords, u32)> = twin.0.iter().rev()
            .map(|(words, members)| (RankWords::new(words), *members)).collect();
        prop_assert_eq!(values.all(), all);
    }
}
