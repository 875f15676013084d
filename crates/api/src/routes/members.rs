//! `/v1/members/{member}`, `/v1/hidden`: one member on every board at once.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::Response;
use board::{BoardName, Hidden, KindName, Member, Subject, TooManyHidden};
use serde::Serialize;
use shard_router::{KnownKind, Reason, Written};
use shard_store::Refused;
use tokio::time::{Duration, Instant};
use utoipa::ToSchema;

use crate::access::Caller;
use crate::app::App;
use crate::audit::Told;
use crate::openapi::params::{OfAnybody, OfErasure, OfHidden, OfKinds};
use crate::openapi::problems::{OfHiding, OfKind};
use crate::params::Params;
use crate::problem::Problem;
use crate::target::MemberPath;
use crate::wire;

/// Boards that a member is erased from at once.
const PAGE_BOARDS: usize = 256;

/// After which an answer says where to go on: proxies give up on longer ones.
const ERASE_FOR: Duration = Duration::from_secs(10);

/// In which kinds a member is hidden.
#[derive(Serialize, ToSchema)]
#[schema(as = HiddenIn)]
struct HiddenInShape<'a> {
    member: &'a str,
    /// Of the kinds that were asked about.
    hidden_in: Vec<&'a str>,
}

/// Whom a kind hides.
#[derive(Serialize, ToSchema)]
#[schema(as = Hidden)]
struct HiddenShape<'a> {
    kind: &'a str,
    hidden: Vec<&'a str>,
}

/// How far a member is erased.
#[derive(Default, Serialize, ToSchema)]
#[schema(as = Erased)]
struct ErasedShape {
    /// Boards that were looked at.
    boards: u64,
    /// Those of them that it stood on.
    erased: u64,
    /// The board to go on `after`; null at the end.
    #[schema(required)]
    next: Option<String>,
}

/// A member, and the kinds that are meant.
struct Meant {
    member: Member,
    kinds: Vec<KnownKind>,
}

/// The member of the path, and the kind that `?kind=` names, or all that the caller may touch.
async fn meant(
    app: &App,
    caller: &Caller,
    member: Member,
    params: &mut Params<'_>,
) -> Result<Meant, Problem> {
    // Another server may have made kinds just now.
    app.router.catalogue().refresh().await?;
    let kinds = if let Some(kind) = params.text("kind")? {
        caller.check_kind(&kind)?;
        vec![app.kind(&kind).await?]
    } else {
        let kinds = app.router.catalogue().kinds().into_iter();
        let kinds = kinds.filter(|kind| caller.is_for(kind.name().as_str()));
        let known = |name: &KindName| app.router.catalogue().known(name.as_str());
        kinds.filter_map(|kind| known(kind.name())).collect()
    };
    Ok(Meant { member, kinds })
}

/// In which kinds a member is hidden
///
/// Of the kinds that are asked about.
#[utoipa::path(
    get,
    path = "/v1/members/{member}/hidden",
    operation_id = "hidden_in",
    tag = "Members",
    params(OfAnybody, OfKinds),
    responses(
        (
            status = 200,
            description = "Where it is hidden.",
            body = HiddenInShape<'static>,
            example = json!({"member": "u1", "hidden_in": ["gifts", "races"]}),
        ),
        OfKind,
    ),
)]
pub(crate) async fn is_hidden(
    State(app): State<Arc<App>>,
    caller: Caller,
    MemberPath(member): MemberPath,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    hidden_in(&app, &caller, member, query.as_deref(), None).await
}

