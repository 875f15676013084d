//! `DELETE /v1/members/{member}`: removes a member from every board, in several requests if it takes long.

use std::str::FromStr;
use std::sync::Arc;

use board::{BoardName, IdentError, KindName, Subject};
use pacing::spend;
use serde::Serialize;
use shard_router::KnownKind;
use shard_store::{KindRecord, ProfileChange, StoreError};
use tokio::time::Instant;
use wire::problem::Problem;

use super::members::{Change, Selection, change_in};
use crate::app::App;
use crate::call::{Call, HandlerResult};
#[cfg(test)]
use crate::openapi::prelude::*;
use crate::progress::{self, REQUEST_FOR};
use crate::query::query;

/// Boards that a member is removed from concurrently.
const PAGE_BOARDS: usize = 256;

/// The work of removing it from one, in entries that are read.
const BOARD_WORK: usize = 4;

/// How far a member is erased.
#[derive(Default, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Erased))]
struct ErasedShape {
    /// Boards that were looked at.
    boards: u64,
    /// Those of them that it stood on.
    erased: u64,
    /// Where to go on, as `after` takes it; null at the end.
    #[cfg_attr(test, schema(required))]
    next: Option<String>,
}

query! {
    struct EraseParams {
        /// The kind's name. Defaults to all kinds of the key.
        #[param(nullable = false, pattern = "^[a-z][a-z0-9-]{0,62}$", example = "gifts")]
        kind: Option<String>,
        /// The board after which to continue, or `kind/` for the first board of a kind: `next` of the previous
        /// response.
        #[param(nullable = false)]
        after: Option<String>,
    }
}

/// Erase a member
///
/// Removes it from all windows of all boards, including ended ones, permanently, and its profiles. A request takes at
/// most 10 s: repeat it with `next` of the response as `after` until `next` is null.
#[cfg_attr(test, utoipa::path(
    delete, path = "/v1/members/{member}", operation_id = "erase", tag = "Members", params(EraseParams),
    responses((status = 200, body = ErasedShape), problems::OfHiding),
))]
pub(crate) async fn erase(call: Box<Call>) -> HandlerResult {
    let until = Instant::now() + REQUEST_FOR;
    let params: EraseParams = call.params()?;
    let selection = Selection::of(&call, params.kind.as_deref()).await?;
    let after: Option<After> = params
        .after
        .map(|text| text.parse())
        .transpose()
        .map_err(|error: IdentError| Problem::invalid(format!("after: {error}")))?;
    if let Some(after) = &after {
        check(&call, &selection, after)?;
    }
    call.begin_change().await?;
    let app = &*call.app;
    let mut erasing = Erasing {
        app,
        selection: &selection,
        until,
        shape: ErasedShape::default(),
        written: Vec::new(),
    };
    let erased = erasing.all(after.as_ref()).await;
    let Erasing { shape, written, .. } = erasing;
    app.router.catalogue().add_written(written).await;
    Ok(progress::answer(&shape, erased))
}

/// Where an erasure goes on: after a board, or, without a subject, at the first board of a kind.
#[derive(Debug)]
struct After {
    kind: KindName,
    subject: Option<Subject>,
}

impl FromStr for After {
    type Err = IdentError;

    fn from_str(text: &str) -> Result<Self, IdentError> {
        if let Some(kind) = text.strip_suffix('/')
            && !kind.contains('/')
        {
            let (kind, subject) = (KindName::new(kind)?, None);
            return Ok(Self { kind, subject });
        }
        let board: BoardName = text.parse()?;
        Ok(Self {
            kind: board.kind().clone(),
            subject: Some(board.subject().clone()),
        })
    }
}

