//! `megaboard serve`: connects store, router, merger and API, and serves until it is asked to stop.

use std::error::Error;
use std::io::Write as _;
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use access::audit::AuditLog;
use access::{Access, AccessError, TokenSecret};
use api::{App, MemoryBudget, Stopping};
use board::{PublishTargets, Timestamp};
use clap::Args;
use clap::builder::BoolishValueParser;
use http_server::request_trace::Tracer;
use merger::{Merger, Settings};
use publish::Publisher;
use shard_router::{CatalogueError, KNOWN_BOARDS_MAX, Lifetimes, Moment, Router};
use shard_store::{Clock, Memory, ShardStore};
use store_redis::limit_replies;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use crate::config::{Config, ConfiguredKind, DRAINS, parsed_within};
use crate::demo;
use crate::greeting::{Greeting, first_kind};
use crate::listen::Listen;
use crate::logs::{self, LogFormat};
use crate::memory::{self, MemoryLimit};
use crate::open_files;
use crate::reload::{Mark, Reload};
use crate::store::StoreUrl;
use crate::traces::Traces;

/// How often kinds are read from the store, since other servers may have changed them.
const REFRESH_INTERVAL: Duration = Duration::from_secs(10);

/// How often expired windows and boards are removed.
const SWEEP_INTERVAL: Duration = Duration::from_secs(10);

/// How often kinds are looked at whose members leave after a while.
const LIFETIMES_INTERVAL: Duration = Duration::from_secs(1);

/// Serves boards over HTTP.
#[derive(Args, Debug)]
pub(crate) struct ServeArgs {
    /// Address and port to listen on; a port alone is one of this machine. Port 0 picks a free one and prints it.
    /// [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS", env = "MEGABOARD_LISTEN")]
    listen: Option<String>,

    /// Where boards are kept. [default: embedded:./megaboard-data]
    #[arg(
        long,
        value_name = "URL",
        env = "MEGABOARD_STORE",
        hide_env_values = true
    )]
    store: Option<String>,

    /// Configuration file. [default: megaboard.toml, if it is there]
    #[arg(long, value_name = "FILE", env = "MEGABOARD_CONFIG")]
    config: Option<PathBuf>,

    /// Simulate a live stream, in a store in memory: a stage with a million members and a few rooms.
    #[arg(long, env = "MEGABOARD_DEMO", value_parser = BoolishValueParser::new())]
    demo: bool,

    /// Secret that signs stream tokens, at least 32 bytes. Servers with the same secret accept each other's tokens.
    /// Prefer the environment: `ps` shows the command line to others. [default: a new random secret at each start]
    #[arg(
        long,
        value_name = "TEXT",
        env = "MEGABOARD_TOKEN_SECRET",
        hide_env_values = true
    )]
    token_secret: Option<TokenSecret>,

    /// Audit log: the file that records who changed kinds and boards, and who removed, hid or erased members.
    /// Operations with keys that do not have the scope admin are recorded in FILE.writers.
    /// [default: audit.log in the folder of an embedded store]
    #[arg(long, value_name = "FILE", env = "MEGABOARD_AUDIT_LOG")]
    audit_log: Option<PathBuf>,

    /// Allow a server without API keys to listen on addresses other than loopback. Everyone who can reach it then has
    /// full access.
    #[arg(long, env = "MEGABOARD_OPEN", value_parser = BoolishValueParser::new())]
    open: bool,

    /// Memory that the server may use, such as 2GiB, or none for no limit. At the limit, contributions that need more
    /// memory are rejected. [default: three quarters of the memory of its control group or the machine]
    #[arg(long, value_name = "BYTES", env = "MEGABOARD_MEMORY_LIMIT")]
    memory_limit: Option<MemoryLimit>,

    /// How long the server goes on serving after SIGTERM, while /readyz is 503 and each response closes its connection,
    /// so that proxies and clients go elsewhere without losing a request. Up to 5m; 0s: not at all. A second signal,
    /// and Ctrl-C (SIGINT), end it at once. [default: 5s]
    #[arg(long, value_name = "TIME", env = "MEGABOARD_DRAIN", value_parser = drain)]
    drain: Option<Duration>,

    /// Format of the log lines, which go to standard error. [default: text]
    #[arg(long, value_enum, value_name = "FORMAT", env = "MEGABOARD_LOG_FORMAT")]
    log_format: Option<LogFormat>,
}

fn drain(text: &str) -> Result<Duration, String> {
    parsed_within(text, &DRAINS).map_err(|why| format!("it {why}"))
}

impl ServeArgs {
    fn log_format(&self, config: &Config) -> LogFormat {
        self.log_format
            .or(config.server.log_format)
            .unwrap_or_default()
    }
}

