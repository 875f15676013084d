//! `?return=standings` and `?return=ranks`: what contributions have made of their members.

use std::sync::Arc;

use board::{BoardName, Kind, Member, Rules, Standing, Window};
use serde::Serialize;
use serde_json::{Map, Value as Json};
use shard_router::WriteOutcome;
use tokio::task::yield_now;
use wire::{ESCAPED_BYTES_MAX, FieldsShape};

use crate::app::App;

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
    /// The one window that it goes to, if it names one.
    pub(super) only: Option<Window>,
}

/// How many bytes the standings after a contribution may come to.
pub(super) fn bytes_max(asked: &Asked) -> usize {
    let (board, member) = (&asked.board, asked.member.as_str());
    let names = board.kind().as_str().len() + board.subject().as_str().len() + member.len();
    let windows = match asked.only {
        Some(_) => 1,
        None => asked.kind.windows().len(),
    };
    WRITTEN_BYTES + ESCAPED_BYTES_MAX * names + WINDOW_BYTES * windows
}

/// The standings after a contribution; of one that was not taken there are none.
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
            // As of one who is not ranked.
            shape.insert("rank".to_owned(), Json::Null);
            shape.insert("position".to_owned(), Json::Null);
        } else if ranks {
            let key = rules.rank_key(rules.rank_words_of(&held.standing), asked.member.clone());
            let place = app
                .merger
                .position_of(&asked.board, kind, held.window, &key)
                .await;
            // What was applied is reported even where its rank cannot be read.
            if let Ok(place) = place {
                let (rank, position) = place.value.map(|p| (p.rank, p.position)).unzip();
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
    let fields = FieldsShape {
        rules,
        values: rules.values(standing),
    };
    if let Ok(Json::Object(fields)) = serde_json::to_value(fields.as_members()) {
        shape.extend(fields);
    }
    shape.insert(
        "reached_at".to_owned(),
        rules.reached_at(standing).to_string().into(),
    );
}
