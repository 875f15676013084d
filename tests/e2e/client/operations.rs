//! The client has every operation of the `OpenAPI` document below `/v1`, and parses its responses.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::TryStreamExt as _;
use megaboard_client::{
    BoardName, Client, Contribution, Event, Field, Kind, ProblemType, Profile, Returning, Timestamp,
};
use testkit::{Exposition, Launch, Server};

use super::{client, run};

const CONFIG: &str = r#"
[kinds.gifts]
windows = ["all", "day"]
shards = 16
[kinds.hot]
fields = [{ name = "likes" }, { name = "age", op = "max", order = "asc" }]
windows = ["all"]
rank = "competition"
"#;

#[test]
fn the_client_has_every_operation_of_the_document() {
    let launch = Launch::on_a_free_port(CONFIG).args("--store memory: --audit-log audit.log");
    let server = launch.start();
    let client = client(&server);
    run(async {
        writes(&client).await;
        reads(&client).await;
        reads_of_several_fields(&client).await;
        lists(&client).await;
        streams(&client).await;
        kinds(&client).await;
        profiles(&client).await;
        members(&client).await;
        for_admins(&client).await;
        removals(&client).await;
        assert_eq!(client.ready().await.unwrap().store, "memory");
    });
    let missing: Vec<_> = documented(&server)
        .difference(&requested(&server))
        .cloned()
        .collect();
    assert_eq!(missing, Vec::<String>::new());
}

/// Returns the operations of the document below `/v1`, such as `GET /v1/kinds`.
fn documented(server: &Server) -> BTreeSet<String> {
    let document = server.get("/openapi.json").ok();
    let paths = document["paths"].as_object().unwrap().iter();
    let below = paths.filter(|(path, _)| path.starts_with("/v1/"));
    let operations: BTreeSet<_> = below
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().unwrap().keys();
            methods.map(move |method| format!("{} {path}", method.to_uppercase()))
        })
        .collect();
    assert!(operations.len() >= 25, "{operations:?}");
    operations
}

/// Returns the operations that were answered with a success.
fn requested(server: &Server) -> BTreeSet<String> {
    let metrics = Exposition::of(server);
    let requests = metrics.samples().filter(|sample| {
        let is_success = sample.labels.get("status").is_some_and(|it| it == "2xx");
        sample.name == "megaboard_http_requests_total" && is_success && sample.value > 0.0
    });
    requests
        .map(|sample| format!("{} {}", sample.labels["method"], sample.labels["route"]))
        .collect()
}

async fn writes(client: &Client) {
    let at: Timestamp = Timestamp::now();
    let gifts = [
        Contribution::new("gifts/a", "ada")
            .also_on("gifts/b")
            .points(30),
        Contribution::new("gifts/a", "ben").points(20).at(at),
        Contribution::new("gifts/a", "cyd").points(5).without_id(),
        Contribution::new("gifts/a", "dan").points(1).id("evt-1"),
        Contribution::new("gifts/a", "dan").points(1).id("evt-1"),
        Contribution::new("nope/a", "eve").points(1),
        Contribution::new("gifts/a", "cyd").points(10).set(),
    ];
    let outcome = client
        .contribute(&gifts)
        .returning(Returning::Ranks)
        .await
        .unwrap();
    assert_eq!((outcome.applied, outcome.duplicates), (6, 1));
    let rejected = &outcome.rejected[0];
    assert_eq!(
        (rejected.index, &rejected.kind),
        (5, &ProblemType::UnknownKind)
    );
    let ben = outcome.standings.iter().find(|it| it.index == 1).unwrap();
    assert_eq!(
        (&*ben.board, &*ben.member, ben.windows.len()),
        ("gifts/a", "ben", 2)
    );
    assert_eq!(ben.windows[0].values.points(), Some(20));
    let at = Timestamp::from_microsecond(at.as_microsecond()).unwrap();
    assert_eq!(
        (ben.windows[0].reached_at, ben.windows[0].position),
        (at, Some(2))
    );

    let board = client.board("gifts", "a");
    let set = board.set_member("fay").points(7).window("day").at(at);
    assert!(!set.clone().await.unwrap().is_duplicate);
    // The same contribution under the same id.
    assert!(set.await.unwrap().is_duplicate);
    let set = board.set_member("fay").points(40).window("day");
    let set = set.returning(Returning::PreviousRanks).await.unwrap();
    let ranks = (set.windows[0].previous_rank, set.windows[0].rank);
    assert_eq!(ranks, (Some(4), Some(1)));
    board
        .set_member("fay")
        .points(7)
        .window("day")
        .await
        .unwrap();
    let settled = client.board("gifts", "pk-1").settle();
    let settled = settled.shards(4).ends_at(at + Duration::from_hours(1));
    let settled = settled.expires_after("7d").await.unwrap();
    assert_eq!((&*settled.board, settled.shards), ("gifts/pk-1", 4));
    assert_eq!(settled.expires_after.as_deref(), Some("7d"));
    assert!(settled.span.ends_at < settled.expires_at);
}

