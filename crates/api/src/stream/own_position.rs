//! [`OwnPosition`]: a member's own position, sent beside the top when it changes.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use board::{Member, Window};
use bytes::Bytes;
use futures::{Stream, stream};
use merger::{MemberAsk, MemberStanding, MemberView};
use serde::Serialize;
use tokio::time::timeout;
use wire::member_json;
use wire::problem::Problem;

use super::reader::Reader;
use crate::app::App;
use crate::board_response::json_of;
use crate::feeds::Watched;
use crate::feeds::frame::event_aside;
use crate::profiles::shown_members;
use crate::target::resolve_now;

/// Members directly above that are compared to find those that have overtaken.
const ABOVE_MAX: u64 = 10;

/// Maximum wait of a board's events for the read of a position.
const READ_WAIT_MAX: Duration = Duration::from_secs(2);

/// The member of a stream, and its position as it was sent last.
pub(crate) struct OwnPosition {
    app: Arc<App>,
    watched: Watched,
    member: Member,
    shown: Option<ShownPosition>,
}

/// The result of a read of the position.
enum PositionRead {
    /// It has changed: the event with it.
    Changed(Bytes),
    /// It was sent before.
    Unchanged,
    /// It failed, or is not to be read now.
    Later,
}

/// A position as it was sent.
struct ShownPosition {
    window: Window,
    is_final: bool,
    /// The entry with its position, as JSON; empty if the member has no standing. The rest of the event, such as
    /// `as_of`, changes all the time.
    json: Vec<u8>,
    position: Option<u64>,
    /// The members directly above.
    above: Vec<Member>,
}

/// Event `member` of a stream, of one who is not ranked.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = NoPosition))]
pub(crate) struct NoPositionShape<'a> {
    /// Null.
    #[cfg_attr(test, schema(required))]
    rank: Option<u64>,
    /// Who.
    member: &'a str,
}

impl ShownPosition {
    /// Whether the event of the other would show nothing new.
    fn shows(&self, other: &Self) -> bool {
        let same_window = self.window == other.window && self.is_final == other.is_final;
        same_window && self.json == other.json
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

    /// Returns the events of a reader, and after each frame the member's position, if it has changed.
    pub(crate) fn beside(
        self,
        reader: Reader,
    ) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        let seen = reader.sent();
        stream::unfold((reader, self, seen), async |(mut reader, mut own, seen)| {
            let sent = reader.sent();
            let (event, seen) = match if reader.is_within_event() {
                PositionRead::Later
            } else if sent == seen {
                PositionRead::Unchanged
            } else {
                own.read().await
            } {
                PositionRead::Changed(event) => (event, sent),
                PositionRead::Unchanged => (reader.next().await?, sent),
                // Read after what is sent next.
                PositionRead::Later => (reader.next().await?, seen),
            };
            Some((Ok(event), (reader, own, seen)))
        })
    }

    /// Reads the member's position. The board's events wait for it, at most for [`READ_WAIT_MAX`].
    async fn read(&mut self) -> PositionRead {
        let event = async {
            let _permit = self.app.feeds.position_reads().acquire().await;
            self.event().await
        };
        let event = tokio::select! {
            event = timeout(READ_WAIT_MAX, event) => event,
            () = self.app.feeds.closed() => return PositionRead::Unchanged,
        };
        match event {
            Ok(Ok(Some((event, shown)))) => {
                self.shown = Some(shown);
                PositionRead::Changed(event)
            }
            Ok(Ok(None)) => PositionRead::Unchanged,
            Ok(Err(problem)) => {
                tracing::debug!(member = %self.member, detail = problem.detail, "a place could not be read");
                PositionRead::Later
            }
            Err(_) => PositionRead::Later,
        }
    }

    /// Returns the event with the current position; `None` if it was sent before.
    async fn event(&self) -> Result<Option<(Bytes, ShownPosition)>, Problem> {
        let Watched {
            board,
            window,
            profiles,
            ..
        } = &self.watched;
        let known = self.app.kind(board.kind().as_str()).await?;
        let kind = &known.kind;
        let window = resolve_now(&self.app, kind, *window)?;
        let merger = &self.app.merger;
        let ask = MemberAsk {
            counts_without_standing: true,
            ..(ABOVE_MAX, 1).into()
        };
        let read = merger.member(board, kind, window.window, &self.member, ask);
        let answer = read.await?;
        let envelope = window.envelope(board, &answer);
        let view = match &answer.value {
            MemberStanding::Ranked(view) => Some(view),
            MemberStanding::Unlisted(_) | MemberStanding::NoStanding => None,
        };
        let members = shown_members(&answer.value);
        let profiles = self.app.profiles(&known, *profiles, members);
        let profiles = profiles.await?;
        let position = member_json(kind, &answer.value, answer.members, &profiles, None);
        let shown = ShownPosition {
            window: window.window,
            is_final: window.is_final(answer.as_of, &answer.activity),
            json: position.unwrap_or_default(),
            position: view.map(|view| view.own().position),
            above: view.map(above).unwrap_or_default(),
        };
        if self.shown.as_ref().is_some_and(|it| it.shows(&shown)) {
            return Ok(None);
        }
        let overtaken_by = self.overtaken_by(&shown);
        let text = if let Some(position) = shown.json.strip_suffix(b"}") {
            let overtaken_by = serde_json::to_vec(&overtaken_by).expect("texts are JSON");
            let key = &b",\"overtaken_by\":"[..];
            envelope.with(&[position, key, &overtaken_by, b"}"].concat())
        } else {
            let body = NoPositionShape {
                rank: None,
                member: self.member.as_str(),
            };
            json_of(&envelope, &body)
        };
        Ok(Some((event_aside("member", &text), shown)))
    }

    /// Returns the members directly above that were not there before, if the member has fallen.
    fn overtaken_by<'a>(&self, now: &'a ShownPosition) -> Vec<&'a str> {
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
