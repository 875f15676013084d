//! Medians, ratios and tables of figures.

use comfy_table::{Table, presets::UTF8_FULL_CONDENSED};

/// Converts a count to a float.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts here are far below 2^53")]
pub const fn number(count: u64) -> f64 {
    count as f64
}

/// Returns the median. For an even number of values, this is the mean of the middle two.
///
/// # Panics
/// Panics if there are no values.
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

/// Returns the median of the ratios within each round.
#[must_use]
pub fn ratio(ours: &[f64], theirs: &[f64]) -> f64 {
    let ratios: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a / b).collect();
    median(&ratios)
}

/// Formats the median and the range of the rounds: `0.93 (0.91 to 0.99)`.
#[must_use]
pub fn spread(values: &[f64], decimals: usize) -> String {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!(
        "{:.decimals$} ({low:.decimals$} to {high:.decimals$})",
        median(values)
    )
}

/// Formats a target and whether it is met.
#[must_use]
pub fn verdict(met: bool, target: &str) -> String {
    format!("{target}: {}", if met { "met" } else { "missed" })
}

/// Returns an empty table with these columns.
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
    fn ratios_are_computed_within_a_round() {
        let (ours, theirs) = ([1.0, 10.0, 4.0], [2.0, 20.0, 4.0]);
        assert!((ratio(&ours, &theirs) - 0.5).abs() < 1e-9);
        assert!((median(&[1.0, 2.0]) - 1.5).abs() < 1e-9);
    }
}