async fn reads(client: &Client) {
    let board = client.board_named("gifts/a".parse().unwrap());
    let top = board.top().n(2).window("all").fresh(true).await.unwrap();
    assert_eq!((top.envelope.members, &*top.envelope.window), (4, "all"));
    let names: Vec<_> = top.entries.iter().map(|it| &*it.member).collect();
    assert_eq!((names, top.stale), (vec!["ada", "ben"], false));
    let range = board.range(2..=3).await.unwrap();
    assert_eq!(range.entries[0], top.entries[1]);
    let range = board.range_of_values(2..=20).limit(1).await.unwrap();
    assert_eq!(range.entries, top.entries[1..]);
    let first = board.range(1..=2).await.unwrap();
    let rest = board.range_after(&first.next.unwrap()).limit(1);
    assert_eq!(rest.await.unwrap().entries[0].member, "cyd");
    let worst = board.range(1..=2).from_worst().await.unwrap();
    let last = worst.next.unwrap();
    assert_eq!(worst.entries[1].member, "cyd");
    let above = board.range_after(&last).from_worst().await.unwrap();
    assert_eq!((&*above.entries[0].member, above.next), ("ben", None));
    let above = board.range_of_values(..=30).from_worst().after(&last);
    assert_eq!(above.await.unwrap().entries.len(), 2);
    assert_eq!(board.count(..10).await.unwrap().count, 1);
    assert_eq!(board.count(10..).await.unwrap().count, 3);
    let ben = board.member("ben").target(1).await.unwrap();
    assert_eq!(
        (ben.found.rank, ben.position, ben.to_target),
        (Some(2), Some(2), Some(11))
    );
    let (above, below) = (ben.above.unwrap(), ben.below.unwrap());
    assert_eq!((above.entry.points(), above.gap), (Some(30), Some(10)));
    assert_eq!((&*below.entry.member, below.gap), ("cyd", Some(10)));
    let nobody = board.member("nobody").await.unwrap_err();
    assert!(nobody.is(&ProblemType::NotRanked), "{nobody}");
    let around = board.around("ben").above(0).below(1).await.unwrap();
    assert_eq!(around.entries.len(), 2);
    let found = board.lookup(["ben", "nobody"]).await.unwrap().entries;
    assert_eq!((found[0].rank, found[1].rank), (Some(2), None));
    assert!(found[1].values.is_empty());
    assert_eq!(board.rank_of(25).await.unwrap().position, Some(2));
    let info = board.info().await.unwrap();
    assert_eq!((info.windows.len(), info.shards), (2, 16));
    let strange = client.board("gifts", "ü/?#%+ &").top().await.unwrap();
    assert_eq!(strange.envelope.board, "gifts/ü/?#%+ &");
}

async fn reads_of_several_fields(client: &Client) {
    let event = |member: &str, likes| Contribution::new("hot/a", member).value("likes", likes);
    let events = [event("u", 3).value("age", 7), event("v", 3), event("w", 4)];
    client.contribute(&events).await.unwrap();
    let board = client.board("hot", "a");
    let top = board.top().fresh(true).await.unwrap();
    let first: Vec<_> = top.entries[1].values.iter().collect();
    assert_eq!(first, [("likes", Some(3)), ("age", Some(7))]);
    assert_eq!(top.entries[2].values.get("age"), None);
    let rank = board
        .rank_of_values([("likes", 4), ("age", 0)])
        .await
        .unwrap();
    assert_eq!(rank.rank, Some(1));
}

