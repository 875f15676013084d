//! `/v1/members/{member}/hidden`, `/v1/hidden`: the hidden members of kinds.

use axum::response::IntoResponse as _;
use board::{Hidden, KindName, Member, TooManyHidden};
use http_server::validators::json;
use serde::Serialize;
use shard_router::{CatalogueError, KnownKind};
use shard_store::KindRecord;
use wire::ESCAPED_BYTES_MAX;
use wire::problem::Problem;

use crate::app::App;
use crate::call::{Call, HandlerResult};
#[cfg(test)]
use crate::openapi::prelude::*;
use crate::query::query;

/// Maximum bytes of a response beside the names in it, with a problem around it.
const HEAD_BYTES_MAX: usize = 2 << 10;

/// Bytes of a kind beside its name.
const QUOTES_BYTES: usize = 3;

/// In which kinds a member is hidden.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = HiddenIn))]
struct HiddenInShape<'a> {
    member: &'a str,
    /// Of the kinds that were asked about.
    hidden_in: Vec<&'a str>,
}

/// Whom a kind hides.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Hidden))]
struct HiddenShape<'a> {
    kind: &'a str,
    hidden: Vec<&'a str>,
}

/// A member, and the kinds that a request selects.
pub(super) struct Selection {
    pub(super) member: Member,
    /// By name.
    pub(super) kinds: Vec<KnownKind>,
    /// Whether the request names a kind.
    pub(super) one: bool,
}

impl Selection {
    /// Returns the member of the path, and the kind of this name, or all kinds that the caller may change.
    pub(super) async fn of(call: &Call, named: Option<&str>) -> Result<Self, Problem> {
        let (catalogue, member) = (call.app.router.catalogue(), call.member()?);
        // Another server may have created kinds just now.
        catalogue.refresh().await?;
        let one = named.is_some();
        let kinds = if let Some(kind) = named {
            call.caller.check_kind(kind)?;
            vec![call.app.kind(kind).await?]
        } else {
            let kinds = catalogue.kinds().into_iter();
            let kinds = kinds.filter(|kind| call.caller.is_for(kind.name().as_str()));
            kinds
                .filter_map(|kind| catalogue.known(kind.name().as_str()))
                .collect()
        };
        Ok(Self { member, kinds, one })
    }
}

query! {
    struct HiddenInParams {
        /// The kind's name. Defaults to all kinds of the key.
        #[param(nullable = false, pattern = "^[a-z][a-z0-9-]{0,62}$", example = "gifts")]
        kind: Option<String>,
    }
}

/// List the kinds in which a member is hidden
///
/// Considers the requested kinds.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/members/{member}/hidden", operation_id = "hidden_in", tag = "Members", params(HiddenInParams),
    responses((status = 200, body = HiddenInShape<'static>), problems::OfKind),
))]
pub(crate) async fn is_hidden(call: Box<Call>) -> HandlerResult {
    hidden_in(&call, None).await
}

/// Hide a member on all boards
///
/// Ranks have no gap. Its contributions are still counted.
#[cfg_attr(test, utoipa::path(
    put, path = "/v1/members/{member}/hidden", operation_id = "hide", tag = "Members", params(HiddenInParams),
    responses((status = 200, body = HiddenInShape<'static>), problems::OfHiding),
))]
pub(crate) async fn hide(call: Box<Call>) -> HandlerResult {
    hidden_in(&call, Some(Change::Hide)).await
}

/// Show a hidden member again
///
/// It has the standing that it would have had.
#[cfg_attr(test, utoipa::path(
    delete, path = "/v1/members/{member}/hidden", operation_id = "show", tag = "Members", params(HiddenInParams),
    responses((status = 200, body = HiddenInShape<'static>), problems::OfHiding),
))]
pub(crate) async fn show(call: Box<Call>) -> HandlerResult {
    hidden_in(&call, Some(Change::Show)).await
}

/// A change of the hidden members of a kind.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    /// Hides the member.
    Hide,
    /// Shows it again.
    Show,
}

