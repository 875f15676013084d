//! `megaboard member`: hides a member on every board, shows it again, or erases it.

use std::error::Error;
use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use megaboard_client::{Client, Error as ClientError, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::board_path::encoded;
use crate::runtime::Runtime;
use crate::server::ServerArgs;
use crate::terminal;

/// Hides a member on every board, shows it again, or erases it.
#[derive(Args, Debug)]
pub struct MemberArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Hides a member on every board. Ranks close up; contributions to it still count.
    Hide(OneMemberArgs),
    /// Shows a hidden member again, at the rank that it has by now.
    Show(OneMemberArgs),
    /// Erases a member from every window of every board, past windows included. This cannot be undone.
    Erase(OneMemberArgs),
}

#[derive(Args, Debug)]
struct OneMemberArgs {
    /// The member.
    member: String,

    /// Only on boards of this kind.
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,

    #[command(flatten)]
    server: ServerArgs,
}

#[derive(Deserialize)]
struct Hidden {
    hidden_in: Vec<String>,
}

#[derive(Deserialize)]
struct Outcome {
    boards: u64,
    erased: u64,
    next: Option<String>,
}

/// Runs the command.
pub fn run(args: &MemberArgs) -> Result<ExitCode, Box<dyn Error>> {
    let text = match &args.action {
        Action::Hide(member) => hidden(&member.send(Method::Put, "/hidden", None)?),
        Action::Show(member) => hidden(&member.send(Method::Delete, "/hidden", None)?),
        Action::Erase(member) => member.erase()?,
    };
    terminal::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn hidden(Hidden { hidden_in }: &Hidden) -> String {
    if hidden_in.is_empty() {
        "not hidden".to_owned()
    } else {
        format!("hidden in: {}", hidden_in.join(", "))
    }
}

/// The method of a request. Both are idempotent here.
#[derive(Clone, Copy)]
enum Method {
    Put,
    Delete,
}

impl Method {
    async fn send(self, client: &Client, path: String) -> Result<Response, ClientError> {
        match self {
            Self::Put => client.put(path).await,
            Self::Delete => client.delete(path).await,
        }
    }
}

impl OneMemberArgs {
    /// Sends requests until the member is erased from all boards.
    fn erase(&self) -> Result<String, Box<dyn Error>> {
        let (mut boards, mut erased) = (0, 0);
        let mut next: Option<String> = None;
        loop {
            let outcome: Outcome = self.send(Method::Delete, "", next.as_deref())?;
            boards += outcome.boards;
            erased += outcome.erased;
            next = outcome.next;
            if next.is_none() {
                return Ok(format!("erased from {erased} of {boards} boards"));
            }
        }
    }

    fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        suffix: &str,
        after: Option<&str>,
    ) -> Result<T, Box<dyn Error>> {
        let client = self.server.client()?;
        let mut path = format!("/v1/members/{}{suffix}", encoded(&self.member));
        let params = [("kind", self.kind.as_deref()), ("after", after)];
        let params = params
            .iter()
            .filter_map(|(name, value)| Some((name, (*value)?)));
        for (mark, (name, value)) in ["?", "&"].iter().zip(params) {
            let _ = write!(path, "{mark}{name}={}", encoded(value));
        }
        let response = Runtime::start()?.block_on(method.send(&client, path))?;
        if response.status != 200 {
            return Err(response.problem().to_string().into());
        }
        let outcome = serde_json::from_slice(&response.body);
        Ok(outcome.map_err(|error| {
            format!(
                "{} returned a response that could not be parsed: {error}",
                client.url()
            )
        })?)
    }
}
