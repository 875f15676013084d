//! The kinds of requests: [`Operation`], and the share of each: [`Mix`].

use std::fmt;
use std::str::FromStr;

use commands::gifts;

/// The kinds of requests, in the order of the report.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Operation {
    Top,
    Rank,
    Around,
    Write,
}

impl Operation {
    pub(crate) const ALL: [Self; 4] = [Self::Top, Self::Rank, Self::Around, Self::Write];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Top => "top",
            Self::Rank => "rank",
            Self::Around => "around",
            Self::Write => "write",
        }
    }
}

/// The share of each operation, in the order of [`Operation::ALL`]. At least one is above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mix([u32; 4]);

/// The maximum share.
const SHARE_MAX: u32 = 1_000_000;

impl Default for Mix {
    fn default() -> Self {
        Self([60, 20, 10, 10])
    }
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shares = Operation::ALL.into_iter().zip(self.0);
        let shares = shares.map(|(operation, share)| format!("{}={share}", operation.name()));
        f.write_str(&shares.collect::<Vec<_>>().join(","))
    }
}

impl FromStr for Mix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut shares = [0; 4];
        for part in text.split(',') {
            let (name, share) = part.split_once('=').unwrap_or((part, ""));
            let index = Operation::ALL.iter().position(|it| it.name() == name);
            let share = share.parse().ok().filter(|share| *share <= SHARE_MAX);
            let (Some(index), Some(share)) = (index, share) else {
                return Err(format!(
                    "{part:?} is not a share: expected top=N, rank=N, around=N or write=N, N at most {SHARE_MAX}"
                ));
            };
            shares[index] = share;
        }
        if shares == [0; 4] {
            return Err("at least one share must be above 0".to_owned());
        }
        Ok(Self(shares))
    }
}

impl Mix {
    pub(crate) const fn has_writes(self) -> bool {
        let [.., writes] = self.0;
        writes > 0
    }

    /// Returns a random operation.
    pub(crate) fn operation(self, random: &mut fastrand::Rng) -> Operation {
        let [top, rank, around, write] = self.0;
        let shares = [
            (Operation::Top, top),
            (Operation::Rank, rank),
            (Operation::Around, around),
            (Operation::Write, write),
        ];
        gifts::weighted(&shares, random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_is_parsed_as_it_is_displayed() {
        assert_eq!(
            Mix::default().to_string(),
            "top=60,rank=20,around=10,write=10"
        );
        assert_eq!(Mix::default().to_string().parse(), Ok(Mix::default()));
        assert_eq!("write=1".parse(), Ok(Mix([0, 0, 0, 1])));
        for wrong in ["", "top", "top=-1", "page=3", "top=0", "top=9999999"] {
            assert!(wrong.parse::<Mix>().is_err(), "{wrong}");
        }
    }
}
