//! One axis: [`Axis`], and the positions of values on it.

/// How values are spread over an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// From 0, in equal steps.
    Linear,
    /// Powers of ten, in equal steps. Values of 0 or less are not drawn.
    Log,
    /// Percentiles, where each further 9 is one step. A value is a part from 0 to below 1, such as 0.99.
    Percentile,
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What is shown on it, with the unit.
    pub label: String,
    /// The scale.
    pub scale: Scale,
}

/// The span of an axis that has all values, between ticks: in steps of the scale.
pub(crate) struct Span {
    scale: Scale,
    low: f64,
    high: f64,
    /// The distance of two ticks.
    step: f64,
}

impl Scale {
    /// Returns the value in steps of the scale, or `None` if the scale does not have it.
    fn steps(self, value: f64) -> Option<f64> {
        let steps = match self {
            Self::Linear => value,
            Self::Log => value.log10(),
            Self::Percentile => -(1.0 - value).log10(),
        };
        steps.is_finite().then_some(steps)
    }

    /// Formats the value of a tick.
    fn tick(self, steps: f64) -> String {
        match self {
            Self::Linear => plain(steps),
            Self::Log => plain(10_f64.powf(steps)),
            Self::Percentile if steps < 0.5 => "0 %".to_owned(),
            Self::Percentile => {
                let decimals = if steps < 2.5 { 0.0 } else { steps - 2.0 };
                let percent = 100.0 * (1.0 - 10_f64.powf(-steps));
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let decimals = decimals.round() as usize;
                format!("{percent:.decimals$} %")
            }
        }
    }
}

impl Span {
    /// Returns a span that has all of these values.
    pub(crate) fn of(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for steps in values.filter_map(|value| scale.steps(value)) {
            low = low.min(steps);
            high = high.max(steps);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let step = match scale {
            Scale::Linear => round_step(high.max(f64::MIN_POSITIVE)),
            Scale::Log | Scale::Percentile => 1.0,
        };
        if scale != Scale::Log {
            low = 0.0;
        }
        let low = (low / step).floor() * step;
        let high = ((high / step - 1e-9).ceil() * step).max(low + step);
        Self {
            scale,
            low,
            high,
            step,
        }
    }

    /// Returns where a value is, from 0 to 1.
    pub(crate) fn position(&self, value: f64) -> Option<f64> {
        let steps = self.scale.steps(value)?;
        Some((steps - self.low) / (self.high - self.low))
    }

    /// Returns the position and the text of each tick.
    pub(crate) fn ticks(&self) -> Vec<(f64, String)> {
        let mut ticks = Vec::new();
        let mut at = self.low;
        while at <= self.high + self.step / 2.0 {
            let position = (at - self.low) / (self.high - self.low);
            ticks.push((position, self.scale.tick(at)));
            at += self.step;
        }
        ticks
    }
}

/// Returns a distance of ticks of 1, 2 or 5 times a power of ten: 4 to 10 of them up to `high`.
fn round_step(high: f64) -> f64 {
    let power = 10_f64.powf((high / 10.0).log10().ceil());
    let steps = [0.1, 0.2, 0.5, 1.0].map(|part| part * power);
    let step = steps.into_iter().find(|step| high / step <= 10.0);
    step.unwrap_or(power)
}

/// Formats a number without needless zeros: `0.05`, `20`, `3M`.
pub(crate) fn plain(value: f64) -> String {
    let (value, unit) = match value.abs() {
        size if size >= 0.999_999e9 => (value / 1e9, "G"),
        size if size >= 0.999_999e6 => (value / 1e6, "M"),
        size if size >= 9.999_99e3 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let decimals = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 1.0 => 2,
        _ => 4,
    };
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{text}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(span: &Span) -> Vec<String> {
        span.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_and_enclose_all_values() {
        let linear = Span::of(Scale::Linear, [1.0, 37.0].into_iter());
        assert_eq!(
            texts(&linear),
            ["0", "5", "10", "15", "20", "25", "30", "35", "40"]
        );
        let log = Span::of(Scale::Log, [10_000.0, 2.5e6].into_iter());
        assert_eq!(texts(&log), ["10k", "100k", "1M", "10M"]);
        let parts = Span::of(Scale::Percentile, [0.0, 0.9995].into_iter());
        assert_eq!(texts(&parts), ["0 %", "90 %", "99 %", "99.9 %", "99.99 %"]);
        assert!(
            parts
                .position(0.99)
                .is_some_and(|part| (part - 0.5).abs() < 1e-9)
        );
    }

    #[test]
    fn values_that_a_scale_does_not_have_are_left_out() {
        let log = Span::of(Scale::Log, [0.0, -1.0, 1.0, 100.0].into_iter());
        assert_eq!(texts(&log), ["1", "10", "100"]);
        assert_eq!(log.position(0.0), None);
        assert_eq!(
            texts(&Span::of(Scale::Log, std::iter::empty())),
            ["1", "10"]
        );
    }
}
