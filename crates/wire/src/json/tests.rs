//! What is written here is byte for byte what serde writes of derived shapes.

mod twins;

use std::sync::LazyLock;

use board::{Activity, BoardName, Kind, Member, Timestamp, Value, Values, Window};
use merger::{MemberStanding, MemberView, RankedEntry, TopForm, UnlistedView};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde::Serialize;
use serde_json::Value as Json;
use shard_store::ShardEntry;

use self::twins::{
    EntriesTwin, EntryTwin, EnvelopeTwin, LimitsTwin, MemberTwin, NeighbourTwin, ResponseTwin,
    TopTwin,
};
use super::*;
use crate::{
    Entries, EntryShape, Envelope, KindShape, MemberShape, ShownProfiles, TopHead, render,
};

/// Kinds of all forms of fields, with and without times in their order.
static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    let kinds = [
        "{}",
        r#"{"fields": [{"name": "points", "order": "asc"}], "ties": "member", "rank": "competition"}"#,
        r#"{"mode": "best", "fields": [{"name": "laps"}]}"#,
        r#"{"fields": [{"name": "points"}, {"name": "best", "op": "min", "order": "asc"}], "ties": "latest"}"#,
        r#"{"fields": [{"name": "z", "op": "max"}, {"name": "a"}, {"name": "c_1"}, {"name": "b", "op": "last"}]}"#,
        r#"{"windows": ["day"], "packed": {"most": 1000000}}"#,
    ];
    let kind = |text| {
        serde_json::from_str::<KindShape>(text)
            .unwrap()
            .into_kind("gifts")
    };
    kinds.map(|text| kind(text).unwrap()).into()
});

struct Response<'a, B>(&'a Envelope<'a>, &'a B);

impl<B: JsonMembers> JsonMembers for Response<'_, B> {
    fn put(&self, json: &mut JsonText) {
        self.0.put(json);
        self.1.put(json);
    }
}

fn written(shape: &impl JsonMembers) -> String {
    let mut json = JsonText::default();
    json.object(shape);
    String::from_utf8(json.into_bytes()).unwrap()
}

fn derived(shape: &impl Serialize) -> String {
    serde_json::to_string(shape).unwrap()
}

/// Names with much that JSON escapes, and much that it does not.
fn names() -> impl Strategy<Value = String> {
    "[\"\\\\/<'u1 é漢😀\u{2028}]{1,30}"
}

/// Names as boards store them, and some that no contribution may have.
fn members() -> impl Strategy<Value = Member> {
    let stored = prop_oneof![names(), "[a-z0-9]{1,40}", any::<String>()];
    stored.prop_map(|text| Member::from_stored(text.as_bytes()))
}

fn times() -> impl Strategy<Value = Timestamp> {
    let ms = prop_oneof![any::<i64>(), 0..253_402_300_799_999_i64];
    ms.prop_map(Timestamp::from_millis)
}

fn numbers() -> impl Strategy<Value = u64> {
    prop_oneof![0..20_u64, any::<u64>()]
}

/// Values of the fields of a kind, some missing, and a tie word.
fn entries(kind: usize) -> impl Strategy<Value = RankedEntry> {
    let value = prop_oneof![
        0..1_000_i64,
        -board::limits::VALUE_MAX..=board::limits::VALUE_MAX
    ];
    let values = vec(option::weighted(0.8, value), 4);
    (members(), values, times(), numbers(), numbers()).prop_map(
        move |(member, numbers, reached_at, rank, position)| {
            let rules = KINDS[kind].rules();
            let mut values = Values::default();
            for (index, number) in numbers.into_iter().enumerate().take(rules.fields().len()) {
                if let Some(value) = number.and_then(Value::new) {
                    values.set(index, value);
                }
            }
            let key = rules.rank_key(rules.rank_words(&values, reached_at), member);
            RankedEntry {
                rank,
                position,
                entry: ShardEntry { key, reached_at },
            }
        },
    )
}

fn kinds_and_entries() -> impl Strategy<Value = (usize, Vec<RankedEntry>)> {
    (0..KINDS.len()).prop_flat_map(|kind| (Just(kind), vec(entries(kind), 0..8)))
}

