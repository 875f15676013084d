//! Measures a cached top over more connections, compared with the same bytes from bare axum and nginx, and with Redis.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::{Command, Stdio};

use benches::child::{Server, sibling};
use benches::figures::{median, table};
use benches::http;
use benches::load::Target;
use benches::record;

use crate::Settings;
use crate::cost::{Loads, Read, line, plot, thousands};
use crate::ours;
use crate::peers::Peer;

/// The number of members of the board.
const MEMBERS: u64 = 10_000;

/// One process with one thread, as Redis has, without a log.
const NGINX: &str = "\
daemon off;
master_process off;
pid nginx.pid;
error_log stderr crit;
worker_rlimit_nofile 65536;
events { worker_connections 16384; }
http {
  access_log off;
  default_type application/json;
  keepalive_requests 1000000000;
  open_file_cache max=10;
  sendfile on;
  tcp_nopush on;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server { listen 127.0.0.1:PORT backlog=16384; root .; }
}
";

/// Measures each number of connections, all servers in turn.
pub(crate) fn measure(settings: &Settings, connections: &[usize]) -> io::Result<()> {
    eprintln!("connections: filling a board");
    let ours = ours::start(settings, "")?;
    ours::fill(&ours, MEMBERS)?;
    let mut redis = Peer::plain()?;
    redis.fill(MEMBERS)?;
    let requests = Read::Top.requests(MEMBERS, ours::request);
    let plain = redis.requests(Read::Top, MEMBERS);
    let response = http::ask(ours.server.address, &requests[0])?;
    let folder = tempfile::tempdir()?;
    let body = folder.path().join("body.json");
    std::fs::write(&body, &response.body)?;
    let mut bare = Command::new(sibling("bare_axum")?);
    bare.arg("--body").arg(&body);
    bare.args(["--etag", response.header("etag").unwrap_or_default()]);
    let bare = Server::announced(bare.arg("--accept-loop"))?;
    let nginx = nginx(folder.path())?;
    let file = [http::get("/body.json")];

    let mut targets = vec![
        ("Megaboard", Target::http(&ours.server, &requests)),
        ("bare axum, the same bytes", Target::http(&bare, &requests)),
    ];
    if let Some(nginx) = &nginx {
        targets.push((
            "nginx, the same bytes as a file, one process",
            nginx_target(nginx, &file),
        ));
    }
    targets.push(("Redis, ZREVRANGE", redis.target(Read::Top, &plain)));
    let mut shown = table(&[
        "server",
        "connections",
        "requests/s",
        "µs server CPU",
        "p99 ms",
    ]);
    let mut lines = Vec::new();
    let over: Vec<u64> = connections.iter().map(|count| *count as u64).collect();
    let mut all: Vec<Vec<Loads>> = targets
        .iter()
        .map(|_| connections.iter().map(|_| Loads::default()).collect())
        .collect();
    for (index, connections) in connections.iter().enumerate() {
        eprintln!("{connections} connections");
        for _ in 0..settings.rounds {
            for ((name, target), loads) in targets.iter().zip(&mut all) {
                let measured = loads[index].add(*target, *connections, settings);
                if let Err(error) = measured {
                    record::note(&format!("{name}, {connections} connections: {error}"))?;
                }
            }
        }
    }
    for ((name, _), loads) in targets.iter().zip(&all) {
        let loads: Vec<(u64, &Loads)> = over.iter().copied().zip(loads).collect();
        let loads: Vec<_> = loads
            .into_iter()
            .filter(|(_, it)| !it.rate().is_empty())
            .collect();
        let (over, loads): (Vec<u64>, Vec<&Loads>) = loads.into_iter().unzip();
        for (connections, loads) in over.iter().zip(&loads) {
            let mut row = vec![(*name).to_owned(), thousands(*connections)];
            row.extend(loads.cells());
            shown.add_row(row);
        }
        let rates: Vec<f64> = loads.iter().map(|loads| median(&loads.rate())).collect();
        lines.push(line(name, &over, &rates));
    }
    record::table(
        "A cached top of 100 by number of connections, each with a request in flight",
        &shown,
    )?;
    if nginx.is_none() {
        record::note("nginx is not installed here, so it was not measured.")?;
    }
    plot(
        "Rate of a cached top by number of connections",
        "connections.svg",
        "connections",
        "requests/s",
        &lines,
    )
}

fn nginx_target<'a>(server: &Server, requests: &'a [String]) -> Target<'a> {
    Target {
        response_length: nginx_length,
        ..Target::http(server, requests)
    }
}

/// nginx writes names of headers in capitals.
fn nginx_length(bytes: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"Content-Length: ";
    let end = bytes.windows(4).position(|text| text == b"\r\n\r\n")? + 4;
    let index = bytes[..end]
        .windows(NAME.len())
        .position(|text| text == NAME)?;
    let digits = bytes[index + NAME.len()..end].iter();
    let digits = digits.take_while(|byte| byte.is_ascii_digit());
    Some(end + digits.fold(0, |number, digit| number * 10 + usize::from(digit - b'0')))
}

/// Starts nginx with the files of this folder. Returns `None` if it is not installed.
fn nginx(folder: &Path) -> io::Result<Option<Server>> {
    match Command::new("nginx")
        .arg("-v")
        .stderr(Stdio::null())
        .status()
    {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        status => status?,
    };
    let config = folder.join("nginx.conf");
    let server = Server::on_free_port(|port| {
        // An error is reported by nginx, which then does not listen.
        let _ = std::fs::write(&config, NGINX.replace("PORT", &port.to_string()));
        let mut command = Command::new("nginx");
        command.arg("-p").arg(folder).arg("-c").arg(&config);
        command.args(["-e", "stderr"]);
        command
    });
    server.map(Some)
}