impl Change {
    fn of(self, hidden: &Hidden, member: &Member) -> Result<Hidden, TooManyHidden> {
        match self {
            Self::Hide => hidden.with(member),
            Self::Show => Ok(hidden.without(member)),
        }
    }
}

/// Makes a change, if any, in the selected kinds, and reports in which of them the member is hidden then. If it fails
/// in one kind, it is made in the others nevertheless.
async fn hidden_in(call: &Call, change: Option<Change>) -> HandlerResult {
    let params: HiddenInParams = call.params()?;
    let selection = Selection::of(call, params.kind.as_deref()).await?;
    let app = &*call.app;
    let mut reservation = call.responses.reservation();
    if change.is_some() {
        // Reserved first: after a change the response cannot be refused.
        reservation.resize(bytes_max(&selection))?;
        call.begin_change().await?;
    }
    let mut problem = None;
    let mut hidden_in = Vec::new();
    let mut written = Vec::new();
    let is_away = |problem: &Problem| problem.kind.is_of_store();
    for known in &selection.kinds {
        let mut is_hidden = known.kind.hidden().contains(&selection.member);
        // If the store is unavailable for one kind, it is for all, and each would take a timeout.
        let change = change.filter(|_| !problem.as_ref().is_some_and(is_away));
        if let Some(change) = change {
            match change_in(app, &selection, known.kind.name(), change, &mut written).await {
                Ok(is) => is_hidden = is,
                Err(new) => problem = problem.or(Some(new)),
            }
        }
        if is_hidden {
            hidden_in.push(known.kind.name().as_str());
        }
    }
    let is_changed = !written.is_empty();
    app.router.catalogue().add_written(written).await;
    if is_changed {
        app.shown_members.send_replace(());
    }
    let shape = HiddenInShape {
        member: selection.member.as_str(),
        hidden_in,
    };
    let response = match problem {
        None => json(&shape),
        Some(problem) => problem.with(&shape).into_response(),
    };
    Ok(match change {
        None => response,
        Some(_) => reservation.answer(response),
    })
}

/// Returns the maximum bytes of a response that names all selected kinds.
fn bytes_max(selection: &Selection) -> usize {
    let names = selection
        .kinds
        .iter()
        .map(|known| known.kind.name().as_str());
    let names: usize = names.map(|name| name.len() + QUOTES_BYTES).sum();
    HEAD_BYTES_MAX + ESCAPED_BYTES_MAX * selection.member.as_str().len() + names
}

/// Makes a change in one kind, and returns whether the kind hides the member then. The caller adds the `written`
/// records to the catalogue.
pub(super) async fn change_in(
    app: &App,
    selection: &Selection,
    kind: &KindName,
    change: Change,
    written: &mut Vec<KindRecord>,
) -> Result<bool, Problem> {
    let catalogue = app.router.catalogue();
    let changed = catalogue.hide(kind, |hidden| change.of(hidden, &selection.member));
    match changed.await {
        Ok(record) => {
            written.extend(record);
            Ok(matches!(change, Change::Hide))
        }
        // Deleted in the meantime: no longer one of all kinds.
        Err(CatalogueError::Unknown(_)) if !selection.one => Ok(false),
        Err(error) => Err(Problem::from(error).at(kind.as_str())),
    }
}

query! {
    struct HiddenParams {
        /// The kind's name.
        #[param(pattern = "^[a-z][a-z0-9-]{0,62}$", example = "gifts")]
        kind: String,
    }
}

/// List the members that a kind hides
///
/// There are at most 1,000.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/hidden", operation_id = "hidden", tag = "Members", params(HiddenParams),
    responses((status = 200, body = HiddenShape<'static>), problems::OfKind),
))]
pub(crate) async fn hidden(call: Box<Call>) -> HandlerResult {
    let HiddenParams { kind } = call.params()?;
    call.caller.check_kind(&kind)?;
    call.app.router.catalogue().refresh().await?;
    let kind = call.app.kind(&kind).await?.kind;
    let mut hidden: Vec<&str> = kind.hidden().iter().map(Member::as_str).collect();
    hidden.sort_unstable();
    let kind = kind.name().as_str();
    Ok(json(&HiddenShape { kind, hidden }))
}