/// Runs the server.
pub(crate) fn run(args: &ServeArgs) -> Result<ExitCode, Box<dyn Error>> {
    let read = Mark::of(args.config.as_deref());
    let config = Config::read(args.config.as_deref())?;
    let filter = logs::of_environment()?;
    let traces = config.tracing.settings();
    let traces = traces.map(|settings| Traces::begin(&settings));
    let traces = traces.transpose()?;
    logs::begin(
        args.log_format(&config),
        filter,
        traces.as_ref().map(Traces::layer),
    );
    open_files::raise_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let chosen_by = traces.as_ref().map(Traces::tracer);
    let served = runtime.block_on(serve(args, &config, read, chosen_by));
    if let Some(traces) = traces {
        traces.end();
    }
    served?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(
    args: &ServeArgs,
    config: &Config,
    read: Option<Mark>,
    tracer: Option<Arc<dyn Tracer>>,
) -> Result<(), Box<dyn Error>> {
    if args.demo && args.store.is_some() {
        return Err("--demo keeps its boards in memory and cannot be combined with --store".into());
    }
    let kinds = if args.demo {
        vec![ConfiguredKind::new(
            demo::KIND,
            toml::from_str(demo::SETTINGS).expect("these are settings of a kind"),
            &PublishTargets::default(),
        )?]
    } else {
        config.kinds()?
    };
    let published = config.publish_settings()?;
    let access = Access::new(&config.access_settings(args.token_secret.as_ref()));
    let access = access.map_err(|error| match (error, &args.token_secret) {
        (error @ AccessError::TokenSecret, Some(_)) => {
            format!("{error}; --token-secret or MEGABOARD_TOKEN_SECRET sets it")
        }
        (error, _) => error.to_string(),
    })?;
    let listen = Listen::chosen(args.listen.as_deref(), config.server.listen.as_deref())?;
    // Checked first, since opening a store may take long.
    if let Ok(address) = listen.address().parse::<SocketAddr>() {
        config.server.check_open(address.ip(), args.open)?;
    }
    let store = args.store.as_ref().or(config.server.store.as_ref());
    let store: StoreUrl = match store {
        _ if args.demo => StoreUrl::Memory,
        Some(text) => text.parse()?,
        None => StoreUrl::default(),
    };
    let url = store;
    let limit = args.memory_limit.or(config.server.memory_limit);
    let memory = Arc::new(limit.unwrap_or_default().memory());
    let budget = config.server.memory_budget(memory.limit_bytes());
    limit_replies(budget.redis_replies);
    let settings = config.store_settings(memory.clone(), &budget);
    let store = url.open(&settings).await?;
    // Not before: memory that is used temporarily at the start cannot be released by boards.
    memory::watch(&memory)?;
    let served = async {
        let audit = audit_log(args, config, &url)?;
        let serving = Serving {
            listen,
            store_url: &url,
            access,
            audit,
            read,
            tracer,
            memory,
            budget,
        };
        serve_from(&store, kinds, published, serving, args, config).await
    };
    let served = served.await;
    // Also if serving failed: a store that is not closed counts as killed.
    store.close().await?;
    served?;
    tracing::info!("stopped");
    Ok(())
}

/// The listener, the access settings and the audit log.
struct Serving<'a> {
    listen: Listen<'a>,
    store_url: &'a StoreUrl,
    access: Access,
    audit: AuditLog,
    /// The version of the configuration file that was read.
    read: Option<Mark>,
    tracer: Option<Arc<dyn Tracer>>,
    memory: Arc<Memory>,
    budget: MemoryBudget,
}

async fn serve_from(
    store: &Arc<dyn ShardStore>,
    kinds: Vec<ConfiguredKind>,
    publishing: publish::Settings,
    serving: Serving<'_>,
    args: &ServeArgs,
    config: &Config,
) -> Result<(), Box<dyn Error>> {
    let known_boards_max = config.server.known_boards_max;
    let known_boards_max = known_boards_max.map_or(KNOWN_BOARDS_MAX, NonZeroU64::get);
    let router = Router::open_with(store.clone(), known_boards_max).await?;
    let router = Arc::new(router);
    for kind in &kinds {
        seed(&router, kind, config).await?;
    }
    let clock: Clock = {
        let store = store.clone();
        Arc::new(move || store.time(now()))
    };
    let settings = Settings {
        clock: clock.clone(),
        renderer: Arc::new(wire::render),
        renderer_format: wire::RENDERER_FORMAT,
        cache_bytes_max: serving.budget.cached_boards as u64,
    };
    let merger = Arc::new(Merger::new(router.clone(), settings));
    // Signal handlers are installed before the address is printed.
    let stopping = catch_stop_signals()?;
    let mut limits = config.server.limits.server_limits();
    limits.drain = args.drain.or(config.server.drain).unwrap_or(limits.drain);
    let reload = Reload::catch(args.config.clone(), serving.read)?;

    let listener = serving.listen.bind().await?;
    let address = listener.local_addr()?;
    config.server.check_open(address.ip(), args.open)?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "listening on http://{address}")?;
    stdout.flush()?;
    if args.log_format(config) == LogFormat::Text {
        let greeting = Greeting {
            address,
            store: serving.store_url,
            is_demo: args.demo,
            keys: &config.server.keys,
            kind: first_kind(&kinds, &router.catalogue().kinds()),
        };
        // If standard error is closed, nobody reads it.
        let _ = writeln!(std::io::stderr(), "{greeting}");
    }

    let mut tasks = periodic(&router, &merger, &clock);
    if args.demo {
        tasks.spawn(demo::run(router.clone(), clock.clone()));
    }
    let targets = publishing.targets.clone();
    let publisher = Publisher::start(router.clone(), merger.clone(), clock.clone(), publishing);
    let budget = serving.budget.clone();
    serving.memory.add_weigher(move || budget.held_bytes());
    let app = App::new(router, merger, clock, serving.access, serving.budget)
        .with_audit_log(serving.audit)
        .with_publish_targets(targets)
        .with_tracer(serving.tracer)
        .with_metrics(|registry| publisher.register_metrics(registry));
    let app = Arc::new(app);
    tasks.spawn(reload.run(app.clone()));
    let served = api::serve(listener, app, limits, stopping).await;
    // They write nothing more.
    tasks.shutdown().await;
    publisher.stop().await;
    Ok(served?)
}

