//! Nodes against real Redis: what fails before a call has its reply, and what is made of it.

mod acks;
mod cluster;
mod counting;
mod independent;
mod one_server;
mod overload;
mod sentinel;
mod setup;
mod tls;
