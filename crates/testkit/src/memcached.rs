//! memcached as a child process: [`Memcached`].

use std::io::{self, BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Stdio};

use crate::eventually::{DEADLINE, eventually};
use crate::process::Process;
use crate::redis::Port;

/// A memcached on its own port, killed on drop.
#[derive(Debug)]
pub struct Memcached {
    process: Process,
    port: Port,
}

impl Memcached {
    /// Starts a memcached.
    #[track_caller]
    pub fn start() -> Self {
        let port = Port::reserve();
        let memcached = Self {
            process: spawn(&port),
            port,
        };
        memcached.wait();
        memcached
    }

    /// Kills it (SIGKILL) and starts it again, empty, on the same port.
    #[track_caller]
    pub fn restart(&mut self) {
        self.process.signal("KILL");
        self.process.ended();
        self.process = spawn(&self.port);
        self.wait();
    }

    /// `memcached://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("memcached://{}", self.address())
    }

    /// Returns the value and the flags of a key, or `None` if there is no item.
    #[track_caller]
    pub fn get(&self, key: &str) -> Option<(String, u32)> {
        self.try_get(key).unwrap()
    }

    fn try_get(&self, key: &str) -> io::Result<Option<(String, u32)>> {
        let stream = TcpStream::connect(self.address())?;
        stream.set_read_timeout(Some(DEADLINE))?;
        let mut stream = BufReader::new(stream);
        stream
            .get_mut()
            .write_all(format!("get {key}\r\n").as_bytes())?;
        let mut head = String::new();
        stream.read_line(&mut head)?;
        let words: Vec<&str> = head.split_whitespace().collect();
        let ["VALUE", _, flags, length] = words[..] else {
            assert_eq!(words, ["END"]);
            return Ok(None);
        };
        let mut value = vec![0; length.parse().unwrap()];
        stream.read_exact(&mut value)?;
        let value = String::from_utf8(value).unwrap();
        Ok(Some((value, flags.parse().unwrap())))
    }

    #[track_caller]
    fn wait(&self) {
        eventually("memcached answers", || self.try_get("any").ok());
    }

    fn address(&self) -> SocketAddr {
        self.port.address()
    }
}

#[track_caller]
fn spawn(port: &Port) -> Process {
    let mut command = Command::new("memcached");
    let number = port.number().to_string();
    // Started by root, memcached requires a user.
    command.args(["-l", "127.0.0.1", "-p", &number, "-u", "nobody"]);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    match command.spawn() {
        Ok(child) => Process::of(child),
        Err(error) if error.kind() == ErrorKind::NotFound => panic!(
            "memcached is missing: tests/run installs it, or by hand (Debian, Ubuntu): \
             apt-get install memcached"
        ),
        Err(error) => panic!("memcached: {error}"),
    }
}
