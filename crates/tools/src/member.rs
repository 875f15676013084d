//! `megaboard member`: hides a member on every board, shows it again, or erases it.

use std::error::Error;
use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use megaboard_client::{Client, Error as ClientError, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::board_path::encoded;
use crate::runtime;
use crate::server::ServerArgs;
use crate::terminal;

/// Hides a member on every board, shows it again, or erases it.
#[derive(Args, Debug)]
pub struct MemberArgs {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// Leaves a member out of every board: ranks close up; what is contributed to it counts on.
    Hide(WhoArgs),
    /// Shows a hidden member again, where it would have stood.
    Show(WhoArgs),
    /// Takes a member off every board with all its windows, those that are over included. There is no
    /// way back.
    Erase(WhoArgs),
}

#[derive(Args, Debug)]
struct WhoArgs {
    /// The member.
    member: String,

    /// On the boards of this kind alone.
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
    let text = match &args.act {
        Act::Hide(who) => hidden(&who.asked(Method::Put, "/hidden", None)?),
        Act::Show(who) => hidden(&who.asked(Method::Delete, "/hidden", None)?),
        Act::Erase(who) => who.erase()?,
    };
    terminal::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn hidden(Hidden { hidden_in }: &Hidden) -> String {
    if hidden_in.is_empty() {
        "hidden nowhere".to_owned()
    } else {
        format!("hidden in: {}", hidden_in.join(", "))
    }
}

/// How a member is changed. The effect of both is the same however often they come.
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

impl WhoArgs {
    /// Erases as far as each answer goes, to the end.
    fn erase(&self) -> Result<String, Box<dyn Error>> {
        let (mut boards, mut erased) = (0, 0);
        let mut next: Option<String> = None;
        loop {
            let answer: Outcome = self.asked(Method::Delete, "", next.as_deref())?;
            boards += answer.boards;
            erased += answer.erased;
            next = answer.next;
            if next.is_none() {
                return Ok(format!("erased from {erased} of {boards} boards"));
            }
        }
    }

    fn asked<T: DeserializeOwned>(
        &self,
        method: Method,
        what: &str,
        after: Option<&str>,
    ) -> Result<T, Box<dyn Error>> {
        let client = self.server.client()?;
        let mut path = format!("/v1/members/{}{what}", encoded(&self.member));
        let params = [("kind", self.kind.as_deref()), ("after", after)];
        let params = params
            .iter()
            .filter_map(|(name, value)| Some((name, (*value)?)));
        for (mark, (name, value)) in ["?", "&"].iter().zip(params) {
            let _ = write!(path, "{mark}{name}={}", encoded(value));
        }
        let response = runtime::start()?.block_on(method.send(&client, path))?;
        if response.status != 200 {
            return Err(response.problem().to_string().into());
        }
        let outcome = serde_json::from_slice(&response.body);
        Ok(outcome.map_err(|error| format!("{} returned no outcome: {error}", client.url()))?)
    }
}