/// A board, and what its responses say of it.
#[derive(Debug)]
struct Board {
    name: BoardName,
    activity: Activity,
    window: &'static str,
    version: String,
    as_of: Timestamp,
    members: u64,
    listed: Option<u64>,
    is_final: bool,
}

fn boards() -> impl Strategy<Value = Board> {
    let name = names().prop_map(|text| format!("gifts/{text}").parse());
    let name = name.prop_filter_map("no subject", Result::ok);
    let time = || option::of((0..2_000_000_000_000_i64).prop_map(Timestamp::from_millis));
    let activity = (time(), time()).prop_map(|(from, until)| Activity::new(from, until, None));
    let activity = activity.prop_filter_map("ends before it starts", Result::ok);
    let window = select(["all", "day:2026-11-20", "hour:2026-11-20T14+08:00"].as_slice());
    let numbers = (1..1_u64 << 52, option::of(any::<u64>()), any::<bool>());
    (name, activity, window, times(), numbers).prop_map(
        |(name, activity, window, as_of, (members, listed, is_final))| Board {
            name,
            activity,
            window,
            version: format!("{members:016x}.12"),
            as_of,
            members,
            listed,
            is_final,
        },
    )
}

impl Board {
    fn envelope(&self) -> Envelope<'_> {
        Envelope {
            board: &self.name,
            window: self.window.to_owned(),
            version: self.version.clone(),
            as_of: self.as_of,
            members: self.members,
            listed: self.listed,
            activity: &self.activity,
            is_final: self.is_final,
        }
    }

    fn twin(&self) -> EnvelopeTwin<'_> {
        let text = |time: Option<Timestamp>| time.map(|time| time.to_string());
        EnvelopeTwin {
            board: self.name.to_string(),
            window: self.window,
            version: &self.version,
            as_of: self.as_of.to_string(),
            members: self.members,
            limits: LimitsTwin {
                listed: self.listed,
                starts_at: text(self.activity.starts_at()),
                ends_at: text(self.activity.ends_at()),
                is_final: self.is_final,
            },
        }
    }
}

