//! Rounds into medians, medians into a table.

use comfy_table::{Table, presets::UTF8_FULL_CONDENSED};

/// A count as a number to reckon with.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts here are far below 2^53")]
pub const fn number(count: u64) -> f64 {
    count as f64
}

/// The middle of the values; of an even number of them the mean of the two.
///
/// # Panics
/// Without values there is no middle.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    } else {
        sorted[middle]
    }
}

/// The median of ours over theirs, each of the same round.
#[must_use]
pub fn ratio(ours: &[f64], theirs: &[f64]) -> f64 {
    let ratios: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a / b).collect();
    median(&ratios)
}

/// A median and the range that the rounds lay in: `0.93 (0.91 to 0.99)`.
#[must_use]
pub fn spread(values: &[f64], decimals: usize) -> String {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!(
        "{:.decimals$} ({low:.decimals$} to {high:.decimals$})",
        median(values)
    )
}

/// A figure against the most, or the least, that it should be.
#[must_use]
pub fn held(met: bool, target: &str) -> String {
    format!("{target}: {}", if met { "met" } else { "missed" })
}

/// An empty table with these columns.
#[must_use]
pub fn table(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(UTF8_FULL_CONDENSED)
        .set_header(columns.to_vec());
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_of_the_same_round() {
        let (ours, theirs) = ([1.0, 10.0, 4.0], [2.0, 20.0, 4.0]);
        assert!((ratio(&ours, &theirs) - 0.5).abs() < 1e-9);
        assert!((median(&[1.0, 2.0]) - 1.5).abs() < 1e-9);
    }
}
