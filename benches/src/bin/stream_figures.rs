//! Measures the cost of a stream of server-sent events: CPU per received frame, compared with a bare axum handler that
//! sends the same bytes, and memory per stream.
//!
//!     stream_figures [--rounds 5] [--seconds 4] [--streams 1000] [--megaboard PATH]
//!
//! The streams are `?n=10` of a board of 1,000 members that changes 20 times a second and is sent 10 times a second.
//! The CPU of Megaboard includes writes and merges; the bare handler only sends. The client does the same in both
//! cases, including the writes to Megaboard, so that it sleeps and is woken equally often. Each round opens new streams
//! of both servers, one after the other.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use benches::child::{Server, sibling};
use benches::contributions::Contributions;
use benches::figures::{median, number, ratio, spread, table};
use benches::http::{Connection, apply_all, get};
use benches::process::{cpu_of, machine};
use benches::record::{self, Bound};
use clap::Parser;
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

const BOARD: &str = "gifts/live";

/// The path of the streams.
const PATH: &str = "/v1/boards/gifts/live/stream?n=10";

/// The number of members of the board.
const MEMBERS: u64 = 1_000;

/// The interval of frames.
const FRAME_EVERY: Duration = Duration::from_millis(100);

/// The interval of changes.
const CHANGE_EVERY: Duration = Duration::from_millis(50);

/// How long streams are read before anything is counted.
const WARM_UP: Duration = Duration::from_millis(500);

/// The number of additional streams for the memory figure, relative to the first ones.
const MORE_STREAMS: usize = 4;

/// The limits of connections and of streams of one address.
const PER_ADDRESS: usize = 16_384;

/// How often all streams are read before memory is measured.
const MEMORY_TURNS: usize = 20;

/// The size of the read buffer.
const READ_BYTES: usize = 64 << 10;

/// The target of CPU per frame, relative to the bare handler.
const CPU_RATIO_MAX: f64 = 1.1;

#[derive(Parser)]
#[command(about = "Measures the cost of a stream, compared with a bare axum handler")]
struct Args {
    /// Number of rounds. Figures are medians over them.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How long the streams are read in each round, in seconds.
    #[arg(long, default_value_t = 4)]
    seconds: u64,
    /// Number of streams.
    #[arg(long, default_value_t = 1_000)]
    streams: usize,
    /// Path of the server. [default: the one in the folder of this program]
    #[arg(long, env = "MEGABOARD_BIN")]
    megaboard: Option<PathBuf>,
}

/// The streams of one server.
struct Streams {
    poll: Poll,
    streams: Vec<TcpStream>,
}

impl Streams {
    fn open(address: SocketAddr, count: usize) -> io::Result<Self> {
        let poll = Poll::new()?;
        let mut streams = Vec::with_capacity(count);
        for index in 0..count {
            let mut stream = std::net::TcpStream::connect(address)?;
            stream.write_all(get(PATH).as_bytes())?;
            stream.set_nonblocking(true)?;
            let mut stream = TcpStream::from_std(stream);
            let registry = poll.registry();
            registry.register(&mut stream, Token(index), Interest::READABLE)?;
            streams.push(stream);
        }
        Ok(Self { poll, streams })
    }

    /// Reads all streams for this time, and calls `change` at the interval of changes. Returns the number of bytes.
    fn read(
        &mut self,
        time: Duration,
        mut change: impl FnMut() -> io::Result<()>,
    ) -> io::Result<u64> {
        let mut events = Events::with_capacity(1024);
        let mut buffer = vec![0; READ_BYTES];
        let (begun, mut changed, mut bytes) = (Instant::now(), Instant::now(), 0);
        while begun.elapsed() < time {
            if changed.elapsed() >= CHANGE_EVERY {
                changed = Instant::now();
                change()?;
            }
            self.poll.poll(&mut events, Some(CHANGE_EVERY / 10))?;
            for event in &events {
                loop {
                    match self.streams[event.token().0].read(&mut buffer) {
                        Ok(0) => return Err(io::Error::other("a stream ended")),
                        Ok(read) => bytes += read as u64,
                        Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                        Err(error) => return Err(error),
                    }
                }
            }
        }
        Ok(bytes)
    }
}

fn resident_bytes(pid: u32) -> io::Result<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/statm"))?;
    let pages = text.split(' ').nth(1).and_then(|text| text.parse().ok());
    let pages: u64 = pages.ok_or_else(|| io::Error::other("statm has no resident pages"))?;
    Ok(pages * rustix::param::page_size() as u64)
}

/// Returns the CPU time of the server per received frame, in microseconds.
fn cpu_us_a_frame(
    address: SocketAddr,
    pid: u32,
    args: &Args,
    frame_bytes: usize,
    mut change: impl FnMut() -> io::Result<()>,
) -> io::Result<f64> {
    let mut streams = Streams::open(address, args.streams)?;
    streams.read(WARM_UP, &mut change)?;
    let cpu = cpu_of(pid)?;
    let bytes = streams.read(Duration::from_secs(args.seconds), &mut change)?;
    let cpu = cpu_of(pid)?.saturating_sub(cpu);
    Ok(cpu.as_secs_f64() * 1e6 * number(frame_bytes as u64) / number(bytes))
}

