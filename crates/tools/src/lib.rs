//! The commands that speak to a server by HTTP alone, each a module: `megaboard import`, `export`, `ingest`, `adopt`,
//! `load`, `top`, `member`, `alive` and `ready`.
//!
//! What they have in common: [`server`] (which server, and as whom), [`secrets`] (what no error repeats), [`terminal`]
//! (what people read), `delivery` (sending again, and being asked to end).

pub mod adopt;
mod board_path;
mod client;
mod delivery;
pub mod export;
pub mod gifts;
pub mod import;
pub mod ingest;
pub mod load;
pub mod member;
pub mod probes;
pub mod secrets;
pub mod server;
pub mod terminal;
#[cfg(test)]
mod test_server;
pub mod top;
