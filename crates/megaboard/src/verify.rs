//! `megaboard verify`: compares the score store with the sorted sets, board by board.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use board::{Kind, Subject};
use clap::Args;
use commands::result_args::ResultArgs;
use commands::terminal;
use serde::Serialize;
use shard_store::{BoardRecord, Orphan, ShardStore};

use crate::config::Config;
use crate::store::StoreUrl;

/// Boards per listing.
const PAGE_BOARDS: usize = 1000;

/// Maximum disagreements that are shown; all are counted.
const SHOWN_MAX: u64 = 100;

/// Compares the scores with the sorted sets, and repairs differences.
#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// The store. [default: embedded:./megaboard-data]
    #[arg(
        long,
        value_name = "URL",
        env = "MEGABOARD_STORE",
        hide_env_values = true
    )]
    store: Option<String>,

    /// Configuration file, for its section `[redis]`. [default: megaboard.toml, if it is there]
    #[arg(long, value_name = "FILE", env = "MEGABOARD_CONFIG")]
    config: Option<PathBuf>,

    /// Repair sorted sets that differ from the scores. Servers may run at the same time.
    #[arg(long)]
    repair: bool,

    #[command(flatten)]
    result: ResultArgs,
}

/// The counts of a run.
#[derive(Debug, Default, Serialize)]
struct Findings {
    boards: u64,
    standings: u64,
    disagreements: u64,
    repaired: u64,
    orphaned_keys: u64,
}

/// Runs the command. The exit status is 1 if a disagreement was not repaired.
pub(crate) fn run(args: &VerifyArgs) -> Result<ExitCode, Box<dyn Error>> {
    let store: StoreUrl = args
        .store
        .as_ref()
        .map_or_else(|| Ok(StoreUrl::default()), |text| text.parse())?;
    if store == StoreUrl::Memory {
        terminal::report("a memory: store exists only inside its server; opened here, it is empty");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    // The file may have settings that are needed to reach the store; its kinds are not used.
    let config = Config::read(args.config.as_deref())?;
    let settings = config.store_settings(Arc::default(), &config.server.memory_budget(None));
    let (store, doubts) = runtime.block_on(store.inspect(&settings))?;
    for doubt in &doubts {
        terminal::report(doubt);
    }
    let findings = runtime.block_on(verify(&*store, args.repair));
    runtime.block_on(store.close())?;
    let findings = findings?;
    args.result.print(&findings, |it| it.text(args.repair))?;
    Ok(commands::status(findings.is_clean()))
}

impl Findings {
    /// Returns whether all that was found is repaired.
    const fn is_clean(&self) -> bool {
        self.disagreements == self.repaired && self.orphaned_keys == 0
    }

    fn text(&self, has_repaired: bool) -> String {
        let Self {
            boards,
            standings,
            disagreements,
            repaired,
            orphaned_keys,
        } = self;
        let repaired = if has_repaired {
            format!(", {repaired} repaired")
        } else {
            String::new()
        };
        let orphaned = match orphaned_keys {
            0 => String::new(),
            keys => format!(", {keys} orphaned keys"),
        };
        format!(
            "{boards} boards, {standings} standings, {disagreements} disagreements{repaired}{orphaned}"
        )
    }
}

async fn verify(store: &dyn ShardStore, repair: bool) -> Result<Findings, Box<dyn Error>> {
    let mut findings = Findings::default();
    for kind in store.kinds().await? {
        let mut after: Option<Subject> = None;
        loop {
            let records = store
                .boards(&kind.name, "", after.as_ref(), PAGE_BOARDS)
                .await?;
            let Some(last) = records.last() else { break };
            after = Some(last.name.subject().clone());
            for record in &records {
                let kind = kind.kind.as_deref();
                verify_board(store, repair, kind, record, &mut findings).await?;
            }
        }
    }
    report_orphans(store, &mut findings).await?;
    Ok(findings)
}

async fn report_orphans(
    store: &dyn ShardStore,
    findings: &mut Findings,
) -> Result<(), Box<dyn Error>> {
    let orphans = store.orphans().await;
    let orphans = orphans.map_err(|error| format!("orphaned keys: {error}"))?;
    for (orphan, number) in orphans.iter().zip(1..) {
        findings.orphaned_keys += orphan.keys;
        if number <= SHOWN_MAX {
            let Orphan {
                board,
                incarnation,
                keys,
                example,
            } = orphan;
            terminal::report(&format!(
                "{board}: {keys} keys of incarnation {incarnation}, which the registry does not have: {example}"
            ));
        }
    }
    Ok(())
}

async fn verify_board(
    store: &dyn ShardStore,
    repair: bool,
    kind: Option<&Kind>,
    record: &BoardRecord,
    findings: &mut Findings,
) -> Result<(), Box<dyn Error>> {
    findings.boards += 1;
    for shard in 0..record.shards.get() {
        let windows = store.windows(record, shard).await?;
        findings.standings += windows.iter().map(|window| window.members).sum::<u64>();
        for wrong in store.verify(record, shard, repair).await? {
            findings.disagreements += 1;
            findings.repaired += u64::from(wrong.repaired);
            if findings.disagreements <= SHOWN_MAX {
                let member = wrong
                    .member
                    .map_or_else(String::new, |m| format!(" member {m}"));
                let window = kind.map_or_else(
                    || wrong.window.period().to_string(),
                    |kind| kind.calendar().name(wrong.window),
                );
                let board = &record.name;
                let repaired_note = if wrong.repaired { " (repaired)" } else { "" };
                terminal::report(&format!(
                    "{board} {window}{member}: {}{repaired_note}",
                    wrong.detail
                ));
            }
        }
    }
    Ok(())
}