/// Returns the resident memory per stream, in bytes: that of further streams of a new server, so that memory allocated
/// once for the first ones is not included.
fn bytes_a_stream(args: &Args, home: &Path) -> io::Result<f64> {
    let mut live = Live::start(args, home)?;
    let mut first = Streams::open(live.server.address, args.streams)?;
    first.read(WARM_UP, || live.change())?;
    let (address, pid) = (live.server.address, live.server.pid());
    let before = resident_bytes(pid)?;
    let more = args.streams * MORE_STREAMS;
    let mut second = Streams::open(address, more)?;
    for _ in 0..MEMORY_TURNS {
        first.read(CHANGE_EVERY, || live.change())?;
        second.read(CHANGE_EVERY, || live.change())?;
    }
    let grown = resident_bytes(pid)?.saturating_sub(before);
    Ok(number(grown) / number(more as u64))
}

/// Returns a frame as it is sent: the second chunk of a stream, after the one with `retry`.
fn frame(address: SocketAddr) -> io::Result<Vec<u8>> {
    let mut stream = std::net::TcpStream::connect(address)?;
    stream.write_all(get(PATH).as_bytes())?;
    let mut text = Vec::new();
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let read = stream.read(&mut buffer)?;
        text.extend_from_slice(&buffer[..read]);
        let begin = text.windows(4).position(|part| part == b"id: ");
        let end = text.windows(4).position(|part| part == b"}\n\n\r");
        if let (Some(begin), Some(end)) = (begin, end) {
            return Ok(text[begin..end + 3].to_vec());
        }
    }
}

fn megaboard(path: Option<&Path>, home: &Path) -> io::Result<Server> {
    let config = home.join("megaboard.toml");
    let staleness = FRAME_EVERY.as_millis();
    // All streams come from one address.
    std::fs::write(
        &config,
        format!(
            "[server.limits]\nconnections_per_address = {PER_ADDRESS}\nstreams_per_address = {PER_ADDRESS}\n\
             [kinds.gifts]\nwindows = [\"all\"]\nmax_staleness = \"{staleness}ms\"\n"
        ),
    )?;
    let path = path.map_or_else(|| sibling("megaboard"), |path| Ok(path.to_owned()))?;
    let mut command = Command::new(path);
    command.args(["serve", "--listen", "127.0.0.1:0", "--store", "memory:"]);
    command.arg("--config").arg(config).current_dir(home);
    Server::announced(command.env("MEGABOARD_LOG", "error"))
}

/// A Megaboard server with the streamed board.
struct Live {
    server: Server,
    connection: Connection,
    contributions: Contributions,
}

impl Live {
    fn start(args: &Args, home: &Path) -> io::Result<Self> {
        let server = megaboard(args.megaboard.as_deref(), home)?;
        let mut connection = Connection::open(server.address)?;
        let mut contributions = Contributions::to(BOARD, MEMBERS, 1);
        let members = contributions.next_members(MEMBERS);
        apply_all(&mut connection, &contributions.lines(&members))?;
        Ok(Self {
            server,
            connection,
            contributions,
        })
    }

    /// Opens a new connection, since the server closes idle ones while others are measured.
    fn connect(&mut self) -> io::Result<()> {
        self.connection = Connection::open(self.server.address)?;
        Ok(())
    }

    /// Adds points to a random member.
    fn change(&mut self) -> io::Result<()> {
        let members = self.contributions.random_members(1);
        apply_all(&mut self.connection, &self.contributions.lines(&members))
    }
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    println!("{}", machine());
    let home = tempfile::tempdir()?;
    let mut live = Live::start(&args, home.path())?;
    let frame = frame(live.server.address)?;
    let body = home.path().join("frame");
    std::fs::write(&body, &frame)?;
    let mut bare = Command::new(sibling("bare_axum")?);
    bare.arg("--body").arg(&body).args(["--etag", "\"none\""]);
    bare.args(["--accept-loop", "--every-ms"]);
    let bare = Server::announced(bare.arg(FRAME_EVERY.as_millis().to_string()))?;
    let (mut ours, mut theirs, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=args.rounds {
        eprintln!("round {round} of {}", args.rounds);
        live.connect()?;
        let (address, pid) = (live.server.address, live.server.pid());
        ours.push(cpu_us_a_frame(address, pid, &args, frame.len(), || {
            live.change()
        })?);
        let (address, pid) = (bare.address, bare.pid());
        theirs.push(cpu_us_a_frame(address, pid, &args, frame.len(), || {
            live.change()
        })?);
        bytes.push(bytes_a_stream(&args, home.path())?);
    }
    let mut shown = table(&["figure", "megaboard", "bare axum", "ratio", ""]);
    let cpu_ratio = ratio(&ours, &theirs);
    let measured = format!("{:.2} µs; bare {:.2}", median(&ours), median(&theirs));
    let what = "a stream's frame, CPU over a bare handler's";
    let target = record::goal(what, &measured, cpu_ratio, Bound::AtMost(CPU_RATIO_MAX))?;
    shown.add_row([
        format!("µs CPU of a frame, {} bytes", frame.len()),
        spread(&ours, 2),
        spread(&theirs, 2),
        format!("{cpu_ratio:.2}"),
        target,
    ]);
    shown.add_row([
        "bytes of memory a stream".to_owned(),
        spread(&bytes, 0),
        String::new(),
        String::new(),
        String::new(),
    ]);
    record::table(&format!("{} streams", args.streams), &shown)
}
