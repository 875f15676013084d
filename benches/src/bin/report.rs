//! Makes `docs/benchmarks.md` and its images from the figures that the programs have recorded.
//!
//!     report --data FOLDER --docs FOLDER --machine TEXT
//!
//! Everything that was recorded is in the report, in the order of [`SECTIONS`]. A program without figures is named as
//! such.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use benches::plot;
use benches::record::{Bound, Figure};
use clap::Parser;

#[derive(Parser)]
#[command(about = "Makes docs/benchmarks.md from recorded figures")]
struct Args {
    /// Folder of the recorded figures.
    #[arg(long)]
    data: PathBuf,
    /// Folder of the documentation.
    #[arg(long)]
    docs: PathBuf,
    /// The machine and the versions, a line each.
    #[arg(long)]
    machine: String,
}

/// The programs and their headings, in the order of the report.
const SECTIONS: [(&str, &str); 10] = [
    ("top_figures", "Reading the top"),
    (
        "growth_figures",
        "Growth: members, shards, boards, connections",
    ),
    ("load_figures", "Under load"),
    ("durable_figures", "The embedded store"),
    ("engine_figures", "The engine"),
    ("stream_figures", "Streams"),
    ("redis_figures", "Boards on Redis"),
    ("overload_figures", "Overload"),
    ("publish_figures", "Publishing"),
    ("adopt_figures", "Adopting a sorted set"),
];

const HEAD: &str = "\
# Benchmarks

Made by `benches/run --report`; do not edit. [benches/README.md](../benches/README.md) explains each figure and how it is
measured. Every system was measured in the same run, in turn; ratios are within one round. Client and servers share the
machine, so requests per second are those of both together, and CPU is that of the server alone. All figures that were
measured are here.
";

fn main() -> io::Result<()> {
    let args = Args::parse();
    let mut sections = Vec::new();
    for (program, heading) in SECTIONS {
        sections.push((heading, figures(&args.data, program)?));
    }
    let images = args.docs.join("benchmarks");
    fs::create_dir_all(&images)?;
    let mut text = format!("{HEAD}\n{}\n", args.machine.trim().replace('\n', "\\\n"));
    let goals: Vec<&Figure> = sections
        .iter()
        .flat_map(|(_, figures)| figures)
        .filter(|figure| matches!(figure, Figure::Goal { .. }))
        .collect();
    if !goals.is_empty() {
        text.push_str("\n## Goals\n\n");
        text.push_str(&goals_table(&goals));
        text.push_str("\n![Figures relative to their goals](benchmarks/goals.svg)\n");
        fs::write(images.join("goals.svg"), goals_bars(&goals)?)?;
    }
    for (heading, figures) in &sections {
        let _ = write!(text, "\n## {heading}\n");
        if figures.is_empty() {
            text.push_str("\nNot measured in this run.\n");
        }
        for figure in figures {
            show(&mut text, &images, figure)?;
        }
    }
    fs::write(args.docs.join("benchmarks.md"), text)
}

/// Reads what a program has recorded: nothing, if it did not run.
fn figures(data: &Path, program: &str) -> io::Result<Vec<Figure>> {
    let text = match fs::read_to_string(data.join(format!("{program}.jsonl"))) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text?,
    };
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().map_err(io::Error::other)
}

fn show(text: &mut String, images: &Path, figure: &Figure) -> io::Result<()> {
    match figure {
        Figure::Table {
            title,
            columns,
            rows,
        } => {
            let _ = write!(text, "\n{}:\n\n{}", title.trim(), markdown(columns, rows));
        }
        Figure::Image { title, file, svg } => {
            fs::write(images.join(file), svg)?;
            let _ = write!(text, "\n![{title}](benchmarks/{file})\n");
        }
        Figure::Note(note) => {
            let _ = write!(text, "\n{note}\n");
        }
        // Those of all programs are in one table.
        Figure::Goal { .. } => {}
    }
    Ok(())
}

/// Formats a table. Rows with fewer cells end with empty ones.
fn markdown(columns: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| {
        let cells = (0..columns.len()).map(|index| cells.get(index).map_or("", |cell| cell));
        let cells: Vec<String> = cells.map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule: Vec<String> = columns.iter().map(|_| "---".to_owned()).collect();
    let rows: String = rows.iter().map(|row| line(row)).collect();
    format!("{}{}{rows}", line(columns), line(&rule))
}

fn goals_table(goals: &[&Figure]) -> String {
    let rows = goals.iter().filter_map(|figure| {
        let Figure::Goal {
            what,
            measured,
            value,
            goal,
        } = figure
        else {
            return None;
        };
        let met = if goal.is_met(*value) { "met" } else { "missed" };
        Some(vec![
            what.clone(),
            measured.clone(),
            format!("{value:.2}"),
            goal.text(),
            met.to_owned(),
        ])
    });
    let columns = ["what", "measured", "value", "goal", ""].map(str::to_owned);
    markdown(&columns, &rows.collect::<Vec<_>>())
}

/// Draws each value relative to its goal, such that up to 1 is met.
fn goals_bars(goals: &[&Figure]) -> io::Result<String> {
    let bars = goals.iter().filter_map(|figure| {
        let Figure::Goal {
            what, value, goal, ..
        } = figure
        else {
            return None;
        };
        let relative = match goal {
            Bound::AtMost(most) => value / most,
            Bound::AtLeast(least) => least / value,
        };
        Some((what.as_str(), relative, goal.is_met(*value)))
    });
    plot::bars(
        "Figures relative to their goals",
        "value over the goal, or its inverse where more is better: up to 1 is met",
        &bars.collect::<Vec<_>>(),
    )
}
