//! Nodes with a real Redis: failures before a call has its reply, and how they are handled.

mod absence;
mod acks;
mod cluster;
mod counting;
mod independent;
mod one_server;
mod overload;
mod sentinel;
mod setup;
mod tls;
