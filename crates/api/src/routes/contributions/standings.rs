//! `?return=standings` and `?return=ranks`: what contributions have made of their members.

use board::{Rules, Standing};
use serde::Serialize;
use serde_json::{Map, Value as Json};
use shard_router::{Write, Written};
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
pub(crate) struct WrittenShape {
    /// Its place in the request, from 0.
    index: usize,
    board: String,
    member: String,
    #[cfg_attr(test, schema(value_type = Vec<wire::StandingWritten>))]
    windows: Vec<Map<String, Json>>,
}

/// How many bytes the standings after a write may come to.
pub(super) fn bytes_max(write: &Write) -> usize {
    let (board, member) = (&write.board, write.member.as_str());
    let names = board.kind().as_str().len() + board.subject().as_str().len() + member.len();
    let windows = match write.only {
        Some(_) => 1,
        None => write.kind.kind.windows().len(),
    };
    WRITTEN_BYTES + ESCAPED_BYTES_MAX * names + WINDOW_BYTES * windows
}

/// The standings after a write; of one that was not taken there are none.
pub(super) async fn of(
    app: &App,
    index: usize,
    write: &Write,
    written: &Written,
    ranks: bool,
) -> Option<WrittenShape> {
    let (Written::Applied(standings) | Written::Duplicate(standings)) = written else {
        return None;
    };
    let kind = &write.kind.kind;
    let rules = kind.rules();
    let mut windows = Vec::with_capacity(standings.len());
    for held in standings {
        let mut shape = Map::new();
        shape.insert(
            "window".to_owned(),
            kind.calendar().name(held.window).into(),
        );
        put_fields(&mut shape, rules, &held.standing);
        if ranks && kind.hidden().contains(&write.member) {
            // As of one who is not ranked.
            shape.insert("rank".to_owned(), Json::Null);
            shape.insert("position".to_owned(), Json::Null);
        } else if ranks {
            let key = rules.rank_key(rules.rank_words_of(&held.standing), write.member.clone());
            let place = app
                .merger
                .place_of(&write.board, kind, held.window, &key)
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
    Some(WrittenShape {
        index,
        board: write.board.to_string(),
        member: write.member.to_string(),
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
