//! Lines over two axes: [`Plot`].

use crate::axis::{Axis, Span};
use crate::svg::{Anchor, Svg, colour, room};

/// The width of the area of the lines.
const AREA: f64 = 498.0;
const HEIGHT: f64 = 420.0;
/// Room for the labels of the left axis.
const LEFT: f64 = 72.0;
/// Room for the legend on the right, at least, and what it takes beside its names.
const RIGHT_MIN: f64 = 190.0;
const LEGEND: f64 = 44.0;
const ABOVE: f64 = 48.0;
const BELOW: f64 = 56.0;
const GRID: &str = "#dddddd";
/// Lines with more points have no dots.
const DOTTED_MAX: usize = 20;

/// A line.
#[derive(Clone, Debug)]
pub struct Line {
    /// The name in the legend.
    pub name: String,
    /// The points, in the order in which they are connected.
    pub points: Vec<(f64, f64)>,
}

/// Lines over two axes.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The title.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines.
    pub lines: Vec<Line>,
}

impl Plot {
    /// Returns the plot as SVG.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| line.points.iter());
        let across = Span::of(self.x.scale, points().map(|(x, _)| *x));
        let up = Span::of(self.y.scale, points().map(|(_, y)| *y));
        let column = |part: f64| LEFT + part * AREA;
        let row = |part: f64| HEIGHT - BELOW - part * (HEIGHT - ABOVE - BELOW);
        let names = room(self.lines.iter().map(|line| line.name.as_str()));
        let width = LEFT + AREA + RIGHT_MIN.max(LEGEND + names);
        let mut svg = Svg::new(width, HEIGHT, &self.title);
        for (part, text) in across.ticks() {
            svg.line((column(part), row(0.0)), (column(part), row(1.0)), GRID);
            svg.label((column(part), row(0.0) + 18.0), Anchor::Middle, &text);
        }
        for (part, text) in up.ticks() {
            svg.line((column(0.0), row(part)), (column(1.0), row(part)), GRID);
            svg.label((column(0.0) - 8.0, row(part) + 4.0), Anchor::End, &text);
        }
        svg.label((column(0.5), HEIGHT - 16.0), Anchor::Middle, &self.x.label);
        svg.label((16.0, ABOVE - 8.0), Anchor::Start, &self.y.label);
        for (index, line) in self.lines.iter().enumerate() {
            let places = line
                .points
                .iter()
                .filter_map(|(x, y)| Some((column(across.position(*x)?), row(up.position(*y)?))));
            let places: Vec<(f64, f64)> = places.collect();
            svg.path(&places, colour(index));
            if places.len() <= DOTTED_MAX {
                for at in &places {
                    svg.dot(*at, colour(index));
                }
            }
        }
        let mut at = ABOVE + 8.0;
        for (index, line) in self.lines.iter().enumerate() {
            let left = LEFT + AREA + 16.0;
            svg.rect((left, at - 9.0), (14.0, 10.0), colour(index));
            svg.label((left + 20.0, at), Anchor::Start, &line.name);
            at += 20.0;
        }
        svg.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scale;

    fn axis(label: &str, scale: Scale) -> Axis {
        Axis {
            label: label.to_owned(),
            scale,
        }
    }

    #[test]
    fn points_are_at_their_positions_and_names_are_escaped() {
        let plot = Plot {
            title: "a < b".to_owned(),
            x: axis("members", Scale::Log),
            y: axis("ms", Scale::Linear),
            lines: vec![Line {
                name: "x & y".to_owned(),
                points: vec![(1.0, 0.0), (100.0, 10.0), (0.0, 1.0)],
            }],
        };
        let svg = plot.to_svg();
        // The corners of the area; 0 is not on a logarithmic axis.
        assert!(svg.contains("points=\"72.0,364.0 570.0,48.0\""), "{svg}");
        assert!(svg.contains("<title>a &lt; b</title>"), "{svg}");
        assert!(svg.contains(">x &amp; y</text>"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.ends_with("</svg>\n"));
    }
}
