//! The command line: the configuration and the stop of `serve`, and the other commands.

mod configuration;
mod demo;
mod export;
mod import;
mod load;
mod pages;
mod stop;
mod top;
mod verify;
