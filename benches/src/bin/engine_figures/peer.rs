//! The figures of Redis: the same members in one sorted set, plain, and with ties broken by time.

use std::io;

use benches::figures::number;
use benches::redis::{Redis, TIE_BREAK_SCRIPT};
use benches::resp::append;
use benches::sample::{member, now};
use scale::random::Random;

/// The number of commands of a pipeline.
const PIPELINE: u64 = 50;

/// The number of measured contributions.
const MEASURED: u64 = 500_000;

/// The figures of Redis.
pub(crate) struct Peer {
    pub(crate) plain: Cost,
    pub(crate) tie_break: Cost,
    pub(crate) version: String,
}

/// The CPU time of the server per contribution, and bytes per member.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) cpu_us: f64,
    pub(crate) bytes: f64,
}

/// Measures `ZINCRBY` and the script.
pub(crate) fn measure(members: u64) -> io::Result<Peer> {
    let mut redis = Redis::start()?;
    let version = redis.version()?;
    let plain = cost(&mut redis, members, |pipeline, number, points| {
        let member = member(number);
        append(pipeline, &["ZINCRBY", "board", points, member.as_str()]);
    })?;
    drop(redis);
    let mut redis = Redis::start()?;
    let digest = redis
        .connection
        .ask(&["SCRIPT", "LOAD", TIE_BREAK_SCRIPT])?;
    let tie_break = cost(&mut redis, members, |pipeline, number, points| {
        let (member, at) = (member(number), now().millis().to_string());
        let keys = ["EVALSHA", &digest, "2", "board", "scores"];
        append(
            pipeline,
            &[&keys[..], &[member.as_str(), points, &at]].concat(),
        );
    })?;
    Ok(Peer {
        plain,
        tie_break,
        version,
    })
}

fn cost(
    redis: &mut Redis,
    members: u64,
    contribute: impl Fn(&mut String, u64, &str),
) -> io::Result<Cost> {
    const POINTS_MAX: u64 = 100;
    let mut random = Random::new(2);
    let mut send = |redis: &mut Redis, numbers: &mut dyn Iterator<Item = u64>| {
        let mut pipeline = String::new();
        let mut commands = 0;
        for number in numbers {
            let points = 1 + random.below(POINTS_MAX);
            contribute(&mut pipeline, number, &points.to_string());
            commands += 1;
        }
        redis.connection.run(&pipeline, commands)
    };
    let empty = redis.memory_bytes()?;
    for first in (0..members).step_by(50) {
        // In a practically random order: the step is coprime to the number of members.
        let numbers = first..members.min(first + PIPELINE);
        send(redis, &mut numbers.map(|n| n * 7_654_321 % members))?;
    }
    let bytes = (redis.memory_bytes()? - empty) / number(members);
    let begun = redis.cpu_us()?;
    let mut order = Random::new(3);
    for _ in 0..MEASURED / PIPELINE {
        send(redis, &mut (0..PIPELINE).map(|_| order.below(members)))?;
    }
    let cpu_us = (redis.cpu_us()? - begun) / number(MEASURED);
    Ok(Cost { cpu_us, bytes })
}
