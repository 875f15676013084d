//! Nodes against real Redis: what fails on the way to an answer, and what is made of it.

mod acks;
mod cluster;
mod independent;
mod one_server;
mod overload;
mod sentinel;
mod setup;
mod stage;
mod tls;