proptest! {
    #[test]
    fn values_are_written_like_serde(
        text in prop_oneof![any::<String>(), names()],
        signed: i64,
        unsigned: u64,
        float in option::of(-1e20..1e20_f64),
    ) {
        let mut json = JsonText::default();
        json.string(&text);
        json.put(",");
        json.integer(signed);
        json.put(",");
        json.integer_or_null(Some(unsigned));
        json.put(",");
        json.integer_or_null(None::<u64>);
        json.put(",");
        json.float_or_null(float);
        json.put(",");
        json.strings(&[&text, &text]);
        json.put(",");
        json.object_or_null(None::<&EntryShape<'_>>);
        let twin = derived(&(&text, signed, unsigned, (), float, [&text, &text], ()));
        prop_assert_eq!(format!("[{}]", String::from_utf8(json.into_bytes()).unwrap()), twin);
    }

    #[test]
    fn entries_are_written_like_serde(
        board in boards(),
        (kind, ranked) in kinds_and_entries(),
    ) {
        let kind = &KINDS[kind];
        let profiles = ShownProfiles::none();
        let entries = Entries { entries: Entries::of(kind, &ranked, &profiles) };
        let twins = ranked.iter().map(|it| EntryTwin::of_ranked(kind, it));
        let twin = EntriesTwin { entries: twins.collect() };
        prop_assert_eq!(written(&entries), derived(&twin));
        let envelope = &board.twin();
        let whole = ResponseTwin { envelope, body: &twin };
        prop_assert_eq!(written(&Response(&board.envelope(), &entries)), derived(&whole));
        // Rendered for the cache.
        let rendered = render(kind, &ranked);
        let mut begin = 0;
        for (entry, end) in twin.entries.iter().zip(&rendered.ends) {
            let end = *end as usize;
            prop_assert_eq!(&rendered.bytes[begin..end], derived(entry).into_bytes());
            begin = end + 1;
        }
        prop_assert_eq!(rendered.ends.len(), ranked.len());
    }

    #[test]
    fn members_are_written_like_serde(
        board in boards(),
        (kind, mut around) in kinds_and_entries(),
        index in any::<prop::sample::Index>(),
        position in any::<prop::sample::Index>(),
        unlisted: bool,
        to_target in option::of(option::of(-9..9_i64)),
    ) {
        prop_assume!(!around.is_empty());
        let kind = &KINDS[kind];
        let rules = kind.rules();
        let index = index.index(around.len());
        let position = 1 + position.index(usize::try_from(board.members).unwrap()) as u64;
        around[index].position = position;
        let standing = rules.standing_from(&vec![0; rules.standing_len()]);
        let own = around[index].clone();
        let neighbour = |at: Option<usize>| {
            let ranked = around.get(at?).filter(|_| !unlisted)?;
            Some(NeighbourTwin::of(kind, ranked, &own))
        };
        #[expect(clippy::cast_precision_loss)]
        let (below, others) = ((board.members - position) as f64, (board.members - 1) as f64);
        let percentile = if board.members == 1 { 100.0 } else { 100.0 * below / others };
        let twin = MemberTwin {
            entry: EntryTwin::of(kind, (!unlisted).then_some(own.rank), &own.entry),
            position: (!unlisted).then_some(position),
            percentile: (!unlisted).then_some(percentile),
            above: neighbour(index.checked_sub(1)),
            below: neighbour(Some(index + 1)),
            to_target: to_target.map(Json::from),
        };
        let twin = derived(&ResponseTwin { envelope: &board.twin(), body: twin });
        let view = if unlisted {
            let (entry, target) = (own.entry, None);
            MemberStanding::Unlisted(UnlistedView { entry, standing, target })
        } else {
            let target = None;
            MemberStanding::Ranked(MemberView { around, index, standing, target })
        };
        let profiles = ShownProfiles::none();
        let mut shape = MemberShape::of(kind, &view, board.members, &profiles).unwrap();
        if let Some(change) = to_target {
            shape = shape.with_target(change);
        }
        prop_assert_eq!(written(&Response(&board.envelope(), &shape)), twin);
    }

    #[test]
    fn tops_are_written_like_serde(
        board in boards(),
        (kind, ranked) in kinds_and_entries(),
        stale: bool,
    ) {
        let kind = &KINDS[kind];
        let head = TopHead {
            board: &board.name,
            window: board.window,
            version: &board.version,
            members: board.members,
            activity: &board.activity,
            as_of: board.as_of,
            form: TopForm {
                window: Window::ALL_TIME,
                n: ranked.len(),
                is_final: board.is_final,
                stale,
                listed: board.listed,
            },
        };
        let entries = render(kind, &ranked).bytes;
        let (json, begin) = head.json(&entries);
        prop_assert_eq!(&json[begin..begin + entries.len()], &entries[..]);
        let twin = board.twin();
        let twins = ranked.iter().map(|it| EntryTwin::of_ranked(kind, it));
        let twin = TopTwin {
            board: twin.board,
            window: twin.window,
            version: twin.version,
            members: twin.members,
            limits: twin.limits,
            stale,
            entries: twins.collect(),
            as_of: twin.as_of,
        };
        prop_assert_eq!(String::from_utf8(json).unwrap(), derived(&twin));
    }
}

#[test]
fn every_byte_is_escaped_like_serde() {
    for byte in 0..0x80_u8 {
        for at in 0..20 {
            let mut text = "x".repeat(20);
            text.replace_range(at..=at, &char::from(byte).to_string());
            for text in [&text[..], &text[..=at], &text[at..]] {
                let mut json = JsonText::default();
                json.string(text);
                assert_eq!(json.into_bytes(), derived(&text).into_bytes());
            }
        }
    }
}

#[test]
fn derived_shapes_are_parts_of_objects() {
    struct Both(EntriesTwin<'static>);
    impl JsonMembers for Both {
        fn put(&self, json: &mut JsonText) {
            json.members_of(&self.0);
            json.members_of(&serde_json::json!({"a": 1, "b": {}}));
        }
    }
    let both = Both(EntriesTwin { entries: vec![] });
    assert_eq!(written(&both), r#"{"entries":[],"a":1,"b":{}}"#);
}
