//! Sorted sets with the same members: of Redis, of Redis with ties broken by time, and of Valkey.

use std::io;

use benches::contributions::Contributions;
use benches::figures::number;
use benches::load::Target;
use benches::redis::{Redis, TIE_BREAK_SCRIPT};
use benches::resp;
use benches::sample::{member, now};

use crate::Settings;
use crate::cost::{PAGE, Read};
use crate::ours::BOARD;

/// The number of commands of a pipeline.
const PIPELINE: u64 = 1_000;

/// The hash beside the sorted set whose ties are broken by time.
const TIES: &str = "ties";

/// The rank of a member whose ties are broken by time.
const TIE_BREAK_RANK: &str = "\
local stored = redis.call('HGET', KEYS[2], ARGV[1])
local split = string.find(stored, ' ', 1, true)
return redis.call('ZREVRANK', KEYS[1], string.sub(stored, split + 1) .. ARGV[1])";

/// A server with a sorted set.
pub(crate) struct Peer {
    pub(crate) name: String,
    redis: Redis,
    /// The digests of the scripts that write and that rank, if ties are broken.
    scripts: Option<[String; 2]>,
}

impl Peer {
    /// Starts all peers.
    pub(crate) fn all(settings: &Settings) -> io::Result<Vec<Self>> {
        let mut peers = vec![Self::plain()?];
        let mut tied = Redis::start()?;
        let mut load = |script| tied.connection.ask(&["SCRIPT", "LOAD", script]);
        let scripts = [load(TIE_BREAK_SCRIPT)?, load(TIE_BREAK_RANK)?];
        peers.push(Self {
            name: "Redis, tie-break script".to_owned(),
            redis: tied,
            scripts: Some(scripts),
        });
        if let Some(path) = &settings.valkey {
            let redis = Redis::program(path)?;
            let version = path.rsplit('-').next().unwrap_or_default();
            peers.push(Self {
                name: format!("Valkey {version}"),
                redis,
                scripts: None,
            });
        }
        Ok(peers)
    }

    /// Starts Redis with a plain sorted set.
    pub(crate) fn plain() -> io::Result<Self> {
        let mut redis = Redis::start()?;
        Ok(Self {
            name: format!("Redis {}", redis.version()?),
            redis,
            scripts: None,
        })
    }

    /// Adds one contribution of each member. Returns CPU time in microseconds and memory in bytes, each per member.
    pub(crate) fn fill(&mut self, members: u64) -> io::Result<(f64, f64)> {
        let mut contributions = Contributions::to(BOARD, members, 1);
        let (cpu, memory) = (self.redis.cpu_us()?, self.redis.memory_bytes()?);
        loop {
            let numbers = contributions.next_members(PIPELINE);
            if numbers.is_empty() {
                break;
            }
            let pipeline = match &self.scripts {
                None => contributions.commands(&numbers),
                Some([write, _]) => tie_break_pipeline(write, &numbers),
            };
            self.redis.connection.run(&pipeline, numbers.len())?;
        }
        let cpu = self.redis.cpu_us()? - cpu;
        let memory = self.redis.memory_bytes()? - memory;
        Ok((cpu / number(members), memory / number(members)))
    }

    /// Returns requests for a sorted set of this number of members.
    pub(crate) fn requests(&self, read: Read, members: u64) -> Vec<String> {
        read.requests(members, |read, number| {
            let (from, to) = (number.to_string(), (number + PAGE - 1).to_string());
            match (read, &self.scripts) {
                (Read::Top, _) => resp::command(&["ZREVRANGE", BOARD, "0", "99", "WITHSCORES"]),
                (Read::Page, _) => resp::command(&["ZREVRANGE", BOARD, &from, &to, "WITHSCORES"]),
                (Read::Standing, None) => {
                    resp::command(&["ZREVRANK", BOARD, member(number).as_str()])
                }
                (Read::Standing, Some([_, rank])) => {
                    resp::command(&["EVALSHA", rank, "2", BOARD, TIES, member(number).as_str()])
                }
            }
        })
    }

    /// Returns this server with requests of this kind.
    pub(crate) fn target<'a>(&self, read: Read, requests: &'a [String]) -> Target<'a> {
        let is_number = read == Read::Standing;
        Target {
            address: self.redis.address(),
            pid: self.redis.pid(),
            requests,
            begins: if is_number { ":" } else { "*" },
            response_length: if is_number {
                resp::number_length
            } else {
                resp::array_length
            },
        }
    }

    /// Returns the connection, the memory in bytes, and what else `INFO` has.
    pub(crate) const fn redis(&mut self) -> &mut Redis {
        &mut self.redis
    }
}

fn tie_break_pipeline(script: &str, numbers: &[u64]) -> String {
    let mut pipeline = String::new();
    let now = now().millis();
    for (index, number) in (0..).zip(numbers) {
        let (points, at) = ((1 + number % 100).to_string(), (now + index).to_string());
        let member = member(*number);
        let command = [
            "EVALSHA",
            script,
            "2",
            BOARD,
            TIES,
            member.as_str(),
            &points,
            &at,
        ];
        resp::append(&mut pipeline, &command);
    }
    pipeline
}
