//! Measures the rate of contributions over three independent Redis servers, compared with `ZINCRBY` on one. Client,
//! Megaboard and all servers share the machine.

use std::io;

use benches::figures::number;
use benches::home::BATCH;
use benches::redis::Redis;

use crate::peer::Peer;
use crate::served::{CONNECTIONS, Served};
use crate::settings::Settings;

/// The number of requests over each connection in one round.
const REQUESTS: u64 = 25;

/// The number of contributions of a round.
const ROUND: u64 = REQUESTS * CONNECTIONS * BATCH;

/// The number of independent Redis servers.
const SERVERS: usize = 3;

const KINDS: &str = r#"
[kinds.gifts]
windows = ["all"]
shards = 16
"#;

/// The figures, with one value per round.
#[derive(Default)]
pub(crate) struct Spread {
    /// Contributions per second over three servers.
    pub(crate) ours: Vec<f64>,
    /// Contributions per second over one server.
    pub(crate) ours_one: Vec<f64>,
    /// `ZINCRBY` per second.
    pub(crate) plain: Vec<f64>,
    /// CPU time of all three servers per contribution, in microseconds.
    pub(crate) ours_cpu: Vec<f64>,
    /// The part of the busiest of the three servers.
    pub(crate) busiest: Vec<f64>,
}

/// Fills all boards, and measures them in turn.
pub(crate) fn measure(settings: &Settings) -> io::Result<Spread> {
    let mut plain = Peer::filled(settings.members, 1, ROUND)?;
    eprintln!("spread: filling over one server and over {SERVERS}");
    let (_one, mut over_one) = over(settings, 1)?;
    let (mut servers, mut over_three) = over(settings, SERVERS)?;
    let mut spread = Spread::default();
    for round in 1..=settings.rounds {
        eprintln!("spread: round {round} of {}", settings.rounds);
        let rate = |taken: std::time::Duration| number(ROUND) / taken.as_secs_f64();
        spread.plain.push(rate(plain.increment(BATCH, ROUND)?));
        let before = cpu_us(&mut servers)?;
        spread.ours.push(rate(over_three.send(REQUESTS)?));
        let after = cpu_us(&mut servers)?;
        spread.ours_one.push(rate(over_one.send(REQUESTS)?));
        let cpu: Vec<f64> = after.iter().zip(&before).map(|(a, b)| a - b).collect();
        let all: f64 = cpu.iter().sum();
        spread.ours_cpu.push(all / number(ROUND));
        let busiest = cpu.iter().copied().fold(0.0, f64::max);
        spread.busiest.push(busiest / all);
    }
    Ok(spread)
}

fn over(settings: &Settings, servers: usize) -> io::Result<(Vec<Redis>, Served)> {
    let redis: Vec<Redis> = (0..servers)
        .map(|_| Redis::start())
        .collect::<Result<_, _>>()?;
    let addresses: Vec<String> = redis.iter().map(|r| r.address().to_string()).collect();
    let store = format!("redis://{}", addresses.join(","));
    let mut served = Served::start(&settings.megaboard, &store, KINDS, settings.members, false)?;
    served.fill()?;
    served.send(REQUESTS)?;
    Ok((redis, served))
}

fn cpu_us(servers: &mut [Redis]) -> io::Result<Vec<f64>> {
    servers.iter_mut().map(Redis::cpu_us).collect()
}
