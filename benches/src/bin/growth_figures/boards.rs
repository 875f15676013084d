//! Measures more boards of ten members, compared with as many sorted sets of one Redis.

use std::fmt::Write as _;
use std::io;

use benches::figures::number;
use benches::home::Home;
use benches::http::{self, Connection};
use benches::load::Target;
use benches::process::cpu_of;
use benches::resp;
use scale::random::Random;

use crate::Settings;
use crate::cost::{CONNECTIONS, Growth, Loads, Read, thousands};
use crate::ours;
use crate::peers::Peer;

/// The number of members of each board.
const MEMBERS: u64 = 10;

/// The number of boards that one request writes to.
const TOGETHER: u32 = 100;

/// The number of different requests, which are sent in turn.
const REQUESTS: u64 = 20_000;

/// What is measured at one number of boards, of Megaboard and of Redis.
struct Column {
    fill_us: [f64; 2],
    bytes: [f64; 2],
    top: [Loads; 2],
    standing: [Loads; 2],
}

/// Selects the loads of one read.
type Pick = fn(&Column) -> &[Loads; 2];

/// Measures each number of boards, with servers of its own.
pub(crate) fn measure(settings: &Settings, boards: &[u64]) -> io::Result<()> {
    let mut columns = Vec::new();
    for boards in boards {
        eprintln!("{} boards", thousands(*boards));
        columns.push(column(settings, *boards)?);
    }
    let mut growth = Growth::over(boards);
    for (server, name) in ["Megaboard", "Redis"].into_iter().enumerate() {
        let fill = columns
            .iter()
            .map(|it| format!("{:.2}", it.fill_us[server]));
        growth.add(
            "µs CPU a contribution while filling, 1,000 together",
            name,
            fill,
        );
        let bytes = columns.iter().map(|it| format!("{:.0}", it.bytes[server]));
        growth.add("bytes a board", name, bytes);
        let reads: [(&str, Pick); 2] = [
            ("top of a random board", |it| &it.top),
            ("standing of a member of a random board", |it| &it.standing),
        ];
        for (read, pick) in reads {
            let loads: Vec<&Loads> = columns.iter().map(|it| &pick(it)[server]).collect();
            growth.add_read(read, name, &loads);
        }
    }
    let title =
        format!("Boards of {MEMBERS} members by number of boards, {CONNECTIONS} connections");
    growth.record(&title, "boards")
}

fn column(settings: &Settings, boards: u64) -> io::Result<Column> {
    let ours = ours::start(settings, "")?;
    let mut redis = Peer::plain()?;
    let empty = [ours.resident_bytes()?, redis.redis().memory_bytes()?];
    let begun = [
        cpu_of(ours.server.pid())?.as_secs_f64() * 1e6,
        redis.redis().cpu_us()?,
    ];
    fill(&ours, &mut redis, boards)?;
    let ended = [
        cpu_of(ours.server.pid())?.as_secs_f64() * 1e6,
        redis.redis().cpu_us()?,
    ];
    let full = [ours.resident_bytes()?, redis.redis().memory_bytes()?];
    let (boards_count, contributions) = (number(boards), number(boards * MEMBERS));
    let mut random = Random::new(3);
    let picks: Vec<(u64, u64)> = (0..REQUESTS)
        .map(|_| (random.below(boards), random.below(MEMBERS)))
        .collect();
    let [mut top, mut standing] = [(); 2].map(|()| [Loads::default(), Loads::default()]);
    for (loads, read) in [(&mut top, Read::Top), (&mut standing, Read::Standing)] {
        let (mut requests, mut theirs) = (Vec::new(), Vec::new());
        for (board, member) in &picks {
            let member = format!("m{member}");
            let end = if read == Read::Top {
                "top?n=10".to_owned()
            } else {
                format!("members/{member}")
            };
            requests.push(http::get(&format!("/v1/boards/gifts/b-{board}/{end}")));
            let key = format!("b-{board}");
            theirs.push(if read == Read::Top {
                resp::command(&["ZREVRANGE", &key, "0", "9", "WITHSCORES"])
            } else {
                resp::command(&["ZREVRANK", &key, &member])
            });
        }
        for _ in 0..settings.rounds {
            loads[0].add(Target::http(&ours.server, &requests), CONNECTIONS, settings)?;
            loads[1].add(redis.target(read, &theirs), CONNECTIONS, settings)?;
        }
    }
    Ok(Column {
        fill_us: [0, 1].map(|it| (ended[it] - begun[it]) / contributions),
        bytes: [0, 1].map(|it| (full[it] - empty[it]) / boards_count),
        top,
        standing,
    })
}

/// Sends one contribution of each member of each board to both.
fn fill(ours: &Home, redis: &mut Peer, boards: u64) -> io::Result<()> {
    let mut connection = Connection::open(ours.server.address)?;
    for first in (0..boards).step_by(TOGETHER as usize) {
        let (mut lines, mut pipeline, mut commands) = (String::new(), String::new(), 0);
        for board in first..boards.min(first + u64::from(TOGETHER)) {
            for member in 0..MEMBERS {
                let points = 1 + (board + member * 7) % 100;
                // Writing into a string cannot fail.
                let _ = writeln!(
                    lines,
                    r#"{{"board":"gifts/b-{board}","member":"m{member}","points":{points}}}"#
                );
                let (key, name) = (format!("b-{board}"), format!("m{member}"));
                resp::append(
                    &mut pipeline,
                    &["ZINCRBY", &key, &points.to_string(), &name],
                );
                commands += 1;
            }
        }
        let request = http::post("/v1/contributions", "application/x-ndjson", &lines);
        http::apply_all(&mut connection, &request)?;
        redis.redis().connection.run(&pipeline, commands)?;
    }
    Ok(())
}