async fn lists(client: &Client) {
    let page = client.boards("gifts").limit(1).await.unwrap();
    assert_eq!(
        (&*page.boards[0].board, page.next.as_deref()),
        ("gifts/a", Some("a"))
    );
    let all = client.boards("gifts").limit(1).all();
    let subjects: Vec<_> = all.map_ok(|it| it.subject).try_collect().await.unwrap();
    assert_eq!(subjects, ["a", "b"]);
    let names = [BoardName::new("gifts", "a"), BoardName::new("hot", "a")];
    let tops = client
        .tops(names)
        .window("all")
        .n(1)
        .fresh(true)
        .await
        .unwrap();
    let firsts = tops.boards.iter().map(|top| &*top.entries[0].member);
    assert_eq!(firsts.collect::<Vec<_>>(), ["ada", "w"]);
}

async fn streams(client: &Client) {
    let board = client.board("gifts", "a");
    let token = board.stream_token().ttl("1m").await.unwrap();
    assert!(token.expires_at > Timestamp::now());
    let stream = board.stream().n(2).window("all").member("ben").changes();
    let mut events = stream.token(&token.token).events();
    let (mut shown, mut member) = (None, None);
    while shown.is_none() || member.is_none() {
        match events.next().await.unwrap().unwrap() {
            Event::Board(top) => shown = Some(top),
            Event::Member(event) => member = Some(event),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(member.unwrap().position, Some(2));
    let mut shown = shown.unwrap();
    let more = Contribution::new("gifts/a", "ben").points(15);
    client.contribute(&[more]).await.unwrap();
    while shown.entries[0].member != "ben" {
        match events.next().await.unwrap().unwrap() {
            Event::Changes(changes) => changes.apply(&mut shown),
            Event::Board(top) => shown = top,
            Event::Member(_) => {}
            other => panic!("{other:?}"),
        }
    }
    let top = board.top().n(2).window("all").fresh(true).await.unwrap();
    assert_eq!(shown.entries, top.entries);
    let nothing = client.board("nope", "a").stream().events().next().await;
    assert!(nothing.unwrap().unwrap_err().is(&ProblemType::UnknownKind));
}

async fn kinds(client: &Client) {
    let races = Kind::new(["week", "all"])
        .set("mode", "best")
        .set("rank", "competition")
        .set("keep", serde_json::json!({"all": {"idle": "7d"}}))
        .with(Field::new("laps"))
        .with(Field::new("seconds").asc());
    let put = client.put_kind("races", &races).await.unwrap();
    assert_eq!((put.fields.len(), put.text("mode")), (2, Some("best")));
    // A kind that was read can be put unchanged.
    let read = client.kind("races").await.unwrap();
    assert_eq!(
        (&read, client.put_kind("races", &read).await.unwrap()),
        (&put, put.clone())
    );
    // When two clients change a kind, the second gets an error.
    let (seen, etag) = client.kind_with_etag("races").await.unwrap();
    assert_eq!(seen, put);
    let seen = seen.set("top", 10);
    let changed = client.put_kind_if("races", &seen, &etag).await.unwrap();
    assert_eq!(changed.settings["top"], 10);
    let refused = client.put_kind_if("races", &read, &etag).await.unwrap_err();
    assert!(refused.is(&ProblemType::PreconditionFailed), "{refused}");
    let kinds = client.kinds().await.unwrap();
    let names = kinds.iter().map(|kind| kind.name.as_deref().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["gifts", "hot", "races"]);
    client.delete_kind("races").await.unwrap();
    let gone = client.kind("races").await.unwrap_err();
    assert!(gone.is(&ProblemType::UnknownKind), "{gone}");
}

async fn members(client: &Client) {
    let hidden = client.hide("ada").kind("gifts").await.unwrap();
    assert_eq!(hidden.hidden_in, ["gifts"]);
    assert_eq!(client.hidden("gifts").await.unwrap().hidden, ["ada"]);
    assert_eq!(client.hidden_in("ada").await.unwrap().hidden_in, ["gifts"]);
    assert!(client.show("ada").await.unwrap().hidden_in.is_empty());
    let found = client.boards_of("ada", "gifts").limit(1).await.unwrap();
    assert_eq!((&*found.boards[0].board, found.looked_at), ("gifts/a", 1));
    assert_eq!(found.boards[0].windows[0].rank, Some(2));
    let found = client.boards_of("ada", "gifts").after("a").await.unwrap();
    assert_eq!((&*found.boards[0].board, found.next), ("gifts/b", None));
    let erased = client.erase("ada").await.unwrap();
    assert_eq!((erased.erased, erased.next), (2, None));
}

async fn for_admins(client: &Client) {
    let newest = client.audit().limit(1).await.unwrap();
    let [ended] = &newest.entries[..] else {
        panic!("{newest:?}");
    };
    assert_eq!((&*ended.event, ended.status), ("ended", Some(200)));
    let before = newest.next.unwrap();
    let older = client.audit().before(before).limit(1).await.unwrap();
    assert_eq!(older.entries[0].operation, ended.operation);
    assert_eq!(older.entries[0].method.as_deref(), Some("DELETE"));
    let of_writers = client.audit().writers(true).await.unwrap();
    assert_eq!((of_writers.entries.len(), of_writers.next), (0, None));
    assert_eq!(client.keys().await.unwrap().keys, []);
}

async fn profiles(client: &Client) {
    let ann = Profile::new().name("Ann").avatar("https://a.example/");
    let put = client.put_profile("gifts", "ada", &ann).await.unwrap();
    assert_eq!(put, ann);
    assert_eq!(client.profile("gifts", "ada").await.unwrap(), ann);
    let data = Profile::new().data(serde_json::json!([1]));
    let long = Profile::new().name("x".repeat(65));
    let many = [
        ("ben", Some(data.clone())),
        ("x", Some(long)),
        ("nobody", None),
    ];
    let outcome = client.put_profiles("gifts", &many).await.unwrap();
    assert_eq!((outcome.put, outcome.deleted), (1, 1));
    assert_eq!(outcome.rejected[0].index, 1);
    let board = client.board("gifts", "a");
    let top = board.top().fresh(true).profiles(true).await.unwrap();
    let of = |name: &str| {
        let mut entries = top.entries.iter();
        entries
            .find(|entry| entry.member == name)
            .unwrap()
            .profile
            .clone()
    };
    assert_eq!((of("ada"), of("ben")), (Some(ann.clone()), Some(data)));
    let tops = client
        .tops(["gifts/a"])
        .fresh(true)
        .profiles(true)
        .await
        .unwrap();
    assert!(
        tops.boards[0]
            .entries
            .iter()
            .any(|entry| entry.profile.is_some())
    );
    let place = board.member("ada").profiles(true).await.unwrap();
    assert_eq!(place.found.profile, Some(ann));
    let found = board.lookup(["ada"]).profiles(true).await.unwrap();
    assert!(found.entries[0].profile.is_some());
    client.delete_profile("gifts", "ada").await.unwrap();
    let none = client.profile("gifts", "ada").await.unwrap_err();
    assert!(none.is(&ProblemType::NoProfile));
}

async fn removals(client: &Client) {
    let board = client.board("gifts", "a");
    assert_eq!(board.remove_member("ben").await.unwrap().removed, 1);
    assert_eq!(board.remove_member("ben").await.unwrap().removed, 0);
    let gift = |points| Contribution::new("gifts/many", format!("m{points}")).points(points);
    let gifts: Vec<_> = (1..=300).map(gift).collect();
    client.contribute(&gifts).await.unwrap();
    let many = client.board("gifts", "many");
    let of_day = many.remove_members(..=100).window("day").await.unwrap();
    assert_eq!((of_day.removed, of_day.more), (100, false));
    assert_eq!(many.remove_members(201..).await.unwrap().removed, 100);
    assert_eq!(many.remove_below(50).await.unwrap().removed, 150);
    assert_eq!(many.remove_below(50).await.unwrap().removed, 0);
    let removal = Contribution::removal("gifts/many", "m200").only_in("day");
    let outcome = client.contribute(&[removal.anew(), removal]).await.unwrap();
    assert_eq!(outcome.applied, 2);
    for (window, best) in [("all", "m200"), ("day", "m199")] {
        let top = many.range(1..=1).window(window).await.unwrap();
        assert_eq!(top.entries[0].member, best, "{window}");
    }
    board.delete().await.unwrap();
    let again = board.delete().await.unwrap_err();
    assert!(again.is(&ProblemType::UnknownBoard));
    assert_eq!(board.info().await.unwrap().windows, []);
}
