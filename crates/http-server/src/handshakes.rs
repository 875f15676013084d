//! Closing a listener without losing connections: [`refuse_handshakes`].
//!
//! When a listener is closed, the operating system resets connections whose handshake is not complete, or that were not
//! accepted yet. Their clients may have sent requests, and cannot know what became of them. So before that, the listener
//! ignores clients that begin a handshake, and those handshakes that have begun are completed. A client that is ignored
//! tries again after a second, and is refused then: it knows that it has sent nothing.

use std::io;

use tokio::net::TcpListener;

/// Has the listener ignore clients that connect from now on. Only Linux can do that; elsewhere it has no effect.
#[cfg(target_os = "linux")]
pub fn refuse_handshakes(listener: &TcpListener) -> io::Result<()> {
    use socket2::{SockFilter, SockRef};

    /// The offset of the flags in the header of TCP.
    const FLAGS: u32 = 13;
    /// The flags SYN and ACK.
    const SYN: u32 = 0x02;
    const ACK: u32 = 0x10;
    // Instructions of the classic Berkeley Packet Filter, which is applied to the segments that the listener gets.
    const LOAD_BYTE: u16 = 0x30;
    const AND: u16 = 0x54;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;

    SockRef::from(listener).attach_filter(&[
        SockFilter::new(LOAD_BYTE, 0, 0, FLAGS),
        SockFilter::new(AND, 0, 0, SYN | ACK),
        // The first segment of a handshake has only SYN. Nothing of it is kept, and everything of all others.
        SockFilter::new(JUMP_IF_EQUAL, 0, 1, SYN),
        SockFilter::new(RETURN, 0, 0, 0),
        SockFilter::new(RETURN, 0, 0, u32::MAX),
    ])
}

/// Has no effect on this system.
#[cfg(not(target_os = "linux"))]
pub fn refuse_handshakes(_listener: &TcpListener) -> io::Result<()> {
    Ok(())
}
