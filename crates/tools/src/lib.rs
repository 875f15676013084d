//! The commands that speak to a server by HTTP alone, each a module: `megaboard import`, `export`, `ingest`, `adopt`,
//! `load`, `top`, `member`, `alive` and `ready`.
//!
//! What they have in common: [`server`] (which server, and as whom), [`secrets`] (what no error repeats), [`terminal`]
//! (what people read), `delivery` (sending again, and being asked
//! to end), `reads` (reading again). All of them use `megaboard-client`.

pub mod adopt;
mod board_path;
mod delivery;
pub mod export;
pub mod gifts;
pub mod import;
pub mod ingest;
pub mod load;
pub mod member;
pub mod probes;
mod reads;
mod runtime;
pub mod secrets;
pub mod server;
pub mod terminal;
#[cfg(test)]
mod test_server;
pub mod top;
