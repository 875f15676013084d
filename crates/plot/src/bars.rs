//! Horizontal bars: [`Bars`].

use crate::axis::{Scale, Span, plain};
use crate::svg::{Anchor, Svg, colour, room};

/// The width of the longest bar that is possible.
const AREA: f64 = 420.0;
/// Room for the values on the right, and around the names on the left.
const RIGHT: f64 = 80.0;
const ABOVE: f64 = 52.0;
const BAR: f64 = 18.0;
const PITCH: f64 = 26.0;
const BESIDE: f64 = 24.0;

/// A bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// The name on the left.
    pub name: String,
    /// The value, 0 or more.
    pub value: f64,
    /// Bars of the same group have the same colour.
    pub group: usize,
}

/// Horizontal bars from 0, with their values.
#[derive(Clone, Debug)]
pub struct Bars {
    /// The title.
    pub title: String,
    /// What the values are, with the unit.
    pub label: String,
    /// The bars, from above.
    pub bars: Vec<Bar>,
}

impl Bars {
    /// Returns the bars as SVG.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let span = Span::of(Scale::Linear, self.bars.iter().map(|bar| bar.value));
        let mut tops = (0..self.bars.len()).scan(ABOVE, |next, _| {
            let top = *next;
            *next += PITCH;
            Some(top)
        });
        let height = ABOVE + 12.0 + self.bars.iter().map(|_| PITCH).sum::<f64>();
        let left = BESIDE + room(self.bars.iter().map(|bar| bar.name.as_str()));
        let mut svg = Svg::new(left + AREA + RIGHT, height, &self.title);
        svg.label((16.0, 42.0), Anchor::Start, &self.label);
        for bar in &self.bars {
            let top = tops.next().unwrap_or(ABOVE);
            let part = span.position(bar.value).unwrap_or(0.0).max(0.0);
            let length = part * AREA;
            svg.label((left - 8.0, top + 13.0), Anchor::End, &bar.name);
            svg.rect((left, top), (length, BAR), colour(bar.group));
            let at = (left + length + 6.0, top + 13.0);
            svg.label(at, Anchor::Start, &plain(bar.value));
        }
        svg.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_proportional_to_values() {
        let bar = |name: &str, value, group| Bar {
            name: name.to_owned(),
            value,
            group,
        };
        let bars = Bars {
            title: "rate".to_owned(),
            label: "requests/s".to_owned(),
            bars: vec![bar("ours", 84_000.0, 0), bar("theirs", 42_000.0, 1)],
        };
        let svg = bars.to_svg();
        // The axis ends at 90,000, and the area is 420 wide.
        assert!(
            svg.contains("width=\"392.0\" height=\"18.0\" fill=\"#0072b2\""),
            "{svg}"
        );
        assert!(
            svg.contains("width=\"196.0\" height=\"18.0\" fill=\"#d55e00\""),
            "{svg}"
        );
        assert!(svg.contains(">84k</text>"), "{svg}");
    }
}
