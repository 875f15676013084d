//! `/v1/members/{member}/hidden`, `/v1/hidden`: the hidden members of kinds.

use std::sync::Arc;

use access::Caller;
use access::audit::AuditEntry;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse as _, Response};
use board::{Hidden, KindName, Member, TooManyHidden};
use http_server::AddressResponses;
use http_server::query_params::Params;
use serde::Serialize;
use shard_router::{CatalogueError, KnownKind};
use shard_store::KindRecord;
use wire::ESCAPED_BYTES_MAX;
use wire::problem::Problem;

use crate::app::App;
#[cfg(test)]
use crate::openapi::params::{OfAnybody, OfHidden, OfKinds};
#[cfg(test)]
use crate::openapi::problems::{OfHiding, OfKind};
use crate::target::MemberPath;
use http_server::validators::json;

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

/// Returns the member, and the kind that `?kind=` names, or all kinds that the caller may change.
pub(super) async fn selection(
    app: &App,
    caller: &Caller,
    member: Member,
    params: &mut Params<'_>,
) -> Result<Selection, Problem> {
    // Another server may have created kinds just now.
    app.router.catalogue().refresh().await?;
    let named = params.text("kind")?;
    let one = named.is_some();
    let kinds = if let Some(kind) = named {
        caller.check_kind(&kind)?;
        vec![app.kind(&kind).await?]
    } else {
        let kinds = app.router.catalogue().kinds().into_iter();
        let kinds = kinds.filter(|kind| caller.is_for(kind.name().as_str()));
        let known = |name: &KindName| app.router.catalogue().known(name.as_str());
        kinds.filter_map(|kind| known(kind.name())).collect()
    };
    Ok(Selection { member, kinds, one })
}

/// List the kinds in which a member is hidden
///
/// Considers the requested kinds.
#[cfg_attr(test, utoipa::path(
    get,
    path = "/v1/members/{member}/hidden",
    operation_id = "hidden_in",
    tag = "Members",
    params(OfAnybody, OfKinds),
    responses(
        (
            status = 200,
            description = "The kinds in which it is hidden.",
            body = HiddenInShape<'static>,
            example = json!({"member": "u1", "hidden_in": ["gifts", "races"]}),
        ),
        OfKind,
    ),
))]
pub(crate) async fn is_hidden(
    State(app): State<Arc<App>>,
    caller: Caller,
    MemberPath(member): MemberPath,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    hidden_in(&app, &caller, member, query.as_deref(), None).await
}

/// Hide a member on all boards
///
/// Ranks have no gap. Its contributions are still counted.
#[cfg_attr(test, utoipa::path(
    put,
    path = "/v1/members/{member}/hidden",
    operation_id = "hide",
    tag = "Members",
    params(OfAnybody, OfKinds),
    responses(
        (
            status = 200,
            description = "The kinds in which it is hidden now.",
            body = HiddenInShape<'static>,
            example = json!({"member": "u1", "hidden_in": ["gifts", "races"]}),
        ),
        OfHiding,
    ),
))]
pub(crate) async fn hide(
    State(app): State<Arc<App>>,
    caller: Caller,
    entry: AuditEntry,
    answers: AddressResponses,
    MemberPath(member): MemberPath,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let change = Some((Change::Hide, entry, answers));
    hidden_in(&app, &caller, member, query.as_deref(), change).await
}

/// Show a hidden member again
///
/// It has the standing that it would have had.
#[cfg_attr(test, utoipa::path(
    delete,
    path = "/v1/members/{member}/hidden",
    operation_id = "show",
    tag = "Members",
    params(OfAnybody, OfKinds),
    responses(
        (
            status = 200,
            description = "The kinds in which it is still hidden.",
            body = HiddenInShape<'static>,
            example = json!({"member": "u1", "hidden_in": []}),
        ),
        OfHiding,
    ),
))]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    caller: Caller,
    entry: AuditEntry,
    answers: AddressResponses,
    MemberPath(member): MemberPath,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let change = Some((Change::Show, entry, answers));
    hidden_in(&app, &caller, member, query.as_deref(), change).await
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
async fn hidden_in(
    app: &App,
    caller: &Caller,
    member: Member,
    query: Option<&str>,
    change: Option<(Change, AuditEntry, AddressResponses)>,
) -> Result<Response, Problem> {
    let mut params = Params::of(query)?;
    let selection = selection(app, caller, member, &mut params).await?;
    params.finish()?;
    let (change, reservation) = match change {
        None => (None, None),
        Some((change, entry, answers)) => {
            // Reserved first: after a change the response cannot be refused.
            let mut reservation = answers.reservation();
            reservation.resize(bytes_max(&selection))?;
            entry.begin(app.now()).await?;
            (Some(change), Some(reservation))
        }
    };
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
    Ok(match reservation {
        None => response,
        Some(reservation) => reservation.answer(response),
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

/// List the members that a kind hides
///
/// There are at most 1,000.
#[cfg_attr(test, utoipa::path(
    get,
    path = "/v1/hidden",
    operation_id = "hidden",
    tag = "Members",
    params(OfHidden),
    responses(
        (
            status = 200,
            description = "The members, by name.",
            body = HiddenShape<'static>,
            example = json!({"kind": "gifts", "hidden": ["u1"]}),
        ),
        OfKind,
    ),
))]
pub(crate) async fn hidden(
    State(app): State<Arc<App>>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let mut params = Params::of(query.as_deref())?;
    let kind = params.text("kind")?;
    params.finish()?;
    let kind = kind.ok_or_else(|| Problem::invalid("kind: is missing"))?;
    caller.check_kind(&kind)?;
    app.router.catalogue().refresh().await?;
    let kind = app.kind(&kind).await?.kind;
    let mut hidden: Vec<&str> = kind.hidden().iter().map(Member::as_str).collect();
    hidden.sort_unstable();
    let kind = kind.name().as_str();
    Ok(json(&HiddenShape { kind, hidden }))
}
