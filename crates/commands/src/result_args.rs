//! The option for the format of a command's result: [`ResultArgs`].

use std::io;

use clap::Args;
use serde::Serialize;

use crate::terminal;

/// The format of a result, which all commands with one have.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct ResultArgs {
    /// Print the result as JSON, on one line. Messages and errors remain text, on standard error.
    #[arg(long)]
    pub json: bool,
}

impl ResultArgs {
    /// Prints a result to standard output: as this text, or as JSON. Returns false if nobody reads it any more.
    pub fn print<T: Serialize>(
        self,
        result: &T,
        text: impl FnOnce(&T) -> String,
    ) -> io::Result<bool> {
        if self.json {
            terminal::print_line(&terminal::json(result)?)
        } else {
            terminal::print_line(&text(result))
        }
    }
}
