//! `?return=standings` and `?return=ranks`: the standings of members after contributions.

use std::sync::Arc;

use board::{BoardName, Kind, Member, Rules, Standing, Window};
use serde::Serialize;
use serde_json::{Map, Value as Json};
use shard_router::WriteOutcome;
use tokio::task::yield_now;
use wire::{ESCAPED_BYTES_MAX, is_points};

use crate::app::App;

/// What `?return=` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Return {
    Nothing,
    Standings,
    Ranks,
}

/// Bytes of a standing in one window, in memory as well as in JSON, rounded up.
const WINDOW_BYTES: usize = 1 << 10;

/// Bytes of a contribution in JSON, beside its names and windows, rounded up.
const WRITTEN_BYTES: usize = 128;

/// One contribution on one board: its member's standing in each window after it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Written))]
pub(crate) struct MemberStandingsShape {
    /// Its place in the request, from 0.
    index: usize,
    board: String,
    member: String,
    #[cfg_attr(test, schema(value_type = Vec<wire::StandingWritten>))]
    windows: Vec<Map<String, Json>>,
}

/// A contribution to one board whose standings are asked for.
pub(super) struct Asked {
    pub(super) board: Arc<BoardName>,
    pub(super) kind: Arc<Kind>,
    pub(super) member: Member,
    /// The only window that it counts in, if it names one.
    pub(super) only: Option<Window>,
}

/// Returns the maximum bytes of the standings after a contribution.
pub(super) fn bytes_max(asked: &Asked) -> usize {
    let (board, member) = (&asked.board, asked.member.as_str());
    let names = board.kind().as_str().len() + board.subject().as_str().len() + member.len();
    let windows = match asked.only {
        Some(_) => 1,
        None => asked.kind.windows().len(),
    };
    WRITTEN_BYTES + ESCAPED_BYTES_MAX * names + WINDOW_BYTES * windows
}

/// Returns the standings after a contribution; `None` if it was not applied.
pub(super) async fn of(
    app: &App,
    index: usize,
    asked: &Asked,
    written: &WriteOutcome,
    ranks: bool,
) -> Option<MemberStandingsShape> {
    let (WriteOutcome::Applied(standings) | WriteOutcome::Duplicate(standings)) = written else {
        return None;
    };
    let kind = &asked.kind;
    let rules = kind.rules();
    let mut windows = Vec::with_capacity(standings.len());
    for held in standings {
        let mut shape = Map::new();
        shape.insert(
            "window".to_owned(),
            kind.calendar().name(held.window).into(),
        );
        put_fields(&mut shape, rules, &held.standing);
        if ranks && kind.hidden().contains(&asked.member) {
            // As for a member that is not ranked.
            shape.insert("rank".to_owned(), Json::Null);
            shape.insert("position".to_owned(), Json::Null);
        } else if ranks {
            let key = rules.rank_key(rules.rank_words_of(&held.standing), asked.member.clone());
            let read = app
                .merger
                .position_of(&asked.board, kind, held.window, &key)
                .await;
            // The standing is reported even if its rank cannot be read.
            if let Ok(read) = read {
                let (rank, position) = read.value.map(|p| (p.rank, p.position)).unzip();
                shape.insert("rank".to_owned(), rank.into());
                shape.insert("position".to_owned(), position.into());
            }
            yield_now().await;
        }
        windows.push(shape);
    }
    Some(MemberStandingsShape {
        index,
        board: asked.board.to_string(),
        member: asked.member.to_string(),
        windows,
    })
}

fn put_fields(shape: &mut Map<String, Json>, rules: &Rules, standing: &Standing) {
    let values = rules.values(standing);
    let names = rules.fields().iter().map(|field| field.name.to_string());
    let value = |index| values.get(index).map(board::Value::get).into();
    let fields: Map<String, Json> = names.zip((0..).map(value)).collect();
    if is_points(rules) {
        shape.extend(fields);
    } else {
        shape.insert("values".to_owned(), fields.into());
    }
    shape.insert(
        "reached_at".to_owned(),
        rules.reached_at(standing).to_string().into(),
    );
}
