//! The times at which requests are due: [`Arrivals`], an open loop.

use std::time::Duration;

/// A Poisson process: independent requests of many clients, at a mean rate. The same seed results in the same times.
pub(crate) struct Arrivals {
    /// The mean time between two requests, in seconds.
    mean_gap: f64,
    /// The time of the last request, in seconds.
    at: f64,
    end: f64,
    random: fastrand::Rng,
}

impl Arrivals {
    /// Creates the arrivals of a rate per second, which must be positive.
    pub(crate) fn new(rate: f64, duration: Duration, seed: u64) -> Self {
        Self {
            mean_gap: rate.recip(),
            at: 0.0,
            end: duration.as_secs_f64(),
            random: fastrand::Rng::with_seed(seed),
        }
    }
}

impl Iterator for Arrivals {
    type Item = Duration;

    /// Returns the time of the next request, since the start of the load.
    fn next(&mut self) -> Option<Duration> {
        // At least 0 and below 1, so that the logarithm is finite.
        self.at -= self.mean_gap * (1.0 - self.random.f64()).ln();
        (self.at < self.end).then(|| Duration::from_secs_f64(self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_grow_and_have_the_mean_rate() {
        let times: Vec<Duration> = Arrivals::new(1_000.0, Duration::from_secs(10), 1).collect();
        assert!(times.is_sorted());
        assert!((9_700..10_300).contains(&times.len()), "{}", times.len());
        assert!(
            times
                .last()
                .is_some_and(|last| *last < Duration::from_secs(10))
        );
        // Gaps of a Poisson process: about 1/e of them are longer than the mean.
        let long = times
            .windows(2)
            .filter(|pair| pair[1].saturating_sub(pair[0]) > Duration::from_millis(1));
        assert!((3_400..4_000).contains(&long.count()));
    }

    #[test]
    fn the_same_seed_results_in_the_same_times() {
        let times = |seed| Arrivals::new(100.0, Duration::from_secs(1), seed).collect::<Vec<_>>();
        assert_eq!(times(7), times(7));
        assert_ne!(times(7), times(8));
    }
}
