//! What a stream of server-sent events costs: CPU a delivered frame, beside a bare axum handler that
//! sends the same bytes, and memory a stream.
//!
//!     stream_figures [--rounds 5] [--seconds 4] [--streams 1000] [--megaboard PATH]
//!
//! `?n=10` of a board of 1,000 members that changes 20 times a second, shown 10 times a second. All that the
//! server does meanwhile, writes and merges included, is in its CPU; the bare handler does nothing but
//! send. The client does the same for both, writes to our server included: how often it sleeps, and so has to
//! be woken by whoever sends, must not differ. Each round opens the streams of both anew, one server after the
//! other.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use benches::child::{Server, beside};
use benches::contributions::Contributions;
use benches::figures::{held, number, ratio, spread, table};
use benches::http::{Connection, apply_all, get};
use benches::process::{cpu_of, machine};
use clap::Parser;
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

/// The board.
const BOARD: &str = "gifts/live";

/// What is streamed.
const PATH: &str = "/v1/boards/gifts/live/stream?n=10";

/// Its members.
const MEMBERS: u64 = 1_000;

/// How often a frame is shown.
const FRAME_EVERY: Duration = Duration::from_millis(100);

/// How often the board changes.
const CHANGE_EVERY: Duration = Duration::from_millis(50);

/// How long streams settle before anything is counted.
const WARM_UP: Duration = Duration::from_millis(500);

/// Streams that show what one takes, in times of those that were there before.
const MORE_STREAMS: usize = 4;

/// How often all of them are read in turn before memory is looked at.
const MEMORY_TURNS: usize = 20;

/// Bytes read at once.
const READ_BYTES: usize = 64 << 10;

/// What a frame may cost, in those of the bare handler.
const CPU_RATIO_MAX: f64 = 1.2;

#[derive(Parser)]
#[command(about = "What a stream costs, beside a bare axum handler")]
struct Args {
    /// Rounds; figures are medians over them.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How long the streams are read a round.
    #[arg(long, default_value_t = 4)]
    seconds: u64,
    /// Streams open at once.
    #[arg(long, default_value_t = 1_000)]
    streams: usize,
    /// The server; otherwise the one that was built beside this.
    #[arg(long, env = "MEGABOARD_BIN")]
    megaboard: Option<PathBuf>,
}

/// Streams of one server.
struct Crowd {
    poll: Poll,
    streams: Vec<TcpStream>,
}

impl Crowd {
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

    /// Reads for so long, and calls `act` every now and then; the bytes that came.
    fn read(&mut self, time: Duration, mut act: impl FnMut() -> io::Result<()>) -> io::Result<u64> {
        let mut events = Events::with_capacity(1024);
        let mut buffer = vec![0; READ_BYTES];
        let (begun, mut acted, mut bytes) = (Instant::now(), Instant::now(), 0);
        while begun.elapsed() < time {
            if acted.elapsed() >= CHANGE_EVERY {
                acted = Instant::now();
                act()?;
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
    let pages: u64 = pages.ok_or_else(|| io::Error::other("statm names no resident pages"))?;
    Ok(pages * rustix::param::page_size() as u64)
}

/// µs of CPU that a delivered frame takes the server, while its board changes.
fn cpu_us_a_frame(
    address: SocketAddr,
    pid: u32,
    args: &Args,
    frame_bytes: usize,
    mut act: impl FnMut() -> io::Result<()>,
) -> io::Result<f64> {
    let mut crowd = Crowd::open(address, args.streams)?;
    crowd.read(WARM_UP, &mut act)?;
    let cpu = cpu_of(pid)?;
    let bytes = crowd.read(Duration::from_secs(args.seconds), &mut act)?;
    let cpu = cpu_of(pid)?.saturating_sub(cpu);
    Ok(cpu.as_secs_f64() * 1e6 * number(frame_bytes as u64) / number(bytes))
}

/// Resident memory that each of many more streams adds to a new server that has streams already, so
/// that what the first take once for all is not theirs.
fn bytes_a_stream(args: &Args, home: &Path) -> io::Result<f64> {
    let mut live = Live::start(args, home)?;
    let mut first = Crowd::open(live.server.address, args.streams)?;
    first.read(WARM_UP, || live.change())?;
    let (address, pid) = (live.server.address, live.server.pid());
    let before = resident_bytes(pid)?;
    let more = args.streams * MORE_STREAMS;
    let mut second = Crowd::open(address, more)?;
    for _ in 0..MEMORY_TURNS {
        first.read(CHANGE_EVERY, || live.change())?;
        second.read(CHANGE_EVERY, || live.change())?;
    }
    let grown = resident_bytes(pid)?.saturating_sub(before);
    Ok(number(grown) / number(more as u64))
}

/// A frame as it comes over the wire: the second chunk of a stream, behind what tells how to connect again.
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
    std::fs::write(
        &config,
        format!("[kinds.gifts]\nwindows = [\"all\"]\nmax_staleness = \"{staleness}ms\"\n"),
    )?;
    let path = path.map_or_else(|| beside("megaboard"), |path| Ok(path.to_owned()))?;
    let mut command = Command::new(path);
    command.args(["serve", "--listen", "127.0.0.1:0", "--store", "memory:"]);
    command.arg("--config").arg(config).current_dir(home);
    Server::announced(command.env("MEGABOARD_LOG", "error"))
}

/// Our server, with the board that is streamed.
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
        let everyone = contributions.everyone(MEMBERS);
        apply_all(&mut connection, &contributions.lines(&everyone))?;
        Ok(Self {
            server,
            connection,
            contributions,
        })
    }

    /// Connects anew: the server ends connections that nothing came over while others were measured.
    fn connect(&mut self) -> io::Result<()> {
        self.connection = Connection::open(self.server.address)?;
        Ok(())
    }

    /// Somebody gets points.
    fn change(&mut self) -> io::Result<()> {
        let one = self.contributions.anyone(1);
        apply_all(&mut self.connection, &self.contributions.lines(&one))
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
    let mut bare = Command::new(beside("bare_axum")?);
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
    let times = ratio(&ours, &theirs);
    shown.add_row([
        format!("µs CPU of a frame, {} bytes", frame.len()),
        spread(&ours, 2),
        spread(&theirs, 2),
        format!("{times:.2}"),
        held(times <= CPU_RATIO_MAX, "at most 1.20"),
    ]);
    shown.add_row([
        "bytes of memory a stream".to_owned(),
        spread(&bytes, 0),
        String::new(),
        String::new(),
        String::new(),
    ]);
    println!("{shown}\n{} streams", args.streams);
    Ok(())
}
