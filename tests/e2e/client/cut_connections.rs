//! Contributions count exactly once over connections that are cut at random positions: [`Cutter`].

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use megaboard_client::{Client, Contribution};
use testkit::{Server, dice::Dice};

use super::{EAGER, run};

const ROUNDS: usize = 60;
const IN_A_ROUND: usize = 40;
const BOARDS: usize = 3;
const MEMBERS: usize = 20;
/// Bytes of about four requests.
const REQUEST_BYTES_MAX: usize = 20_000;
/// Bytes of about four responses.
const RESPONSE_BYTES_MAX: usize = 1_000;

/// A proxy that ends each connection after a number of bytes of requests or of responses.
struct Cutter {
    address: SocketAddr,
    cuts: Arc<AtomicUsize>,
}

impl Cutter {
    fn before(server: &Server, mut dice: Dice) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = server.address().to_owned();
        let cuts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&cuts);
        thread::spawn(move || {
            for client in listener.incoming() {
                let Ok(client) = client else { return };
                let server = TcpStream::connect(&server).unwrap();
                let (requests, responses) = match dice.below(2) {
                    0 => (dice.below(REQUEST_BYTES_MAX), usize::MAX),
                    _ => (usize::MAX, dice.below(RESPONSE_BYTES_MAX)),
                };
                let back = (server.try_clone().unwrap(), client.try_clone().unwrap());
                for ((from, to), bytes) in [((client, server), requests), (back, responses)] {
                    let cuts = Arc::clone(&counted);
                    thread::spawn(move || pass(from, to, bytes, &cuts));
                }
            }
        });
        Self { address, cuts }
    }
}

/// Passes bytes on until the input ends or the limit is reached.
fn pass(mut from: TcpStream, mut to: TcpStream, mut left: usize, cuts: &AtomicUsize) {
    let mut buffer = [0; 4_096];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let passed = length.min(left);
        left -= passed;
        if to.write_all(&buffer[..passed]).is_err() {
            break;
        }
        if passed < length {
            cuts.fetch_add(1, Ordering::Relaxed);
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

#[test]
fn everything_counts_once_over_connections_that_are_cut() {
    let server = Server::with("[kinds.gifts]\nwindows = [\"all\"]\n");
    let mut dice = Dice::of_this_run();
    let cutter = Cutter::before(&server, dice.split());
    let client = Client::builder(format!("http://{}", cutter.address));
    let client = client.retry_policy(EAGER).build().unwrap();
    let mut sums = vec![vec![0; MEMBERS]; BOARDS];
    let mut duplicates = 0;
    run(async {
        for _ in 0..ROUNDS {
            let contributions: Vec<_> = (0..IN_A_ROUND)
                .map(|_| {
                    let (board, member) = (dice.below(BOARDS), dice.below(MEMBERS));
                    let points = i64::try_from(1 + dice.below(1_000)).unwrap();
                    sums[board][member] += points;
                    let (board, member) = (format!("gifts/{board}"), format!("u{member}"));
                    Contribution::new(board, member).points(points)
                })
                .collect();
            let outcome = client.contribute(&contributions).await.unwrap();
            assert_eq!(outcome.applied + outcome.duplicates, IN_A_ROUND as u64);
            duplicates += outcome.duplicates;
        }
    });
    let cuts = cutter.cuts.load(Ordering::Relaxed);
    println!("{cuts} connections cut, {duplicates} duplicates");
    // Some responses were lost after their contributions had been applied.
    assert!(cuts > 0 && duplicates > 0);
    for (board, sums) in sums.iter().enumerate() {
        let path = format!("/v1/boards/gifts/{board}/top?fresh=true");
        let entries = server.get(path).entries();
        assert_eq!(entries.len(), MEMBERS);
        for entry in entries {
            let member = entry["member"].as_str().unwrap();
            let n: usize = member[1..].parse().unwrap();
            assert_eq!(entry["points"], sums[n], "{member} of {board}");
        }
    }
}
