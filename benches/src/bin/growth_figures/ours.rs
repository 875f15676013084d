//! A Megaboard server with a board of one window.

use std::io;

use benches::contributions::Contributions;
use benches::figures::number;
use benches::home::Home;
use benches::http;
use benches::process::cpu_of;
use benches::sample::member;

use crate::Settings;
use crate::cost::{PAGE, Read};

pub(crate) const BOARD: &str = "gifts/live";

/// Starts a server on an empty folder, whose connections may all be of one address. `kind` has further settings of the
/// kind `gifts`.
pub(crate) fn start(settings: &Settings, kind: &str) -> io::Result<Home> {
    let config = format!(
        "[server]\nstore = \"embedded:data\"\n[server.limits]\nconnections_per_address = 16384\n\
         [kinds.gifts]\nwindows = [\"all\"]\n{kind}\n"
    );
    Home::start(&settings.megaboard, tempfile::tempdir()?, &config, "error")
}

/// Sends one contribution of each member. Returns the server's CPU time per contribution, in microseconds.
pub(crate) fn fill(ours: &Home, members: u64) -> io::Result<f64> {
    let begun = cpu_of(ours.server.pid())?;
    ours.fill(&mut Contributions::to(BOARD, members, 1))?;
    let cpu = cpu_of(ours.server.pid())?.saturating_sub(begun);
    Ok(cpu.as_secs_f64() * 1e6 / number(members))
}

/// Returns a request to the board.
pub(crate) fn request(read: Read, number: u64) -> String {
    let end = match read {
        Read::Top => "top?n=100".to_owned(),
        Read::Standing => format!("members/{}", member(number).as_str()),
        Read::Page => format!("range?from={}&to={}", number + 1, number + PAGE),
    };
    http::get(&format!("/v1/boards/{BOARD}/{end}"))
}