/// Rejects an `after` that cannot be the `next` of a response about these kinds: boards would be skipped, and the
/// member reported as erased from them.
fn check(call: &Call, selection: &Selection, after: &After) -> Result<(), Problem> {
    let kind = after.kind.as_str();
    call.caller.check_kind(kind)?;
    let is_selected = selection
        .kinds
        .iter()
        .any(|known| *known.kind.name() == after.kind);
    if is_selected {
        return Ok(());
    }
    if selection.one {
        let detail = format!("after: is of kind {kind}, and not of the one that is meant");
        return Err(Problem::invalid(detail));
    }
    // A kind that was deleted between two requests has no boards left: the next kind follows.
    if call.app.router.catalogue().ever_existed(&after.kind) {
        return Ok(());
    }
    Err(Problem::invalid(format!("after: there is no kind {kind}")))
}

/// The part of an erasure that one request does.
struct Erasing<'a> {
    app: &'a App,
    selection: &'a Selection,
    until: Instant,
    shape: ErasedShape,
    /// Kinds that no longer hide the member.
    written: Vec<KindRecord>,
}

impl Erasing<'_> {
    async fn all(&mut self, after: Option<&After>) -> Result<(), Problem> {
        let kinds = &self.selection.kinds;
        let first = after.map_or(0, |after| {
            kinds.partition_point(|known| *known.kind.name() < after.kind)
        });
        for (index, known) in kinds[first..].iter().enumerate() {
            let name = known.kind.name();
            let here = after.filter(|after| after.kind == *name);
            let after = here.and_then(|after| after.subject.clone());
            // Set first, so that the next request knows where to go on if this fails.
            self.shape.next = Some(format!(
                "{name}/{}",
                after.as_ref().map_or("", Subject::as_str)
            ));
            // Each request does at least one kind.
            let is_late = index > 0 && Instant::now() >= self.until;
            if is_late || !self.kind(known, after).await? {
                return Ok(());
            }
            // The hidden members of a kind also have the name.
            let selection = self.selection;
            change_in(self.app, selection, name, Change::Show, &mut self.written).await?;
        }
        self.shape.next = None;
        Ok(())
    }

    /// Removes the member's profile, and the member from the boards of a kind. Returns `false` if the time was not
    /// enough for all of them.
    async fn kind(
        &mut self,
        known: &KnownKind,
        mut after: Option<Subject>,
    ) -> Result<bool, Problem> {
        let router = &self.app.router;
        let deleted = [ProfileChange {
            member: self.selection.member.clone(),
            profile: None,
        }];
        let put = router.store().put_profiles(&known.record, &deleted).await;
        // Also if it is unknown whether it is deleted.
        self.app.forget_profiles();
        match put {
            // Deleted in the meantime, and its profiles with it.
            Ok(()) | Err(StoreError::StaleKind) => {}
            Err(error) => return Err(Problem::from(error).at(known.kind.name().as_str())),
        }
        loop {
            let name = known.kind.name();
            spend(BOARD_WORK * PAGE_BOARDS).await;
            let page = router
                .store()
                .boards(name, "", after.as_ref(), PAGE_BOARDS)
                .await?;
            let is_last = page.len() < PAGE_BOARDS;
            let boards: Vec<_> = page
                .into_iter()
                .map(|record| Arc::new(record.name))
                .collect();
            let now = self.app.now();
            let written = router
                .erase(&self.selection.member, known, &boards, now)
                .await;
            for (board, written) in boards.iter().zip(written) {
                if let Some(was_there) = written.removed() {
                    self.shape.erased += u64::from(was_there);
                } else if let Some(problem) = Problem::of_write(&written) {
                    return Err(problem.at(&board.to_string()));
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use access::audit::AuditDetails;
    use access::{Access, AccessSettings};
    use board::{FieldName, FieldRule, Kind, KindSpec, Member, Mode, Rules, Ties, Timestamp};
    use http_server::MemoryBudget;
    use merger::{Merger, Settings};
    use serde_json::json;
    use shard_router::Router;
    use store_local::LocalStore;
    use wire::problem::ProblemType;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn kind(name: &str) -> Kind {
        let points = FieldRule::sum(FieldName::new("points").unwrap());
        let rules = Rules::new(vec![points], Mode::Accumulate, Ties::Earliest);
        let spec = KindSpec {
            top: 10,
            max_staleness: Duration::from_secs(1),
            ..KindSpec::new(KindName::new(name).unwrap(), rules.unwrap())
        };
        Kind::new(spec).unwrap()
    }

    async fn app(kinds: &[&str]) -> App {
        let store = Arc::new(LocalStore::in_memory().unwrap());
        let router = Arc::new(Router::open(store).await.unwrap());
        for name in kinds {
            router.catalogue().put(kind(name), NOW).await.unwrap();
        }
        let settings = Settings {
            clock: Arc::new(|| NOW),
            renderer: Arc::new(wire::render),
            renderer_format: "test",
            cache_bytes_max: 0,
        };
        let merger = Arc::new(Merger::new(router.clone(), settings.clone()));
        let access = Access::new(&AccessSettings::default()).unwrap();
        App::new(
            router,
            merger,
            settings.clock,
            access,
            MemoryBudget::default(),
        )
    }

    /// Returns the response to a request whose time is over at once, with `after` of the request before.
    async fn step(app: &App, member: &Member, after: Option<&str>) -> ErasedShape {
        let catalogue = app.router.catalogue();
        let kinds = catalogue.kinds().into_iter();
        let kinds: Vec<_> = kinds
            .filter_map(|k| catalogue.known(k.name().as_str()))
            .collect();
        let selection = Selection {
            member: member.clone(),
            kinds,
            one: false,
        };
        let mut erasing = Erasing {
            app,
            selection: &selection,
            until: Instant::now(),
            shape: ErasedShape::default(),
            written: Vec::new(),
        };
        let after: Option<After> = after.map(|after| after.parse().unwrap());
        assert!(erasing.all(after.as_ref()).await.is_ok());
        erasing.shape
    }

    #[tokio::test]
    async fn the_time_limit_applies_to_kinds_without_boards() {
        let app = app(&["a", "b", "c"]).await;
        let member = Member::new("u1").unwrap();
        let catalogue = app.router.catalogue();
        for kind in catalogue.kinds() {
            let hidden = catalogue.hide(kind.name(), |hidden| hidden.with(&member));
            assert!(hidden.await.unwrap().is_some());
        }
        catalogue.refresh().await.unwrap();
        let mut next = None;
        for expected in [Some("b/"), Some("c/"), None] {
            let done = step(&app, &member, next.as_deref()).await;
            assert_eq!((done.boards, done.next.as_deref()), (0, expected));
            next = done.next;
        }
        catalogue.refresh().await.unwrap();
        let hides = |kind: &Arc<Kind>| !kind.hidden().is_empty();
        assert!(!catalogue.kinds().iter().any(hides));
    }

    #[test]
    fn a_failed_erasure_reports_its_progress() {
        let shape = ErasedShape {
            boards: 3,
            erased: 2,
            next: Some("gifts/c".to_owned()),
        };
        let away = Problem::new(ProblemType::Unavailable, "away");
        for (erased, status) in [(Ok(()), 200), (Err(away), 503)] {
            let response = progress::answer(&shape, erased);
            assert_eq!(response.status(), status);
            let details = &response.extensions().get::<AuditDetails>().unwrap().0;
            let expected = json!({"boards": 3, "erased": 2, "next": "gifts/c"});
            assert_eq!(*details, expected);
        }
    }

    #[test]
    fn after_is_a_board_or_a_kind() {
        let read = |text: &str| text.parse::<After>().map(|after| after.subject);
        assert_eq!(read("gifts/").unwrap(), None);
        assert_eq!(read("gifts/a/").unwrap().unwrap().as_str(), "a/");
        for wrong in ["gifts", "", "/", "Gifts/", "gifts/.."] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
