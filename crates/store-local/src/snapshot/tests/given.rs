//! What is written into snapshots, and what is heard of them.

use std::collections::HashSet;
use std::sync::Arc;

use board::{
    Activity, BoardName, Calendar, FieldName, FieldRule, Incarnation, Kind, KindName, KindSpec,
    Mode, Period, RankStyle, Rules, ShardCount, Subject, Ties, Timestamp, Window, WindowRule,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any};
use proptest::sample::select;

use super::super::super::record::tests::given::{activity, kind, kind_record, name, time};
use super::super::{
    PartHead, PartVisitor, Refusal, SnapshotError, SnapshotName, SnapshotReader, SnapshotWriter,
    Totals, Watermarks, WindowHead,
};
use journal::Disk;
use shard_store::{KindRecord, Revision};

/// All of a snapshot.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Given {
    pub(super) sequence: u64,
    pub(super) definitions: Vec<Arc<Kind>>,
    pub(super) parts: Vec<Part>,
    pub(super) kinds: Vec<KindRecord>,
}

/// Members and their standings.
type Rows = Vec<(String, Vec<u64>)>;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    pub(super) head: PartHead,
    pub(super) watermarks: Option<Watermarks>,
    pub(super) ids: Vec<(Timestamp, Vec<[u32; 4]>)>,
    pub(super) windows: Vec<(WindowHead, Rows)>,
}

impl Given {
    pub(super) fn begin<'a>(
        &self,
        disk: &'a dyn Disk,
    ) -> Result<SnapshotWriter<'a>, SnapshotError> {
        let mut writer = SnapshotWriter::create(disk, self.sequence)?;
        for (index, kind) in (0..).zip(&self.definitions) {
            assert_eq!(writer.add_kind(kind), index);
        }
        Ok(writer)
    }

    pub(super) fn write(&self, disk: &dyn Disk) -> Result<u64, SnapshotError> {
        let mut writer = self.begin(disk)?;
        for part in &self.parts {
            part.write(&mut writer)?;
        }
        writer.finish(&self.kinds)
    }

    fn totals(&self) -> Totals {
        let windows = || self.parts.iter().flat_map(|part| &part.windows);
        let ids = self.parts.iter().flat_map(|part| &part.ids);
        Totals {
            parts: self.parts.len() as u64,
            rows: windows().map(|(_, rows)| rows.len() as u64).sum(),
            ids: ids.map(|(_, ids)| ids.len() as u64).sum(),
        }
    }
}

impl Part {
    fn write(&self, writer: &mut SnapshotWriter<'_>) -> Result<(), SnapshotError> {
        writer.begin_part(&self.head)?;
        if let Some(watermarks) = &self.watermarks {
            writer.watermarks(watermarks)?;
        }
        for (began, ids) in &self.ids {
            writer.ids_generation(*began, ids.len() as u64)?;
            for id in ids {
                writer.id(*id)?;
            }
        }
        for (head, rows) in &self.windows {
            writer.window(head)?;
            for (member, words) in rows {
                writer.row(member.as_bytes(), words)?;
            }
        }
        writer.end_part()
    }
}

/// Reads a snapshot whole, its totals included.
pub(super) fn read_all(disk: &dyn Disk, name: &SnapshotName) -> Result<Given, SnapshotError> {
    let reader = SnapshotReader::open(disk, name)?;
    let mut heard = Heard::default();
    for unit in 0..reader.units() {
        reader.read_unit(unit, &mut heard)?;
    }
    let given = Given {
        sequence: reader.sequence(),
        definitions: reader.definitions().to_vec(),
        parts: heard.parts,
        kinds: reader.kinds().to_vec(),
    };
    assert_eq!(given.totals(), reader.totals());
    Ok(given)
}

/// Keeps what it hears.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) parts: Vec<Part>,
}

impl Heard {
    fn part(&mut self) -> &mut Part {
        self.parts.last_mut().expect("a head came before")
    }
}

impl PartVisitor for Heard {
    fn head(&mut self, head: &PartHead) -> Result<(), Refusal> {
        self.parts.push(Part {
            head: head.clone(),
            watermarks: None,
            ids: Vec::new(),
            windows: Vec::new(),
        });
        Ok(())
    }

    fn watermarks(&mut self, watermarks: &Watermarks) -> Result<(), Refusal> {
        self.part().watermarks = Some(*watermarks);
        Ok(())
    }

    fn ids_generation(&mut self, began: Timestamp, count: u64) -> Result<(), Refusal> {
        let room = Vec::with_capacity(usize::try_from(count).unwrap());
        self.part().ids.push((began, room));
        Ok(())
    }

    fn id(&mut self, id: [u32; 4]) -> Result<(), Refusal> {
        self.part().ids.last_mut().unwrap().1.push(id);
        Ok(())
    }

    fn window(&mut self, head: &WindowHead) -> Result<(), Refusal> {
        let room = Vec::with_capacity(usize::try_from(head.rows).unwrap());
        self.part().windows.push((*head, room));
        Ok(())
    }

    fn row(&mut self, member: &[u8], words: &[u64]) -> Result<(), Refusal> {
        let row = (str::from_utf8(member).unwrap().to_owned(), words.to_vec());
        self.part().windows.last_mut().unwrap().1.push(row);
        Ok(())
    }

    fn end(&mut self) -> Result<(), Refusal> {
        let part = self.part();
        for (head, rows) in &part.windows {
            assert_eq!(head.rows, rows.len() as u64);
        }
        Ok(())
    }
}