/// Opens the audit log: the configured file, or one in the folder of an embedded store.
fn audit_log(args: &ServeArgs, config: &Config, store: &StoreUrl) -> Result<AuditLog, String> {
    let limits = config.server.audit_limits();
    let path = args.audit_log.as_ref().or(config.server.audit_log.as_ref());
    match (path, store) {
        (Some(path), _) => {
            let opened = AuditLog::open(path, limits);
            opened.map_err(|error| format!("audit log {}: {error}", path.display()))
        }
        (None, StoreUrl::Embedded(folder)) => {
            Ok(AuditLog::in_store_folder(folder.join("audit.log"), limits))
        }
        (None, _) => Ok(AuditLog::default()),
    }
}

/// Adds a kind of the configuration to the store, unless the store has or had it. If the store's kind differs, it is
/// kept, and the difference is logged.
async fn seed(
    router: &Router,
    configured: &ConfiguredKind,
    config: &Config,
) -> Result<(), Box<dyn Error>> {
    let capabilities = router.store().capabilities();
    let shards = capabilities.default_shards(configured.has_dense_ranks());
    let kind = configured.with_default(shards)?;
    let name = kind.name().clone();
    let seeded = router.catalogue().seed(kind).await;
    let seeded = seeded.map_err(|error| match error {
        CatalogueError::Unsupported(error) => config.unsupported(configured, &error).into(),
        error => Box::<dyn Error>::from(error),
    })?;
    let Some(held) = seeded else {
        return Ok(());
    };
    match &held.kind {
        None => {
            tracing::warn!(kind = %name, "the configured kind was deleted before and is not created again");
        }
        Some(kind) if configured.differs_from(kind)? => {
            tracing::warn!(kind = %name, "the kind in the store differs from the configuration and is used");
        }
        Some(_) => {}
    }
    Ok(())
}

fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

/// Installs handlers of the signals to stop. SIGTERM drains connections first; SIGINT does not, since a person waits
/// for it. Each further signal goes on to the next step.
fn catch_stop_signals() -> std::io::Result<watch::Receiver<Stopping>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let (sender, stopping) = watch::channel(Stopping::No);
    tokio::spawn(async move {
        loop {
            let least = tokio::select! {
                _ = terminate.recv() => Stopping::Drain,
                _ = interrupt.recv() => Stopping::Finish,
            };
            sender.send_modify(|stopping| *stopping = stopping.next().max(least));
        }
    });
    Ok(stopping)
}

/// Starts what is done again and again while the server runs.
fn periodic(router: &Arc<Router>, merger: &Arc<Merger>, clock: &Clock) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    tasks.spawn(every(REFRESH_INTERVAL, {
        let (router, merger) = (router.clone(), merger.clone());
        async move || {
            // Another server may have changed them.
            if let Err(error) = router.catalogue().refresh().await {
                tracing::warn!(%error, "the kinds could not be refreshed");
            }
            merger.free_evicted();
        }
    }));
    tasks.spawn(every(SWEEP_INTERVAL, {
        let (router, clock) = (router.clone(), clock.clone());
        async move || {
            if let Err(error) = router.store().drop_expired(clock()).await {
                tracing::warn!(%error, "expired windows and boards could not be removed");
            }
        }
    }));
    tasks.spawn(every(LIFETIMES_INTERVAL, {
        let (mut lifetimes, clock) = (Lifetimes::new(router.clone()), clock.clone());
        async move || {
            // Removes members that have not contributed for the `score_ttl` of their kind.
            if let Err(error) = lifetimes.sweep(&Moment::of(&clock)).await {
                tracing::warn!(%error, "members whose time is over could not be removed");
            }
        }
    }));
    tasks
}

/// Does this again and again, forever.
async fn every(pause: Duration, mut work: impl AsyncFnMut()) {
    let mut ticks = interval(pause);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        work().await;
    }
}
