//! The figures of the engine: one case, in a separate process.

use std::collections::BTreeMap;
use std::io;
use std::process::Command;
use std::time::Duration;

use benches::figures::number;
use benches::process::{own_cpu, own_resident_bytes};
use benches::sample::{Sample, gifts, now};
use board::Period;
use clap::Args;

/// The sizes of batches and of requests.
pub(crate) const BATCHES: [usize; 3] = [50, 200, 1000];

/// The number of contributions that are generated before they are applied: few enough to stay in the CPU's caches.
const AT_ONCE: usize = 1000;

/// The number of measured contributions.
const MEASURED: u64 = 1_000_000;

/// A board to measure.
#[derive(Args, Clone, Copy)]
pub(crate) struct Case {
    /// Number of members.
    #[arg(long)]
    pub(crate) members: u64,
    /// Number of shards.
    #[arg(long)]
    pub(crate) shards: u64,
    /// Send contributions with ids.
    #[arg(long)]
    pub(crate) ids: bool,
}

/// Figures by name.
pub(crate) type Figures = BTreeMap<String, f64>;

impl Case {
    /// Returns all cases.
    pub(crate) fn all(members: u64) -> impl Iterator<Item = Self> {
        [(16, false), (1, false), (16, true), (1, true)]
            .into_iter()
            .map(move |(shards, ids)| Self {
                members,
                shards,
                ids,
            })
    }

    /// Returns the name of the case, such as `16 shards, with ids`.
    pub(crate) fn name(&self) -> String {
        let shards = if self.shards == 1 {
            "1 shard"
        } else {
            "16 shards"
        };
        let ids = if self.ids { ", with ids" } else { "" };
        format!("{shards}{ids}")
    }
}

/// Measures a case in a child process.
pub(crate) fn in_child(case: &Case) -> io::Result<Figures> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("case");
    command.args(["--members", &case.members.to_string()]);
    command.args(["--shards", &case.shards.to_string()]);
    if case.ids {
        command.arg("--ids");
    }
    let output = command.stderr(std::process::Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("{command:?}: {}", output.status)));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let figures = text.lines().filter_map(|line| line.split_once('='));
    figures
        .map(|(name, value)| Ok((name.to_owned(), value.parse().map_err(io::Error::other)?)))
        .collect()
}

/// Measures a case in this process, and prints its figures.
pub(crate) fn measure(case: &Case) -> io::Result<()> {
    let kind = gifts(&[Period::All], case.shards);
    let mut sample = Sample::empty(kind, case.members, case.ids);
    let before = own_resident_bytes()?;
    let added = || Ok::<_, io::Error>(own_resident_bytes()?.saturating_sub(before));
    sample.fill();
    println!("bytes={}", number(added()?) / number(case.members));
    for len in BATCHES {
        println!("batch_{len}={}", batches(&mut sample, len));
    }
    for len in BATCHES {
        println!("request_{len}={}", requests(&mut sample, len));
    }
    if !case.ids {
        println!("bytes_after={}", number(added()?) / number(case.members));
    }
    Ok(())
}

/// Returns the CPU time per contribution in microseconds, in batches for one shard each.
fn batches(sample: &mut Sample, len: usize) -> f64 {
    per_contribution(|| {
        let now = now();
        let batches: Vec<_> = (0..AT_ONCE / len).map(|_| sample.batch(len, now)).collect();
        let begun = own_cpu();
        for (shard, items) in &batches {
            sample.apply(*shard, items, now);
        }
        own_cpu().saturating_sub(begun)
    })
}

/// Returns the CPU time per contribution in microseconds, in requests that the router distributes to all shards.
fn requests(sample: &mut Sample, len: usize) -> f64 {
    per_contribution(|| {
        let now = now();
        let requests: Vec<_> = (0..AT_ONCE / len)
            .map(|_| sample.request(len, now))
            .collect();
        let begun = own_cpu();
        for writes in requests {
            sample.write(writes, now);
        }
        own_cpu().saturating_sub(begun)
    })
}

fn per_contribution(mut apply: impl FnMut() -> Duration) -> f64 {
    let turns = MEASURED / AT_ONCE as u64;
    let cpu: Duration = (0..turns).map(|_| apply()).sum();
    cpu.as_secs_f64() * 1e6 / number(MEASURED)
}
