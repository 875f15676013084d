//! One connection through the proxy: passes requests to the server and replies to the client, and
//! applies the faults.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::plan::{Fate, Plan};
use crate::eventually::DEADLINE;
use crate::redis::frame::{read_frame, read_request};
use crate::redis::reply::words_of;

/// How often a held request checks whether it is still held.
const HELD_LOOK: Duration = Duration::from_millis(5);

/// A client and the server that it is connected to.
#[derive(Debug)]
pub(super) struct Connection {
    client: TcpStream,
    server: TcpStream,
    /// Requests that were passed on and have no reply yet, oldest first.
    waiting: Mutex<VecDeque<Waiting>>,
    /// Notified when a request has its reply, and when the connection ends.
    answered: Condvar,
}

#[derive(Debug)]
struct Waiting {
    reply_at: Instant,
    loses_reply: bool,
}

impl Connection {
    /// Connects a client to a server. Fails if the server does not accept the connection.
    pub(super) fn open(
        client: TcpStream,
        server: SocketAddr,
        plan: &Arc<Mutex<Plan>>,
    ) -> io::Result<Arc<Self>> {
        let server = TcpStream::connect(server)?;
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        let connection = Arc::new(Self {
            client,
            server,
            waiting: Mutex::default(),
            answered: Condvar::new(),
        });
        let (requests, plan) = (Arc::clone(&connection), Arc::clone(plan));
        thread::spawn(move || {
            let _ = requests.pass_requests(&plan);
            requests.end();
        });
        let replies = Arc::clone(&connection);
        thread::spawn(move || {
            let _ = replies.pass_replies();
            replies.end();
        });
        Ok(connection)
    }

    /// Closes both connections.
    pub(super) fn end(&self) {
        let _ = self.client.shutdown(Shutdown::Both);
        let _ = self.server.shutdown(Shutdown::Both);
        self.waiting.lock().unwrap().clear();
        self.answered.notify_all();
    }

    fn pass_requests(&self, plan: &Mutex<Plan>) -> io::Result<()> {
        let mut input = BufReader::new(Arrivals {
            stream: &self.client,
            plan,
        });
        let (mut frame, mut passed) = (Vec::new(), Vec::new());
        while read_request(&mut input, &mut frame)? {
            let words = words_of(&frame)?;
            let fate = plan.lock().unwrap().meet(&words);
            if fate == Fate::LoseRequest {
                (&self.server).write_all(&passed)?;
                return self.wait_for_replies();
            }
            if fate == Fate::Hold {
                // Requests before it are passed on.
                (&self.server).write_all(&passed)?;
                passed.clear();
                hold(plan, &words);
            }
            let waiting = Waiting::with(fate);
            self.waiting.lock().unwrap().push_back(waiting);
            passed.append(&mut frame);
            // Requests that arrived together are passed on together.
            if input.buffer().is_empty() {
                (&self.server).write_all(&passed)?;
                passed.clear();
            }
        }
        self.wait_for_replies()
    }

    /// Waits until all requests that were passed on have their replies.
    fn wait_for_replies(&self) -> io::Result<()> {
        let waiting = self.waiting.lock().unwrap();
        let left = |waiting: &mut VecDeque<_>| !waiting.is_empty();
        let waited = self.answered.wait_timeout_while(waiting, DEADLINE, left);
        if waited.unwrap().1.timed_out() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(())
    }

    fn pass_replies(&self) -> io::Result<()> {
        let mut input = BufReader::new(&self.server);
        let mut frame = Vec::new();
        while read_frame(&mut input, &mut frame)? {
            // Push messages of RESP3 are not replies.
            if frame[0] == b'>' {
                (&self.client).write_all(&frame)?;
            } else {
                let waiting = self.waiting.lock().unwrap();
                let (reply_at, loses_reply) = waiting
                    .front()
                    .map(|request| (request.reply_at, request.loses_reply))
                    .ok_or_else(|| io::Error::other("a reply without a request"))?;
                drop(waiting);
                if loses_reply {
                    break;
                }
                thread::sleep(reply_at.saturating_duration_since(Instant::now()));
                // A client may have disconnected; its requests are passed on nevertheless.
                let _ = (&self.client).write_all(&frame);
                self.waiting.lock().unwrap().pop_front();
                self.answered.notify_all();
            }
            frame.clear();
        }
        Ok(())
    }
}

/// Waits while a request is held.
fn hold(plan: &Mutex<Plan>, words: &[Vec<u8>]) {
    plan.lock().unwrap().held += 1;
    while plan.lock().unwrap().holds(words) {
        thread::sleep(HELD_LOOK);
    }
    plan.lock().unwrap().held -= 1;
}

impl Waiting {
    fn with(fate: Fate) -> Self {
        let delay = match fate {
            Fate::Pass(delay) => delay,
            Fate::Hold | Fate::LoseReply | Fate::LoseRequest => Duration::ZERO,
        };
        Self {
            reply_at: Instant::now() + delay,
            loses_reply: fate == Fate::LoseReply,
        }
    }
}

/// Reads from a client, and counts the reads.
struct Arrivals<'a> {
    stream: &'a TcpStream,
    plan: &'a Mutex<Plan>,
}

impl Read for Arrivals<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.stream.read(buffer)?;
        if length > 0 {
            self.plan.lock().unwrap().arrivals += 1;
        }
        Ok(length)
    }
}
