//! `POST /v1/boards/{kind}/{subject}/lookup`: many members at once, in the order asked.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use board::{Member, Rules};
use merger::{Found, RankedEntry};
use serde::Deserialize;
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::app::App;
use crate::body;
use crate::params::Params;
use crate::problem::Problem;
use crate::target::{BoardPath, read_window};
use crate::wire::{Answer, Entries, EntryShape, Envelope, put_entry};

/// Members of one lookup.
const MEMBERS_MAX: usize = 1000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with members")]
struct LookupShape {
    members: Vec<String>,
}

/// An entry, its `rank` null off the list of a kind that ranks only its best; or a member with `rank` null.
struct FoundShape<'a> {
    rules: &'a Rules,
    member: &'a Member,
    found: &'a Found<RankedEntry>,
}

impl Serialize for FoundShape<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.found {
            Found::Ranked(ranked) => EntryShape {
                rules: self.rules,
                ranked,
            }
            .put_into(&mut map)?,
            Found::Unlisted(entry) => put_entry(&mut map, self.rules, None, entry)?,
            Found::NotRanked => {
                map.serialize_entry("rank", &None::<u64>)?;
                map.serialize_entry("member", self.member.as_str())?;
            }
        }
        map.end()
    }
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    path: BoardPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, Problem> {
    let window = read_window(&app, path.kind(), Params::of(query.as_deref()))?;
    let shape: LookupShape = body::json(&app, &headers, request).await?;
    if shape.members.len() > MEMBERS_MAX {
        let count = shape.members.len();
        return Err(Problem::invalid(format!(
            "members: names {count}, more than {MEMBERS_MAX}"
        )));
    }
    let member = |(index, text): (usize, &String)| {
        let invalid = |e: board::IdentError| Problem::invalid(format!("members[{index}]: {e}"));
        Member::new(text).map_err(invalid)
    };
    let members = shape
        .members
        .iter()
        .enumerate()
        .map(member)
        .collect::<Result<Vec<_>, _>>()?;
    let (board, kind) = (&path.board, path.kind());
    let answer = app
        .merger
        .lookup(board, kind, window.window, &members)
        .await?;
    let envelope = Envelope::new(board, &window, &answer);
    let found = members.iter().zip(&answer.value);
    let found = found.map(|(member, found)| FoundShape {
        rules: kind.rules(),
        member,
        found,
    });
    Ok(Answer {
        envelope,
        body: Entries {
            entries: found.collect(),
        },
    }
    .into_response())
}
