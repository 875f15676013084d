//! `megaboard kinds`: lists the kinds of a server.

use std::error::Error;
use std::process::ExitCode;

use crate::result_args::ResultArgs;
use crate::runtime::Runtime;
use crate::server::ServerArgs;
use crate::terminal::{Cells, table};
use clap::Args;
use megaboard_client::Kind;
use serde::Serialize;

use crate::board_commands::client;

/// Lists the kinds that the key may access: their fields, windows and modes.
#[derive(Args, Debug)]
pub struct KindsArgs {
    #[command(flatten)]
    server: ServerArgs,

    #[command(flatten)]
    result: ResultArgs,
}

/// What is printed.
#[derive(Serialize)]
struct Kinds {
    kinds: Vec<Kind>,
}

/// Runs the command.
pub fn run(args: &KindsArgs) -> Result<ExitCode, Box<dyn Error>> {
    let client = client(&args.server)?;
    let kinds = Runtime::start()?.block_on(client.kinds())?;
    let has_key = args.server.key.is_some();
    args.result
        .print(&Kinds { kinds }, |it| render(it, has_key))?;
    Ok(ExitCode::SUCCESS)
}

fn render(Kinds { kinds }: &Kinds, has_key: bool) -> String {
    if kinds.is_empty() && has_key {
        return "no kinds for this key: it may be for other kinds".to_owned();
    }
    if kinds.is_empty() {
        return "no kinds: PUT /v1/kinds/{kind} creates one".to_owned();
    }
    let rows = kinds.iter().map(|kind| {
        let fields = kind.fields.iter().map(|field| {
            let order = if field.is_ascending() { " (asc)" } else { "" };
            format!("{}{order}", field.name)
        });
        vec![
            kind.name.clone().unwrap_or_default(),
            kind.text("mode").unwrap_or_default().to_owned(),
            fields.collect::<Vec<_>>().join(", "),
            kind.windows.join(", "),
        ]
    });
    let columns = [
        ("kind", Cells::Names),
        ("mode", Cells::Text),
        ("fields", Cells::Names),
        ("windows", Cells::Names),
    ];
    table(&columns, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_a_row() {
        let kinds = r#"[{"kind":"gifts","mode":"accumulate","fields":[{"name":"points","order":"desc"}],
            "windows":["hour","all"]},{"kind":"races","mode":"best","windows":["all"],
            "fields":[{"name":"laps"},{"name":"seconds","order":"asc"}]}]"#;
        let kinds = Kinds {
            kinds: serde_json::from_str(kinds).unwrap(),
        };
        assert_eq!(
            render(&kinds, true),
            " kind   mode        fields               windows\n gifts  accumulate  points               hour, all\n \
             races  best        laps, seconds (asc)  all"
        );
        let none = Kinds { kinds: vec![] };
        assert!(render(&none, false).starts_with("no kinds: "));
        assert!(render(&none, true).contains("other kinds"));
    }
}