pub(super) fn given() -> impl Strategy<Value = Given> {
    let definitions = vec(kind().prop_map(Arc::new), 1..4);
    let with_parts = definitions.prop_flat_map(|definitions| {
        let parts = vec(part(definitions.clone()), 0..6);
        (Just(definitions), parts)
    });
    (any::<u64>(), with_parts, vec(kind_record(), 0..4)).prop_map(
        |(sequence, (definitions, parts), kinds)| Given {
            sequence,
            definitions,
            parts,
            kinds,
        },
    )
}

fn part(definitions: Vec<Arc<Kind>>) -> impl Strategy<Value = Part> {
    (0..definitions.len()).prop_flat_map(move |place| {
        let kind = definitions[place].clone();
        let ids = vec((time(), vec(any::<[u32; 4]>(), 0..5)), 0..=2);
        let windows = vec(window(kind.rules().standing_len()), 0..4);
        let watermarks = option::of(proptest::array::uniform4(option::of(time())));
        (head(place, &kind), watermarks, ids, windows).prop_map(
            |(head, watermarks, ids, mut windows)| {
                windows.sort_by_key(|(head, _)| head.window);
                windows.dedup_by_key(|(head, _)| head.window);
                Part {
                    head,
                    watermarks,
                    ids,
                    windows,
                }
            },
        )
    })
}

fn head(place: usize, kind: &Kind) -> impl Strategy<Value = PartHead> + use<> {
    let kind_name = kind.name().clone();
    let numbers = (
        any::<u64>(),
        any::<u64>(),
        0..=12_u32,
        any::<u16>(),
        any::<bool>(),
    );
    (name(), numbers, activity(), any::<bool>(), time()).prop_map(
        move |(
            subject,
            (incarnation, sequence, shards, part, split),
            activity,
            created,
            last_write,
        )| {
            let shards = ShardCount::new(1 << shards).unwrap();
            let parts = if split { shards.get() } else { 1 };
            PartHead {
                name: BoardName::new(kind_name.clone(), Subject::new(&subject).unwrap()),
                incarnation: Incarnation(incarnation),
                shards,
                activity,
                created,
                last_write,
                kind: u32::try_from(place).unwrap(),
                parts,
                part: part % parts,
                sequence,
            }
        },
    )
}

fn window(words: usize) -> impl Strategy<Value = (WindowHead, Rows)> {
    let rows = vec((name(), vec(any::<u64>(), words)), 0..8);
    let numbers = (any::<u64>(), any::<u64>());
    (select(&Period::ALL_PERIODS), time(), numbers, rows).prop_map(
        |(period, start, (counter, digest), mut rows)| {
            let mut seen = HashSet::new();
            rows.retain(|(member, _)| seen.insert(member.clone()));
            let head = WindowHead {
                window: Window::starting_at(period, start),
                counter,
                digest,
                rows: rows.len() as u64,
            };
            (head, rows)
        },
    )
}

/// A kind whose standings are two words.
pub(super) fn gifts() -> Kind {
    let points = FieldRule::sum(FieldName::new("points").unwrap());
    Kind::new(KindSpec {
        name: KindName::new("gifts").unwrap(),
        rules: Rules::new(vec![points], Mode::Accumulate, Ties::Earliest).unwrap(),
        rank: RankStyle::Ordinal,
        windows: vec![WindowRule::with_defaults(Period::All)],
        calendar: Calendar::utc(),
        shards: 16,
        top: 10,
        max_staleness: std::time::Duration::ZERO,
        dedupe: std::time::Duration::ZERO,
        retain: None,
        publish: None,
    })
    .unwrap()
}

/// One part of a board of gifts.
pub(super) fn gifts_head(subject: &str, parts: u16, part: u16) -> PartHead {
    PartHead {
        name: format!("gifts/{subject}").parse().unwrap(),
        incarnation: Incarnation(0x0123_4567_89AB_CDEF),
        shards: ShardCount::new(16).unwrap(),
        activity: Activity::ALWAYS,
        created: true,
        last_write: Timestamp::from_millis(1_795_186_342_123),
        kind: 0,
        parts,
        part,
        sequence: 12,
    }
}

/// A window with so many members of gifts.
pub(super) fn gifts_rows(rows: u64) -> (WindowHead, Rows) {
    let head = WindowHead {
        window: Window::ALL_TIME,
        counter: rows,
        digest: 9,
        rows,
    };
    let row = |row| (format!("member-{row:08}"), vec![row, u64::MAX - row]);
    (head, (0..rows).map(row).collect())
}

/// One of each element, few bytes.
pub(super) fn small() -> Given {
    let day = WindowHead {
        window: Window::starting_at(Period::Day, Timestamp::from_millis(86_400_000)),
        counter: 3,
        digest: 0x1122_3344_5566_7788,
        rows: 2,
    };
    let all = WindowHead {
        window: Window::ALL_TIME,
        rows: 1,
        ..day
    };
    let row = |name: &str, points| (name.to_owned(), vec![points, 7]);
    let kind = Arc::new(gifts());
    let began = Timestamp::from_millis(5);
    Given {
        sequence: 10,
        parts: vec![
            Part {
                head: gifts_head("room", 1, 0),
                watermarks: Some([None, Some(Timestamp::from_millis(-1)), None, None]),
                ids: vec![(began, vec![[1, 2, 3, 4], [5, 6, 7, 8]]), (began, vec![])],
                windows: vec![
                    (day, vec![row("ann", 2), row("ben", 1)]),
                    (all, vec![row("ann", 3)]),
                ],
            },
            Part {
                head: gifts_head("hall", 16, 15),
                watermarks: None,
                ids: Vec::new(),
                windows: Vec::new(),
            },
        ],
        kinds: vec![
            KindRecord {
                name: kind.name().clone(),
                revision: Revision(2),
                kind: Some(kind.clone()),
            },
            KindRecord {
                name: KindName::new("old").unwrap(),
                revision: Revision(5),
                kind: None,
            },
        ],
        definitions: vec![kind],
    }
}
