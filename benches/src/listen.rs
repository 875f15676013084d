//! A listening socket, as Megaboard has one.

use std::io::{self, Write as _};

use tokio::net::{TcpListener, TcpSocket};

/// Connections that the system accepts before the server does, as Megaboard asks for.
const WAITING_MAX: u32 = 4096;

/// Listens on a free port of the loopback address, and prints it as Megaboard does.
pub fn announced() -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(([127, 0, 0, 1], 0).into())?;
    let listener = socket.listen(WAITING_MAX)?;
    let mut stdout = io::stdout();
    writeln!(stdout, "listening on http://{}", listener.local_addr()?)?;
    stdout.flush()?;
    Ok(listener)
}
