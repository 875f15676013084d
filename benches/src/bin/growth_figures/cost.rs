//! The measured reads, their cost, and how they are shown.

use std::io;

use benches::figures::{median, number, table};
use benches::load::{Load, Target, load};
use benches::plot::{self, Line};
use benches::record;
use comfy_table::Table;
use scale::random::Random;

use crate::Settings;

/// The number of connections, where it does not grow.
pub(crate) const CONNECTIONS: usize = 64;

/// The number of entries of a page.
pub(crate) const PAGE: u64 = 100;

/// The number of different requests, which are sent in turn.
const REQUESTS: u64 = 20_000;

/// A read of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// The best 100.
    Top,
    /// The rank of a random member; of Megaboard with its neighbours.
    Standing,
    /// 100 members at a random depth.
    Page,
}

impl Read {
    pub(crate) const ALL: [Self; 3] = [Self::Top, Self::Standing, Self::Page];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Top => "top 100",
            Self::Standing => "one member's standing",
            Self::Page => "page of 100 at a random depth",
        }
    }

    /// Returns random requests for a board of this number of members. `render` gets a member's number, or the first
    /// position of a page, from 0.
    pub(crate) fn requests(
        self,
        members: u64,
        render: impl Fn(Self, u64) -> String,
    ) -> Vec<String> {
        let mut random = Random::new(9);
        let (count, end) = match self {
            Self::Top => (1, 1),
            Self::Standing => (REQUESTS, members),
            Self::Page => (REQUESTS, members.saturating_sub(PAGE).max(1)),
        };
        (0..count)
            .map(|_| render(self, random.below(end)))
            .collect()
    }
}

/// The loads of one server, one per round.
#[derive(Default)]
pub(crate) struct Loads(Vec<Load>);

impl Loads {
    /// Measures another round.
    pub(crate) fn add(
        &mut self,
        target: Target<'_>,
        connections: usize,
        settings: &Settings,
    ) -> io::Result<()> {
        self.0.push(load(target, connections, settings.duration)?);
        Ok(())
    }

    /// Returns the server's CPU time per response in microseconds, of each round.
    pub(crate) fn cpu_us(&self) -> Vec<f64> {
        self.0.iter().map(Load::cpu_us).collect()
    }

    /// Returns the responses per second, of each round.
    pub(crate) fn rate(&self) -> Vec<f64> {
        self.0.iter().map(Load::rate).collect()
    }

    /// Returns medians: requests per second, CPU per request, and the 99th percentile of latency in milliseconds.
    pub(crate) fn cells(&self) -> [String; 3] {
        let p99 = self
            .0
            .iter()
            .map(|load| load.latency.p99.as_secs_f64() * 1e3);
        [
            format!("{:.0}", median(&self.rate())),
            format!("{:.1}", median(&self.cpu_us())),
            format!("{:.2}", median(&p99.collect::<Vec<_>>())),
        ]
    }
}

/// A table with a column for each number, and lines of the CPU of reads over these numbers.
pub(crate) struct Growth<'a> {
    numbers: &'a [u64],
    table: Table,
    lines: Vec<Line>,
}

impl<'a> Growth<'a> {
    pub(crate) fn over(numbers: &'a [u64]) -> Self {
        let numbers_shown = numbers.iter().map(|number| thousands(*number));
        let header: Vec<String> = ["figure".to_owned(), "server".to_owned()]
            .into_iter()
            .chain(numbers_shown)
            .collect();
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        Self {
            numbers,
            table: table(&header),
            lines: Vec::new(),
        }
    }

    /// Adds a row with one cell for each number.
    pub(crate) fn add(
        &mut self,
        figure: &str,
        server: &str,
        cells: impl IntoIterator<Item = String>,
    ) {
        let row = [figure.to_owned(), server.to_owned()];
        self.table.add_row(row.into_iter().chain(cells));
    }

    /// Adds the rows of a read, and its line.
    pub(crate) fn add_read(&mut self, read: &str, server: &str, loads: &[&Loads]) {
        for (cell, what) in ["requests/s", "µs server CPU", "p99 ms"]
            .into_iter()
            .enumerate()
        {
            let cells = loads.iter().map(|loads| loads.cells()[cell].clone());
            self.add(&format!("{read}: {what}"), server, cells);
        }
        let cpu: Vec<f64> = loads.iter().map(|loads| median(&loads.cpu_us())).collect();
        self.lines
            .push(line(&format!("{server}: {read}"), self.numbers, &cpu));
    }

    /// Records the table, and the plot of the lines over numbers of `what`.
    pub(crate) fn record(self, title: &str, what: &str) -> io::Result<()> {
        record::table(title, &self.table)?;
        let (plot_title, file) = (
            format!("CPU of a read by number of {what}"),
            format!("{what}.svg"),
        );
        plot(&plot_title, &file, what, "µs of server CPU", &self.lines)
    }
}

/// Records a plot over logarithmic axes.
pub(crate) fn plot(title: &str, file: &str, x: &str, y: &str, lines: &[Line]) -> io::Result<()> {
    let svg = plot::lines(title, (x, &f64::to_string), y, lines)?;
    record::image(title, file, svg)
}

/// Returns a line over numbers.
pub(crate) fn line(name: &str, over: &[u64], values: &[f64]) -> Line {
    Line {
        name: name.to_owned(),
        points: over
            .iter()
            .map(|at| number(*at))
            .zip(values.iter().copied())
            .collect(),
    }
}

/// Formats a number with a separator of thousands.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
    groups.join(",")
}