/// Leaves a member out of every board
///
/// Ranks close up. What is contributed to it counts on.
#[utoipa::path(
    put,
    path = "/v1/members/{member}/hidden",
    operation_id = "hide",
    tag = "Members",
    params(OfAnybody, OfKinds),
    responses(
        (
            status = 200,
            description = "Where it is hidden now.",
            body = HiddenInShape<'static>,
            example = json!({"member": "u1", "hidden_in": ["gifts", "races"]}),
        ),
        OfHiding,
    ),
)]
pub(crate) async fn hide(
    State(app): State<Arc<App>>,
    caller: Caller,
    MemberPath(member): MemberPath,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    hidden_in(&app, &caller, member, query.as_deref(), Some(Hidden::with)).await
}

/// Shows a hidden member again
///
/// It stands where it would have stood.
#[utoipa::path(
    delete,
    path = "/v1/members/{member}/hidden",
    operation_id = "show",
    tag = "Members",
    params(OfAnybody, OfKinds),
    responses(
        (
            status = 200,
            description = "Where it is hidden still.",
            body = HiddenInShape<'static>,
            example = json!({"member": "u1", "hidden_in": []}),
        ),
        OfHiding,
    ),
)]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    caller: Caller,
    MemberPath(member): MemberPath,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    hidden_in(&app, &caller, member, query.as_deref(), Some(SHOWN)).await
}

/// What becomes of whom a kind hides.
type Change = fn(&Hidden, &Member) -> Result<Hidden, TooManyHidden>;

/// The member is hidden no longer.
const SHOWN: Change = |hidden, member| Ok(hidden.without(member));

/// Makes a change, if any, in the kinds that are meant, and tells in which the member is hidden then.
async fn hidden_in(
    app: &App,
    caller: &Caller,
    member: Member,
    query: Option<&str>,
    change: Option<Change>,
) -> Result<Response, Problem> {
    let mut params = Params::of(query);
    let meant = meant(app, caller, member, &mut params).await?;
    params.finish()?;
    if let Some(change) = change {
        for known in &meant.kinds {
            change_in(app, known.kind.name(), &meant.member, change).await?;
        }
    }
    Ok(told_of(app, &meant))
}

async fn change_in(
    app: &App,
    kind: &KindName,
    member: &Member,
    change: Change,
) -> Result<(), Problem> {
    let catalogue = app.router.catalogue();
    let changed = catalogue.hide(kind, |hidden| change(hidden, member));
    let changed = changed.await.map_err(Problem::from);
    changed
        .map_err(|problem| problem.at(kind.as_str()))
        .map(drop)
}

/// In which of the kinds that are meant the member is hidden now.
fn told_of(app: &App, meant: &Meant) -> Response {
    let known = |name: &KindName| app.router.catalogue().known(name.as_str());
    let names = meant.kinds.iter().map(|known| known.kind.name());
    let hidden = names.filter(|name| {
        known(name).is_some_and(|known| known.kind.hidden().contains(&meant.member))
    });
    wire::json(&HiddenInShape {
        member: meant.member.as_str(),
        hidden_in: hidden.map(KindName::as_str).collect(),
    })
}

/// Whom a kind hides
///
/// At most 1,000 members.
#[utoipa::path(
    get,
    path = "/v1/hidden",
    operation_id = "hidden",
    tag = "Members",
    params(OfHidden),
    responses(
        (
            status = 200,
            description = "Them, by name.",
            body = HiddenShape<'static>,
            example = json!({"kind": "gifts", "hidden": ["u1"]}),
        ),
        OfKind,
    ),
)]
pub(crate) async fn hidden(
    State(app): State<Arc<App>>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let mut params = Params::of(query.as_deref());
    let kind = params.text("kind")?;
    params.finish()?;
    let kind = kind.ok_or_else(|| Problem::invalid("kind: is missing"))?;
    caller.check_kind(&kind)?;
    app.router.catalogue().refresh().await?;
    let kind = app.kind(&kind).await?.kind;
    let mut hidden: Vec<&str> = kind.hidden().iter().map(Member::as_str).collect();
    hidden.sort_unstable();
    let kind = kind.name().as_str();
    Ok(wire::json(&HiddenShape { kind, hidden }))
}

