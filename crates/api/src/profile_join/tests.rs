//! How often profiles are read, and of which members.

use std::sync::Arc;
use std::time::Duration;

use board::{
    FieldName, FieldRule, Kind, KindName, KindSpec, Member, Mode, Profile, Rules, Ties, Timestamp,
    Window,
};
use merger::{Merger, Settings, TopView};
use metering::Registry;
use shard_router::{KnownKind, Router};
use shard_store::{Batch, Change, Item, ProfileChange, ShardStore};
use store_local::LocalStore;

use super::*;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

/// A store with a board of four members, three of which have a profile, and one of these is hidden.
struct Stage {
    store: Arc<LocalStore>,
    merger: Merger,
    known: KnownKind,
    tops: ProfiledTops,
}

fn member(name: &str) -> Member {
    Member::new(name).unwrap()
}

fn kind() -> Kind {
    let points = FieldRule::sum(FieldName::new("points").unwrap());
    let rules = Rules::new(vec![points], Mode::Accumulate, Ties::Earliest).unwrap();
    let spec = KindSpec {
        top: 10,
        max_staleness: Duration::from_hours(1),
        dedupe: Duration::ZERO,
        ..KindSpec::new(KindName::new("gifts").unwrap(), rules)
    };
    Kind::new(spec).unwrap()
}

impl Stage {
    async fn new() -> Self {
        let store = Arc::new(LocalStore::in_memory().unwrap());
        let router = Arc::new(Router::open(store.clone()).await.unwrap());
        let catalogue = router.catalogue();
        let (known, _) = catalogue.put(kind(), NOW).await.unwrap();
        let name = "gifts/a".parse().unwrap();
        let board = store.create_board(&name, &known.record, None, NOW).await;
        let windows = known.kind.admit(NOW, NOW).unwrap();
        let item = |(name, points): (&str, i64)| Item {
            hash: member(name).placement_hash(),
            member: member(name),
            change: Change::Fold(board::Value::new(points).unwrap().into()),
            at: NOW,
            id: None,
            windows: windows.clone(),
        };
        let items = [("u1", 9), ("u2", 7), ("u3", 5), ("u4", 3)].map(item);
        let batch = Batch {
            kind: &known.kind,
            now: NOW,
            until: None,
            waits_until: None,
            report: false,
            items: &items,
        };
        store.apply(&board.unwrap(), 0, batch).await.unwrap();
        let change = |name| ProfileChange {
            member: member(name),
            profile: Some(Profile::new(&format!("{{\"name\":\"{name}\"}}")).unwrap()),
        };
        let changes = ["u1", "u3", "u4"].map(change);
        store.put_profiles(&known.record, &changes).await.unwrap();
        let hidden = catalogue.hide(known.kind.name(), |hidden| hidden.with(&member("u4")));
        let hidden = hidden.await.unwrap().unwrap();
        catalogue.add_written(vec![hidden]).await;
        let known = catalogue.known("gifts").unwrap();
        let settings = Settings {
            clock: Arc::new(|| NOW),
            renderer: Arc::new(wire::render),
            renderer_format: "test",
            cache_bytes_max: 1 << 20,
        };
        Self {
            merger: Merger::new(router, settings),
            store,
            known,
            tops: ProfiledTops::up_to(1 << 20),
        }
    }

    async fn view(&self, fresh: bool) -> TopView {
        let name = "gifts/a".parse().unwrap();
        let top = self
            .merger
            .top(&name, &self.known.kind, Window::ALL_TIME, fresh);
        top.await.unwrap()
    }

    async fn profiled(&self, view: &TopView, n: usize) -> String {
        let view = view.clone();
        let top = self
            .tops
            .of(&*self.store, &self.known, view, Window::ALL_TIME, n);
        let top = top.await.unwrap().snapshot;
        String::from_utf8(top.rendered.bytes.to_vec()).unwrap()
    }

    /// Returns how often profiles were read from the store.
    fn reads(&self) -> u64 {
        let mut registry = Registry::default();
        self.store.register_metrics(&mut registry);
        let mut text = String::new();
        metering::text::encode(&mut text, &registry).unwrap();
        let line = text.lines().find(|line| {
            line.starts_with("store_call_duration_seconds_count") && line.contains("\"profiles\"")
        });
        let count = line.unwrap().rsplit(' ').next().unwrap();
        count.parse().unwrap()
    }
}

#[tokio::test]
async fn a_top_is_joined_once_for_each_merge_and_number_of_entries() {
    let stage = Stage::new().await;
    let first = stage.view(false).await;
    let joins = (0..20).map(|_| stage.profiled(&first, 10));
    let texts = futures::future::join_all(joins).await;
    assert!(
        texts[0].contains(r#""profile":{"name":"u1"}"#),
        "{}",
        texts[0]
    );
    assert!(texts.iter().all(|text| *text == texts[0]));
    assert_eq!(stage.reads(), 1);
    assert!(!stage.profiled(&first, 2).await.contains("u3"));
    assert_eq!(stage.reads(), 2);
    // The same merge again, and a later one.
    stage.profiled(&stage.view(false).await, 10).await;
    assert_eq!(stage.reads(), 2);
    stage.profiled(&stage.view(true).await, 10).await;
    assert_eq!(stage.reads(), 3);
}

#[tokio::test]
async fn the_profile_of_an_erased_member_is_in_no_kept_top() {
    let stage = Stage::new().await;
    let view = stage.view(false).await;
    assert!(stage.profiled(&view, 10).await.contains(r#"{"name":"u1"}"#));
    let deleted = [ProfileChange {
        member: member("u1"),
        profile: None,
    }];
    let put = stage.store.put_profiles(&stage.known.record, &deleted);
    put.await.unwrap();
    // Kept until somebody says that it was erased; the merge is the same.
    assert!(stage.profiled(&view, 10).await.contains(r#"{"name":"u1"}"#));
    stage.tops.forget();
    let top = stage.profiled(&view, 10).await;
    assert!(!top.contains(r#"{"name":"u1"}"#) && top.contains(r#"{"name":"u3"}"#));
    let reads = stage.reads();
    stage.profiled(&view, 10).await;
    assert_eq!(stage.reads(), reads);
}

#[tokio::test]
async fn profiles_of_hidden_members_are_not_read() {
    let stage = Stage::new().await;
    let members = ["u1", "u2", "u4"].map(member);
    let shown = shown_profiles(&*stage.store, &stage.known, &members).await;
    let shown = shown.unwrap();
    let has = members.each_ref().map(|member| shown.of(member).is_some());
    assert_eq!(has, [true, false, false]);
    assert!(
        !stage
            .profiled(&stage.view(false).await, 10)
            .await
            .contains("u4")
    );
    let reads = stage.reads();
    let none = shown_profiles(&*stage.store, &stage.known, &members[2..]).await;
    assert_eq!(none.unwrap().digest(), 0);
    assert_eq!(stage.reads(), reads, "nothing is left to be read");
}
