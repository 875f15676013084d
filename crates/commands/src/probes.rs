//! `megaboard alive` and `megaboard ready`: health checks of a server, for container images without an HTTP client.

use std::error::Error;
use std::process::ExitCode;

use clap::Args;

use crate::runtime::Runtime;
use crate::server::ServerArgs;

/// Checks whether a server responds, for health checks that restart it if it does not.
///
/// Exit status: 0 if it does (GET /healthz); otherwise 1, with the reason on standard error. A server whose store is
/// unavailable is alive: a restart would not make the store available, and would end requests and streams.
#[derive(Args, Debug)]
pub struct AliveArgs {
    #[command(flatten)]
    server: ServerArgs,
}

/// Checks whether a server is ready, that is, whether its store responds, too.
///
/// Exit status: 0 if it is (GET /readyz); otherwise 1, with the reason on standard error. Not for health checks that
/// restart a server: see `megaboard alive`.
#[derive(Args, Debug)]
pub struct ReadyArgs {
    #[command(flatten)]
    server: ServerArgs,
}

/// Runs `megaboard alive`.
pub fn alive(args: &AliveArgs) -> Result<ExitCode, Box<dyn Error>> {
    probe(&args.server, "/healthz")
}

/// Runs `megaboard ready`.
pub fn ready(args: &ReadyArgs) -> Result<ExitCode, Box<dyn Error>> {
    probe(&args.server, "/readyz")
}

fn probe(server: &ServerArgs, path: &str) -> Result<ExitCode, Box<dyn Error>> {
    let client = server.client()?;
    let response = Runtime::start()?.block_on(client.get(path))?;
    if response.status == 200 {
        Ok(ExitCode::SUCCESS)
    } else {
        Err(response.problem().to_string().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted::{Reply, TestServer};

    /// Starts a server whose store is unavailable.
    fn without_store() -> (ServerArgs, TestServer) {
        let server = TestServer::start(|_, request| {
            let is_alive = request.head[0].starts_with("GET /healthz ");
            let status = if is_alive { 200 } else { 503 };
            Reply::Answer(status, "", r#"{"title":"T","detail":"D"}"#.to_owned())
        });
        let args = ServerArgs {
            server: server.url.clone(),
            key: None,
        };
        (args, server)
    }

    #[test]
    fn a_server_whose_store_is_unavailable_is_alive_and_not_ready() {
        let (server, _running) = without_store();
        let alive = alive(&AliveArgs {
            server: server.clone(),
        });
        assert_eq!(alive.unwrap(), ExitCode::SUCCESS);
        let ready = ready(&ReadyArgs { server });
        assert_eq!(ready.unwrap_err().to_string(), "T: D");
    }
}
