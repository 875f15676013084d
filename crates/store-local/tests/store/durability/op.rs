//! Calls to a store, and their replies.

use std::fmt::Debug;
use std::sync::Arc;

use board::{Activity, BoardName, Kind, KindName, Timestamp};
use shard_store::{
    Batch, BoardRecord, BoardSettings, ChangeActivityError, CreateBoardError, DeleteBoardError,
    Item, KindRecord, KindWriteError, ProfileChange, PutSettingsError, Revision, ShardStore,
    StoreError,
};

use testkit::conformance::twin::ItemOutcome;

/// One call.
#[derive(Debug, Clone)]
pub(crate) struct Op {
    pub(crate) now: Timestamp,
    pub(crate) what: What,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    PutKind {
        kind: Arc<Kind>,
        alone: bool,
    },
    DeleteKind(KindName),
    PutSettings {
        name: BoardName,
        settings: BoardSettings,
    },
    /// Of a created board.
    ChangeActivity {
        name: BoardName,
        activity: Activity,
    },
    /// One, since a crash may keep some of several.
    ChangeProfile {
        kind: KindName,
        change: ProfileChange,
    },
    Create(BoardName),
    Delete(BoardName),
    /// To one shard.
    Apply {
        name: BoardName,
        shard: u16,
        items: Vec<Item>,
    },
    Sweep,
}

/// The result of a call, or why it was rejected.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    Kind(KindRecord),
    Board(BoardRecord),
    Outcomes(Vec<ItemOutcome>),
    Refused(String),
    Nothing,
}

impl Reply {
    pub(crate) fn refused(why: impl Debug) -> Self {
        Self::Refused(format!("{why:?}").trim_matches('"').to_owned())
    }
}

/// The store's reply to a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Done(Reply),
    /// Nothing happened.
    Unavailable(String),
    /// It may have happened.
    Unknown(String),
}

impl Answer {
    fn failed(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(why) => Self::Unavailable(why),
            StoreError::Unknown(why) => Self::Unknown(why),
            other => Self::Done(Reply::refused(other)),
        }
    }
}

impl Op {
    /// Returns whether its success means that it is durable, and everything before it.
    pub(crate) fn proves(&self, reply: &Reply) -> bool {
        let waits = !matches!(self.what, What::Create(_) | What::Sweep);
        waits && !matches!(reply, Reply::Refused(_))
    }

    pub(crate) async fn ask(&self, store: &dyn ShardStore) -> Answer {
        match &self.what {
            What::PutKind { kind, alone } => {
                let held = revision(store, kind.name()).await;
                match store.put_kind(kind.clone(), held, *alone).await {
                    Ok(record) => Answer::Done(Reply::Kind(record)),
                    Err(KindWriteError::Store(error)) => Answer::failed(error),
                    Err(other) => Answer::Done(Reply::refused(other)),
                }
            }
            What::DeleteKind(name) => {
                let held = revision(store, name).await;
                match store.delete_kind(name, held).await {
                    Ok(()) => Answer::Done(Reply::Nothing),
                    Err(KindWriteError::Store(error)) => Answer::failed(error),
                    Err(other) => Answer::Done(Reply::refused(other)),
                }
            }
            What::ChangeProfile { kind, change } => {
                let kind = record_of(store, kind).await;
                let change = std::slice::from_ref(change);
                match store.put_profiles(&kind, change).await {
                    Ok(()) => Answer::Done(Reply::Nothing),
                    Err(error) => Answer::failed(error),
                }
            }
            What::PutSettings { name, settings } => {
                let kind = kind_of(store, name).await;
                match store.put_settings(name, &kind, *settings, self.now).await {
                    Ok(record) => Answer::Done(Reply::Board(record)),
                    Err(PutSettingsError::Store(error)) => Answer::failed(error),
                    Err(other) => Answer::Done(Reply::refused(other)),
                }
            }
            What::ChangeActivity { name, activity } => {
                let record = store.board(name).await.unwrap().unwrap();
                match store.change_activity(&record, *activity, None).await {
                    Ok(record) => Answer::Done(Reply::Board(record)),
                    Err(ChangeActivityError::Store(error)) => Answer::failed(error),
                    Err(other) => Answer::Done(Reply::refused(other)),
                }
            }
            What::Create(name) => {
                let kind = kind_of(store, name).await;
                let held = store.board(name).await.unwrap();
                let seen = held.map(|record| record.incarnation);
                match store.create_board(name, &kind, seen, self.now).await {
                    Ok(record) => Answer::Done(Reply::Board(record)),
                    Err(CreateBoardError::Store(error)) => Answer::failed(error),
                    Err(other) => Answer::Done(Reply::refused(other)),
                }
            }
            What::Delete(name) => match store.delete_board(name, self.now).await {
                Ok(()) => Answer::Done(Reply::Nothing),
                Err(DeleteBoardError::Store(error)) => Answer::failed(error),
                Err(other) => Answer::Done(Reply::refused(other)),
            },
            What::Apply { name, shard, items } => self.apply(store, name, *shard, items).await,
            What::Sweep => match store.drop_expired(self.now).await {
                Ok(()) => Answer::Done(Reply::Nothing),
                Err(error) => Answer::failed(error),
            },
        }
    }

    async fn apply(
        &self,
        store: &dyn ShardStore,
        name: &BoardName,
        shard: u16,
        items: &[Item],
    ) -> Answer {
        let kind = kind_of(store, name).await.kind.unwrap();
        let record = store.board(name).await.unwrap().unwrap();
        let batch = Batch {
            kind: &kind,
            now: self.now,
            until: None,
            waits_until: None,
            report: false,
            items,
        };
        match store.apply(&record, shard, batch).await {
            Ok(outcomes) => Answer::Done(Reply::Outcomes(
                outcomes.iter().map(ItemOutcome::by).collect(),
            )),
            Err(error) => Answer::failed(error),
        }
    }
}

async fn kind_of(store: &dyn ShardStore, name: &BoardName) -> KindRecord {
    record_of(store, name.kind()).await
}

async fn record_of(store: &dyn ShardStore, name: &KindName) -> KindRecord {
    let kinds = store.kinds().await.unwrap();
    let kind = kinds.into_iter().find(|kind| kind.name == *name);
    kind.expect("a script asks for boards of kinds that are there")
}

async fn revision(store: &dyn ShardStore, name: &KindName) -> Revision {
    let kinds = store.kinds().await.unwrap();
    let kind = kinds.into_iter().find(|kind| kind.name == *name);
    kind.map_or(Revision::default(), |kind| kind.revision)
}
