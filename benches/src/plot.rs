//! Images of the report as SVG: [`lines()`] over logarithmic axes, and [`bars()`].

use std::io;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The size of the area of the lines and its labels, and of the names beside it.
const LINES: (u32, u32) = (580, 420);
const NAMES: u32 = 280;

/// The distance of two bars or names, and the length of the longest bar.
const PITCH: i32 = 24;
const BAR: f64 = 420.0;

/// The width of the names of bars.
const BAR_NAMES: i32 = 400;

/// A line over positive numbers.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// Its points, in the order in which they are connected. Those at 0 are not drawn.
    pub points: Vec<(f64, f64)>,
}

/// Draws lines over logarithmic axes. The horizontal one has a label, and a format of its ticks.
pub fn lines(
    title: &str,
    (x, tick): (&str, &dyn Fn(&f64) -> String),
    y: &str,
    lines: &[Line],
) -> io::Result<String> {
    let size = (LINES.0 + NAMES, LINES.1);
    drawn(size, |area| {
        let (area, names) = area.split_horizontally(LINES.0);
        let points = || lines.iter().flat_map(|line| &line.points);
        let across = span(points().map(|(x, _)| *x)).log_scale();
        let up = span(points().map(|(_, y)| *y)).log_scale();
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(60)
            .build_cartesian_2d(across, up)?;
        let mut mesh = chart.configure_mesh();
        mesh.x_desc(x).x_label_formatter(tick);
        mesh.y_desc(y).y_label_formatter(&f64::to_string);
        mesh.light_line_style(TRANSPARENT).draw()?;
        for (index, (line, top)) in lines.iter().zip((40..).step_by(24)).enumerate() {
            let colour = Palette99::pick(index);
            let points = line.points.iter().copied();
            let points = points.filter(|(x, y)| *x > 0.0 && *y > 0.0);
            chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?;
            let corners = [(8, top), (20, top + 10)];
            names.draw(&Rectangle::new(corners, colour.filled()))?;
            names.draw(&Text::new(&*line.name, (28, top), ("sans-serif", 14)))?;
        }
        Ok(())
    })
}

/// Draws a bar for each name and value, in another colour if it misses its goal.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a bar is as long as the longest at most"
)]
pub fn bars(title: &str, label: &str, bars: &[(&str, f64, bool)]) -> io::Result<String> {
    let longest = bars.iter().map(|(_, value, _)| *value).fold(1.0, f64::max);
    let height = 60 + PITCH.unsigned_abs() * u32::try_from(bars.len()).unwrap_or(u32::MAX);
    drawn((900, height), |area| {
        let text = ("sans-serif", 14).into_text_style(area);
        let middle = |side| text.pos(Pos::new(side, VPos::Center));
        let heading = ("sans-serif", 18).into_text_style(area);
        area.draw_text(title, &heading, (12, 10))?;
        area.draw_text(label, &text, (12, 32))?;
        for ((name, value, is_met), top) in bars.iter().zip((52..).step_by(PITCH as usize)) {
            let colour = Palette99::pick(usize::from(*is_met)).filled();
            let end = BAR_NAMES + (value / longest * BAR) as i32;
            area.draw_text(name, &middle(HPos::Right), (BAR_NAMES - 8, top + 8))?;
            area.draw(&Rectangle::new([(BAR_NAMES, top), (end, top + 16)], colour))?;
            area.draw_text(
                &format!("{value:.2}"),
                &middle(HPos::Left),
                (end + 6, top + 8),
            )?;
        }
        Ok(())
    })
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Returns what is drawn on white.
fn drawn(size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Drawn) -> io::Result<String> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    let all = || {
        area.fill(&WHITE)?;
        draw(&area)?;
        Ok(area.present()?)
    };
    all().map_err(|error: Box<dyn std::error::Error>| io::Error::other(error.to_string()))?;
    drop(area);
    Ok(svg)
}

/// Returns the powers of ten around the positive values.
fn span(values: impl Iterator<Item = f64>) -> std::ops::Range<f64> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for power in values.filter(|value| *value > 0.0).map(f64::log10) {
        low = low.min(power.floor());
        high = high.max(power.ceil());
    }
    if low > high {
        return 1.0..10.0;
    }
    // A little less, so that rounding does not exclude the tick of the first power.
    0.999 * 10_f64.powf(low)..10_f64.powf(high.max(low + 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_powers_of_ten() {
        assert_eq!(span([0.0, 20.0, 100.0].into_iter()), 9.99..100.0);
        assert_eq!(span([1.0].into_iter()), 0.999..10.0);
        assert_eq!(span(std::iter::empty()), 1.0..10.0);
    }

    #[test]
    fn names_and_values_are_shown() {
        let bars = bars(
            "a < b",
            "ratio",
            &[("top", 1.25, false), ("rank", 0.5, true)],
        )
        .unwrap();
        for text in ["a &lt; b", "top", "1.25", "rank", "0.50"] {
            assert!(bars.contains(text), "{bars}");
        }
        let line = Line {
            name: "x & y".to_owned(),
            points: vec![(1.0, 0.0), (1.0, 0.5), (1_000.0, 20.0)],
        };
        let lines = lines("reads", ("members", &f64::to_string), "ms", &[line]).unwrap();
        for text in ["x &amp; y", "members", "1000", "ms", "0.1", "<polyline"] {
            assert!(lines.contains(text), "{lines}");
        }
    }
}
