//! What is between a server and fred: [`Guard`], which passes on complete replies within the limits of
//! [`reply_limits`](crate::reply_limits).
//!
//! fred connects and decodes by itself, without a limit: its decoder calls itself for each level of a reply, and waits
//! for a string of any length. So it connects to a local socket of this process, and a task passes on what it sends, and
//! the replies that are within the limits. Nobody else can use the socket: it takes one connection, of this process.

use std::io;
use std::path::{Path, PathBuf};

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufWriter, copy, split};
use tokio::net::{UnixListener, UnixStream};

use crate::address::Address;
use crate::end::{ENDED, End};
use crate::replies::Replies;
use crate::reply_limits::PROCESS;
use crate::stream::{Stream, connect, message};
use crate::task::Task;
use crate::tls::Tls;

/// Replies that are passed on together.
const PASSED_BYTES: usize = 64 << 10;

/// A connection to a server, behind a local socket.
#[derive(Debug)]
pub(crate) struct Guard {
    /// Where fred connects to.
    pub(crate) path: PathBuf,
    /// Passes on, until the connection or this ends.
    pub(crate) task: Task,
}

impl Guard {
    /// Connects to an address. Records in `end` why the connection has ended.
    pub(crate) async fn connect(
        address: &Address,
        tls: Option<&Tls>,
        end: End,
    ) -> Result<Self, String> {
        let server = connect(address, tls).await?;
        let path = local_path();
        let listener = UnixListener::bind(&path).map_err(|error| message(&error))?;
        let task = Task::spawn({
            let path = path.clone();
            async move {
                match accept(listener, &path).await {
                    Ok(mut client) => {
                        let why = pass_on(server, &mut client).await;
                        // Before fred sees the end.
                        end.record(&why);
                    }
                    Err(error) => end.record(&message(&error)),
                }
            }
        });
        Ok(Self { path, task })
    }
}

/// Returns the path of a new local socket: a name without a file, where the system has such names.
fn local_path() -> PathBuf {
    let name = format!("megaboard-{:016x}", getrandom::u64().unwrap_or_default());
    if cfg!(target_os = "linux") {
        format!("\0{name}").into()
    } else {
        std::env::temp_dir().join(name)
    }
}

/// Accepts the connection of this process.
async fn accept(listener: UnixListener, path: &Path) -> io::Result<UnixStream> {
    let own = i32::try_from(std::process::id()).ok();
    loop {
        let (client, _) = listener.accept().await?;
        if client.peer_cred()?.pid() == own {
            if !cfg!(target_os = "linux") {
                std::fs::remove_file(path)?;
            }
            return Ok(client);
        }
    }
}

/// Passes on commands, and replies within the limits, until one side ends. Returns why.
async fn pass_on(server: Box<dyn Stream>, client: &mut UnixStream) -> String {
    let (from_server, mut to_server) = split(server);
    let (mut from_client, to_client) = client.split();
    tokio::select! {
        copied = copy(&mut from_client, &mut to_server) => {
            copied.map_or_else(|error| message(&error), |_| ENDED.to_owned())
        }
        why = pass_on_replies(from_server, to_client) => why,
    }
}

async fn pass_on_replies(
    mut server: impl AsyncRead + Unpin,
    client: impl AsyncWrite + Unpin,
) -> String {
    let mut client = BufWriter::with_capacity(PASSED_BYTES, client);
    let mut replies = Replies::new(&PROCESS);
    let passed = async {
        while replies.read(&mut server).await? {
            while let Some(reply) = replies.next()? {
                client.write_all(&reply).await?;
            }
            client.flush().await?;
        }
        Ok(())
    };
    let passed: io::Result<()> = passed.await;
    passed.map_or_else(
        |error| message(&error),
        |()| "the server closed the connection".to_owned(),
    )
}
