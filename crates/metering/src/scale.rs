//! The buckets of histograms: [`Scale`].

/// The upper bounds of buckets, and the unit in which they are exported.
#[derive(Debug)]
pub struct Scale {
    /// In the unit of observations, ascending. Values above the last bound are in one more bucket.
    pub(crate) bounds: &'static [u64],
    /// The number of observed units in one exported unit, such as nanoseconds in a second.
    pub(crate) per_unit: f64,
}

const US: u64 = 1_000;
const MS: u64 = 1_000 * US;
const S: u64 = 1_000 * MS;

const fn durations(bounds: &'static [u64]) -> Scale {
    let per_unit = 1e9;
    Scale { bounds, per_unit }
}

/// Durations of calls within the service and to its stores: 10 µs to 10 s.
pub static CALLS: Scale = durations(&[
    10 * US,
    25 * US,
    50 * US,
    100 * US,
    250 * US,
    500 * US,
    MS,
    2_500 * US,
    5 * MS,
    10 * MS,
    25 * MS,
    50 * MS,
    100 * MS,
    250 * MS,
    500 * MS,
    S,
    2_500 * MS,
    5 * S,
    10 * S,
]);

/// Durations of requests: 100 µs to 30 s.
pub static REQUESTS: Scale = durations(&[
    100 * US,
    250 * US,
    500 * US,
    MS,
    2_500 * US,
    5 * MS,
    10 * MS,
    25 * MS,
    50 * MS,
    100 * MS,
    250 * MS,
    500 * MS,
    S,
    2_500 * MS,
    10 * S,
    30 * S,
]);

/// Ages of served boards: 1 ms to 10 min.
pub static AGES: Scale = durations(&[
    MS,
    5 * MS,
    10 * MS,
    25 * MS,
    50 * MS,
    100 * MS,
    250 * MS,
    500 * MS,
    S,
    2 * S,
    5 * S,
    10 * S,
    30 * S,
    60 * S,
    600 * S,
]);

/// Sizes of batches: 1 to 100,000.
pub static SIZES: Scale = Scale {
    bounds: &[1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 10_000, 100_000],
    per_unit: 1.0,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_ascend() {
        for scale in [&CALLS, &REQUESTS, &AGES, &SIZES] {
            assert!(scale.bounds.is_sorted_by(|a, b| a < b), "{scale:?}");
        }
    }
}
