//! The command line: how `serve` is told what to do and to stop, and the other commands against it.

mod configuration;
mod demo;
mod export;
mod import;
mod load;
mod pages;
mod stop;
mod top;
mod verify;
