//! The command line: the configuration and the stop of `serve`, and the other commands.

mod add;
mod configuration;
mod demo;
mod export;
mod greeting;
mod growing;
mod import;
mod json;
mod lists;
mod load;
mod member;
mod pages;
mod spreadsheets;
mod stop;
mod top;
mod unreachable;
mod verify;
mod watch;