/// Erases a member
///
/// Takes it off every board with all its windows, those that are over included. There is no way back. Ends after 10 s at the latest: go on `after` `next` until that is null.
#[utoipa::path(
    delete,
    path = "/v1/members/{member}",
    operation_id = "erase",
    tag = "Members",
    params(OfAnybody, OfKinds, OfErasure),
    responses(
        (
            status = 200,
            description = "How far it came.",
            body = ErasedShape,
            example = json!({"boards": 1200, "erased": 3, "next": null}),
        ),
        OfHiding,
    ),
)]
pub(crate) async fn erase(
    State(app): State<Arc<App>>,
    caller: Caller,
    MemberPath(member): MemberPath,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let until = Instant::now() + ERASE_FOR;
    let mut params = Params::of(query.as_deref());
    let meant = meant(&app, &caller, member, &mut params).await?;
    let after = params.text("after")?;
    params.finish()?;
    let after: Option<BoardName> = after
        .map(|text| text.parse())
        .transpose()
        .map_err(|error: board::IdentError| Problem::invalid(format!("after: {error}")))?;
    let mut erasing = Erasing {
        app: &app,
        member: &meant.member,
        until,
        shape: ErasedShape::default(),
    };
    let erased = erasing.all(&meant.kinds, after.as_ref()).await;
    let shape = erasing.shape;
    match erased {
        Ok(()) => {
            let mut response = wire::json(&shape);
            let told = serde_json::to_value(&shape).unwrap_or_default();
            response.extensions_mut().insert(Told(told));
            Ok(response)
        }
        // What was erased stays so: whoever comes again goes on there.
        Err(problem) => Err(problem.with(&shape)),
    }
}

/// One request's part of an erasure.
struct Erasing<'a> {
    app: &'a App,
    member: &'a Member,
    until: Instant,
    shape: ErasedShape,
}

impl Erasing<'_> {
    async fn all(&mut self, kinds: &[KnownKind], after: Option<&BoardName>) -> Result<(), Problem> {
        self.shape.next = after.map(BoardName::to_string);
        for known in kinds {
            let name = known.kind.name();
            let after = match after {
                Some(after) if after.kind() > name => continue,
                Some(after) if after.kind() == name => Some(after.subject().clone()),
                _ => None,
            };
            if !self.kind(known, after).await? {
                return Ok(());
            }
            // A name that is hidden is kept as well.
            change_in(self.app, name, self.member, SHOWN).await?;
        }
        self.shape.next = None;
        Ok(())
    }

    /// Whether all boards of the kind were done within the time.
    async fn kind(
        &mut self,
        known: &KnownKind,
        mut after: Option<Subject>,
    ) -> Result<bool, Problem> {
        let router = &self.app.router;
        loop {
            let name = known.kind.name();
            let page = router
                .store()
                .boards(name, after.as_ref(), PAGE_BOARDS)
                .await?;
            let is_last = page.len() < PAGE_BOARDS;
            let boards: Vec<_> = page
                .into_iter()
                .map(|record| Arc::new(record.name))
                .collect();
            let now = self.app.now();
            let written = router.erase(self.member, known, &boards, now).await;
            for (board, written) in boards.iter().zip(written) {
                match written {
                    Written::Applied(_) | Written::Duplicate(_) => self.shape.erased += 1,
                    Written::Refused(Reason::Shard(Refused::NotRanked(_))) => {}
                    Written::Refused(reason) => {
                        return Err(Problem::from(&reason).at(&board.to_string()));
                    }
                    Written::Failed(failure) => {
                        return Err(Problem::from(&failure).at(&board.to_string()));
                    }
                }
                self.shape.boards += 1;
                self.shape.next = Some(board.to_string());
                after = Some(board.subject().clone());
            }
            if is_last {
                return Ok(true);
            }
            if Instant::now() >= self.until {
                return Ok(false);
            }
        }
    }
}
