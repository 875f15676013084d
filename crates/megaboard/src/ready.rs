//! `megaboard ready`: asks a server whether it is ready, for what looks at an exit status alone.
//!
//! An image with nothing but the binary in it has no other client that could ask.

use std::error::Error;
use std::process::ExitCode;

use clap::Args;

use crate::cli::ServerArgs;
use crate::client::Client;

/// Asks a server whether it is ready: for health checks of containers.
///
/// Exit status 0 if it is. Otherwise 1, and standard error says why.
#[derive(Args, Debug)]
pub(crate) struct ReadyArgs {
    #[command(flatten)]
    server: ServerArgs,
}

/// Runs the command.
pub(crate) fn run(args: &ReadyArgs) -> Result<ExitCode, Box<dyn Error>> {
    let answer = Client::new(&args.server).get("/readyz")?;
    if answer.status == 200 {
        Ok(ExitCode::SUCCESS)
    } else {
        Err(answer.problem().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_server::{Reply, TestServer};

    fn asked_of(status: u16) -> Result<ExitCode, String> {
        let server = TestServer::start(move |_, request| {
            assert!(request.head[0].starts_with("GET /readyz "), "{request:?}");
            Reply::Answer(status, "", r#"{"title":"T","detail":"D"}"#.to_owned())
        });
        let server = ServerArgs {
            server: server.url,
            key: None,
        };
        run(&ReadyArgs { server }).map_err(|error| error.to_string())
    }

    #[test]
    fn who_is_not_ready_is_told_why() {
        assert_eq!(asked_of(200), Ok(ExitCode::SUCCESS));
        assert_eq!(asked_of(503), Err("T: D".to_owned()));
    }
}
