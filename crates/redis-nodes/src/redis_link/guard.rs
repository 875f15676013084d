//! What is between a server and fred: [`Guard`], which passes on complete replies within the limits of
//! [`reply_limits`](crate::redis_link::reply_limits).
//!
//! fred connects and decodes by itself, without a limit: its decoder calls itself for each level of a reply, and waits
//! for a string of any length. So it connects to a local socket of this process, and a task passes on what it sends, and
//! the replies that are within the limits. Nobody else can use the socket: it takes one connection, of this process.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufWriter, copy, sink, split};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::{sleep, timeout};

use crate::redis_link::address::Address;
use crate::redis_link::connect_options::ConnectOptions;
use crate::redis_link::end::{ENDED, End};
use crate::redis_link::replies::Replies;
use crate::redis_link::reply_limits::PROCESS;
use crate::redis_link::stream::{Stream, connect, message};
use crate::redis_link::task::Task;

/// Replies that are passed on together.
const PASSED_BYTES: usize = 64 << 10;

/// How long fred has to read what was passed on before the end.
const CLOSE_WAIT: Duration = Duration::from_secs(1);

/// How long fred has to hand over what it has read last.
const HAND_OVER: Duration = Duration::from_millis(20);

/// A connection to a server, behind a local socket.
#[derive(Debug)]
pub(crate) struct Guard {
    /// Where fred connects to.
    pub(crate) path: PathBuf,
    /// Passes on, until the connection or this ends.
    pub(crate) task: Task,
}

impl Guard {
    /// Connects to an address. Records in `end` when the connection has ended, and why.
    pub(crate) async fn connect(
        options: &ConnectOptions,
        address: &Address,
        end: End,
    ) -> Result<Self, String> {
        let server = connect(address, options.tls.as_ref()).await?;
        let replies = Replies::new(&PROCESS, options.is_resp2);
        let path = local_path();
        let listener = UnixListener::bind(&path).map_err(|error| message(&error))?;
        let task = Task::spawn({
            let path = path.clone();
            async move {
                match accept(listener, &path).await {
                    Ok(mut client) => {
                        if let Some(why) = pass_on(server, &mut client, replies).await {
                            end.explain(&why);
                            // It reads the replies that were passed on before it closes its side.
                            let _ = timeout(CLOSE_WAIT, close(client)).await;
                        }
                        // What it has read, it hands to those who wait.
                        sleep(HAND_OVER).await;
                        end.record(ENDED);
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

/// Passes on commands, and replies within the limits, until one side ends. Returns why, unless fred has ended it.
async fn pass_on(
    server: Box<dyn Stream>,
    client: &mut UnixStream,
    replies: Replies,
) -> Option<String> {
    let (from_server, mut to_server) = split(server);
    let (mut from_client, to_client) = client.split();
    tokio::select! {
        copied = copy(&mut from_client, &mut to_server) => copied.err().map(|error| message(&error)),
        why = pass_on_replies(from_server, to_client, replies) => Some(why),
    }
}

/// Closes the connection to fred, and waits until fred has closed it.
async fn close(mut client: UnixStream) -> io::Result<()> {
    client.shutdown().await?;
    copy(&mut client, &mut sink()).await.map(drop)
}

async fn pass_on_replies(
    mut server: impl AsyncRead + Unpin,
    client: impl AsyncWrite + Unpin,
    mut replies: Replies,
) -> String {
    let mut client = BufWriter::with_capacity(PASSED_BYTES, client);
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
