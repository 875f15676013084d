//! Measures what one call, one read and one member cost on a Redis Cluster, for the model of `docs/scale.md`.
//!
//!     unit_costs_figures [--members 200000] [--write benches/unit-costs.toml] [--megaboard PATH]
//!
//! `writes` calls a shard through the store; `reads` are requests over HTTP to a server on a Redis of its own, one after
//! the other. Each Redis is a cluster of one node, where a read calls each shard, as in a larger cluster. CPU and bytes
//! are those that the Redis reports.

mod cost;
mod memory;
mod reads;
mod served;
mod writes;

use std::io;
use std::path::PathBuf;

use benches::child::sibling;
use benches::process::machine;
use benches::redis::Redis;
use clap::Parser;
use scale::units::UnitCosts;

#[derive(Parser)]
#[command(about = "Measures what one call, one read and one member cost on Redis")]
struct Args {
    /// Number of members of each board.
    #[arg(long, default_value_t = 200_000)]
    members: u64,
    /// Write the costs into this file, such as benches/unit-costs.toml.
    #[arg(long)]
    write: Option<PathBuf>,
    /// Path of the server. [default: the one in the folder of this program]
    #[arg(long, env = "MEGABOARD_BIN")]
    megaboard: Option<PathBuf>,
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    let megaboard = args.megaboard.map_or_else(|| sibling("megaboard"), Ok)?;
    // The store's connections run on this runtime; `block_on` of `futures` drives the store on this thread.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let _entered = runtime.enter();
    eprintln!("writes");
    let (apply, member_bytes) = writes::measure(args.members)?;
    eprintln!("memory");
    let memory = memory::measure(&megaboard, member_bytes)?;
    eprintln!("reads");
    let reads = reads::measure(&megaboard, args.members)?;
    let costs = UnitCosts {
        machine: machine(),
        redis: Redis::start()?.version()?,
        date: benches::sample::now()
            .to_string()
            .chars()
            .take(10)
            .collect(),
        members: args.members,
        connections_a_link: reads.connections,
        memory,
        server: reads.server,
        apply,
        top: reads.top,
        merge: reads.merge,
        member: reads.member,
        page: reads.page,
    };
    println!("{costs:#?}");
    args.write.map_or(Ok(()), |file| costs.write(&file))
}
