//! A member's own place, sent beside the top as it changes.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use board::{Member, Window};
use bytes::Bytes;
use futures::{Stream, stream};
use merger::{MemberStanding, MemberView};
use problem::Problem;
use serde::Serialize;
use tokio::time::timeout;
use wire::MemberShape;

use super::feed::Watched;
use super::frame::event_aside;
use super::reader::Reader;
use crate::app::App;
use crate::board_response::BoardResponse;
use crate::target::resolve_now;

/// Members above that are compared to find those that have overtaken.
const ABOVE_MAX: u64 = 10;

/// How long a board's events wait for a look at a place.
const LOOK_WAIT_MAX: Duration = Duration::from_secs(2);

/// Whose place, and what was sent of it last.
pub(crate) struct OwnPosition {
    app: Arc<App>,
    watched: Watched,
    member: Member,
    shown: Option<ShownPlace>,
}

/// What a look at a place came to.
enum Look {
    /// The event with it.
    News(Bytes),
    /// It was sent before.
    Same,
    /// It could not be seen.
    Failed,
}

/// A place as it was sent.
struct ShownPlace {
    window: Window,
    is_final: bool,
    /// The entry and its place; what else an answer says changes all the time.
    place: Vec<u8>,
    position: Option<u64>,
    /// Who stood directly above.
    above: Vec<Member>,
}

/// A member's own place, as event `member` of a stream shows it.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = OwnPlace))]
pub(crate) struct OwnPositionShape<'a> {
    #[serde(flatten)]
    place: MemberShape<'a>,
    /// Where the member has fallen: who of the ten directly above was not among them before.
    overtaken_by: Vec<&'a str>,
}

/// Event `member` of a stream, of one who is not ranked.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = NoPlace))]
pub(crate) struct NoPositionShape<'a> {
    /// Null.
    #[cfg_attr(test, schema(required))]
    rank: Option<u64>,
    /// Who.
    member: &'a str,
}

impl ShownPlace {
    /// Whether it shows all that the other would.
    fn shows(&self, other: &Self) -> bool {
        let same_window = self.window == other.window && self.is_final == other.is_final;
        same_window && self.place == other.place
    }
}

impl OwnPosition {
    pub(crate) const fn new(app: Arc<App>, watched: Watched, member: Member) -> Self {
        Self {
            app,
            watched,
            member,
            shown: None,
        }
    }

    /// A reader's events, and behind each frame the member's place where that has changed.
    pub(crate) fn beside(
        self,
        reader: Reader,
    ) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        let seen = reader.sent();
        stream::unfold((reader, self, seen), async |(mut reader, mut own, seen)| {
            let sent = reader.sent();
            let (event, seen) = match if sent == seen {
                Look::Same
            } else {
                own.look().await
            } {
                Look::News(event) => (event, sent),
                Look::Same => (reader.next().await?, sent),
                // Tried again behind what comes next.
                Look::Failed => (reader.next().await?, seen),
            };
            Some((Ok(event), (reader, own, seen)))
        })
    }

    /// Looks where the member stands now. The board's events wait for it, but not for long.
    async fn look(&mut self) -> Look {
        let read = async {
            let _permit = self.app.feeds.places().acquire().await;
            self.read().await
        };
        let shown = tokio::select! {
            shown = timeout(LOOK_WAIT_MAX, read) => shown,
            () = self.app.feeds.closed() => return Look::Same,
        };
        match shown {
            Ok(Ok(Some((event, shown)))) => {
                self.shown = Some(shown);
                Look::News(event)
            }
            Ok(Ok(None)) => Look::Same,
            Ok(Err(problem)) => {
                tracing::debug!(member = %self.member, detail = problem.detail, "a place could not be read");
                Look::Failed
            }
            Err(_) => Look::Failed,
        }
    }

    async fn read(&self) -> Result<Option<(Bytes, ShownPlace)>, Problem> {
        let Watched { board, window, .. } = &self.watched;
        let known = self.app.kind(board.kind().as_str()).await?;
        let kind = &known.kind;
        let window = resolve_now(&self.app, kind, *window)?;
        let merger = &self.app.merger;
        let around = (ABOVE_MAX, 1);
        let read = merger.member_of_whole(board, kind, window.window, &self.member, around);
        let answer = read.await?;
        let envelope = window.envelope(board, &answer);
        let view = match &answer.value {
            MemberStanding::Ranked(view) => Some(view),
            MemberStanding::Unlisted(_) | MemberStanding::NoStanding => None,
        };
        let place = MemberShape::of(kind.rules(), &answer.value, answer.members);
        let shown = ShownPlace {
            window: window.window,
            is_final: window.is_final(answer.as_of, &answer.activity),
            place: place.as_ref().map(json).unwrap_or_default(),
            position: view.map(|view| view.own().position),
            above: view.map(above).unwrap_or_default(),
        };
        if self.shown.as_ref().is_some_and(|it| it.shows(&shown)) {
            return Ok(None);
        }
        let overtaken_by = self.overtaken_by(&shown);
        let text = if let Some(place) = place {
            let body = OwnPositionShape {
                place,
                overtaken_by,
            };
            json(&BoardResponse { envelope, body })
        } else {
            let body = NoPositionShape {
                rank: None,
                member: self.member.as_str(),
            };
            json(&BoardResponse { envelope, body })
        };
        Ok(Some((event_aside("member", &text), shown)))
    }

    /// Who of those directly above has come there since, where the member has fallen.
    fn overtaken_by<'a>(&self, now: &'a ShownPlace) -> Vec<&'a str> {
        let before = self.shown.as_ref();
        let Some(before) = before.filter(|before| before.window == now.window) else {
            return Vec::new();
        };
        let has_fallen = now.position > before.position && before.position.is_some();
        let above = now.above.iter().filter(|_| has_fallen);
        let new = above.filter(|member| !before.above.contains(member));
        new.map(Member::as_str).collect()
    }
}

fn above(view: &MemberView) -> Vec<Member> {
    let above = view.around.iter().take(view.index);
    above
        .map(|ranked| ranked.entry.key.member.clone())
        .collect()
}

fn json(shape: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(shape).expect("an answer is JSON, and memory is no file")
}
