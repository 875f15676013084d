//! Shared by the figures and the criterion benches.
//!
//! `sample` creates the measured board, `contributions` the requests, `redis` runs the system that Megaboard is
//! compared with, `load` is the client loop for all servers. `child` starts servers, `home` one of Megaboard in a
//! folder of its own, `process` reads their CPU time and memory, `figures` computes medians and ratios, `record` keeps
//! figures as data for the report.
//!
//! Each round measures Megaboard and the compared system in turn, so that noise of the machine affects both. The
//! figures that are compared are ratios.

pub mod child;
pub mod contributions;
pub mod figures;
pub mod home;
pub mod http;
pub mod listen;
pub mod load;
pub mod plot;
pub mod process;
pub mod record;
pub mod redis;
pub mod resp;
pub mod sample;
