//! A member's own place, told beside the top as it changes.

use std::convert::Infallible;
use std::sync::Arc;

use board::Member;
use bytes::Bytes;
use futures::{Stream, StreamExt as _, stream};
use merger::{Found, MemberView};
use serde::Serialize;

use super::feed::Watched;
use super::frame::event_aside;
use super::reader::Reader;
use crate::app::App;
use crate::problem::Problem;
use crate::target::resolve_at;
use crate::wire::{Answer, Envelope, PlaceShape};

/// Members above that are looked at for who has overtaken.
const ABOVE_MAX: u64 = 10;

/// Whose place, and where it was told last.
pub(crate) struct OwnPlace {
    app: Arc<App>,
    watched: Watched,
    member: Member,
    told: Option<Told>,
}

/// A place as it was told.
struct Told {
    /// The entry and its place; what else an answer says changes all the time.
    place: Vec<u8>,
    position: Option<u64>,
    /// Who stood directly above.
    above: Vec<Member>,
}

/// The place, and who has come between.
#[derive(Serialize)]
struct OwnPlaceShape<'a> {
    #[serde(flatten)]
    place: PlaceShape<'a>,
    overtaken_by: Vec<&'a str>,
}

/// Of one who is not ranked.
#[derive(Serialize)]
struct NoPlaceShape<'a> {
    rank: Option<u64>,
    member: &'a str,
}

impl OwnPlace {
    pub(crate) const fn new(app: Arc<App>, watched: Watched, member: Member) -> Self {
        Self {
            app,
            watched,
            member,
            told: None,
        }
    }

    /// A reader's events, and behind each frame the member's place where that has changed.
    pub(crate) fn beside(
        self,
        reader: Reader,
    ) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        let seen = reader.sent();
        stream::unfold((reader, self, seen), async |(mut reader, mut own, seen)| {
            if reader.sent() != seen {
                let seen = reader.sent();
                if let Some(event) = own.look().await {
                    return Some((Ok(event), (reader, own, seen)));
                }
                let event = reader.next().await?;
                return Some((event, (reader, own, seen)));
            }
            let event = reader.next().await?;
            Some((event, (reader, own, seen)))
        })
    }

    /// The event that tells where the member stands now; none where it was told, and where the store is
    /// away: then the next frame brings the next try.
    async fn look(&mut self) -> Option<Bytes> {
        let permit = self.app.feeds.places().acquire().await;
        let told = self.read().await;
        drop(permit);
        match told {
            Ok(Some((event, told))) => {
                self.told = Some(told);
                Some(event)
            }
            Ok(None) => None,
            Err(problem) => {
                tracing::debug!(member = %self.member, detail = problem.detail, "a place could not be read");
                None
            }
        }
    }

    async fn read(&self) -> Result<Option<(Bytes, Told)>, Problem> {
        let Watched { board, window, .. } = &self.watched;
        let known = self.app.kind(board.kind().as_str()).await?;
        let kind = &known.kind;
        let window = resolve_at(kind, *window, self.app.now())?;
        let merger = &self.app.merger;
        let read = merger.member(
            board,
            kind,
            window.window,
            &self.member,
            (ABOVE_MAX, 1),
            None,
        );
        let answer = read.await?;
        let envelope = Envelope::new(board, &window, &answer);
        let view = match &answer.value {
            Found::Ranked(view) => Some(view),
            Found::Unlisted(_) | Found::NotRanked => None,
        };
        let place = PlaceShape::of(kind.rules(), &answer.value, answer.members);
        let told = Told {
            place: place.as_ref().map(json).unwrap_or_default(),
            position: view.map(|view| view.own().position),
            above: view.map(above).unwrap_or_default(),
        };
        if self.told.as_ref().is_some_and(|it| it.place == told.place) {
            return Ok(None);
        }
        let overtaken_by = self.overtaken_by(&told);
        let text = if let Some(place) = place {
            let body = OwnPlaceShape {
                place,
                overtaken_by,
            };
            json(&Answer { envelope, body })
        } else {
            let body = NoPlaceShape {
                rank: None,
                member: self.member.as_str(),
            };
            json(&Answer { envelope, body })
        };
        Ok(Some((event_aside("member", &text), told)))
    }

    /// Who of those directly above has come there since, where the member has fallen.
    fn overtaken_by<'a>(&self, now: &'a Told) -> Vec<&'a str> {
        let Some(before) = &self.told else {
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
