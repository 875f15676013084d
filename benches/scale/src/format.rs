//! Rows of tables, and numbers as people read them.

use std::fmt::Write as _;

pub(crate) fn line(text: &mut String, cells: &str) {
    // Writing into a string cannot fail.
    let _ = writeln!(text, "| {} |", cells.trim_end());
}

/// Formats a number of things: `1 call`, `16 calls`.
pub(crate) fn counted(number: f64, what: &str) -> String {
    let plural = if number > 1.0 { "s" } else { "" };
    format!("{} {what}{plural}", grouped(number))
}

/// Formats a whole number with commas.
pub(crate) fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number with two or three digits: `4.1M`, `920k`.
pub(crate) fn short(number: f64) -> String {
    match number {
        _ if number >= 9.95e6 => format!("{:.0}M", number / 1e6),
        _ if number >= 9.95e5 => format!("{:.1}M", number / 1e6),
        _ if number >= 9.95e3 => format!("{:.0}k", number / 1e3),
        _ if number >= 995.0 => format!("{:.1}k", number / 1e3),
        _ => format!("{number:.0}"),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a small count"
)]
pub(crate) const fn whole_number(number: f64) -> usize {
    number as usize
}

#[expect(clippy::cast_precision_loss, reason = "counts here are far below 2^53")]
pub(crate) const fn float_of(count: u64) -> f64 {
    count as f64
}
