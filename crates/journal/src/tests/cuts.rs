//! A journal that is truncated, at any byte.

use disk::fixtures::SimDisk;

use super::{ReadError, Sequence, TestLog, check_continues, prefix, records_from};
use crate::format::SEGMENT_HEADER_BYTES;

/// Returns the sequence after the intact groups before `cut`.
fn whole_before(written: &TestLog, file: &str, cut: usize) -> Sequence {
    let groups = written.groups.iter();
    let kept = groups.filter(|group| group.file != file || group.to <= cut);
    kept.map(|group| group.end).max().unwrap()
}

#[test]
fn a_cut_in_the_last_segment_leaves_all_whole_groups_before_it() {
    let written = TestLog::two_segments();
    let file = written.file();
    let bytes = written.used(&file);
    for cut in SEGMENT_HEADER_BYTES..bytes.len() {
        for zeros in [0, bytes.len() - cut] {
            let cut_off = [&bytes[..cut], &vec![0; zeros]].concat();
            let disk = written.with(&file, &cut_off);
            let recovered = prefix(&disk).unwrap();
            // If the file already had zeros there, only the bytes after them are truncated.
            let same = bytes[cut..].iter().zip(&cut_off[cut..]);
            let cut = cut + same.take_while(|(was, is)| was == is).count();
            assert_eq!(recovered.next, whole_before(&written, &file, cut));
            let ends = written.groups.iter().filter(|group| group.file == file);
            let end = ends.map(|group| group.to).filter(|&to| to <= cut).max();
            let remains = &bytes[end.unwrap_or(SEGMENT_HEADER_BYTES)..cut];
            let used = remains.iter().rposition(|&byte| byte != 0);
            let used = used.map_or(0, |last| last as u64 + 1);
            assert_eq!(recovered.cut_bytes, used);
            if cut % 29 == 0 {
                check_continues(&disk);
            }
        }
    }
}

#[test]
fn a_cut_in_the_header_or_in_an_earlier_segment_is_rejected_with_its_offset() {
    let written = TestLog::two_segments();
    let (first, last) = (written.groups[0].file.clone(), written.file());
    let refused = |file: &str, cut: usize, position: usize| {
        let disk = written.with(file, &written.used(file)[..cut]);
        match prefix(&disk).unwrap_err() {
            ReadError::Damaged {
                file: reported,
                offset,
                ..
            } => {
                assert!(reported.ends_with(file), "{}", reported.display());
                assert_eq!(offset, position as u64);
            }
            other => panic!("{other}"),
        }
    };
    for cut in 0..SEGMENT_HEADER_BYTES {
        refused(&first, cut, 0);
        refused(&last, cut, 0);
    }
    let groups = || written.groups.iter().filter(|group| group.file == first);
    for cut in SEGMENT_HEADER_BYTES..groups().map(|group| group.to).max().unwrap() {
        let whole = groups().map(|group| group.to).filter(|&to| to <= cut);
        refused(&first, cut, whole.max().unwrap_or(SEGMENT_HEADER_BYTES));
    }
}

#[test]
fn zeros_in_place_of_a_synced_group_are_rejected() {
    let written = TestLog::two_segments();
    let file = written.file();
    let groups: Vec<_> = written.groups.iter().filter(|g| g.file == file).collect();
    for group in &groups {
        let mut bytes = written.used(&file);
        bytes[group.from..group.to].fill(0);
        let is_recorded = groups.iter().any(|later| {
            later.from > group.from && later.first >= group.first && later.synced > group.first
        });
        let read = prefix(&written.with(&file, &bytes));
        match read {
            Ok(recovered) => {
                assert!(!is_recorded);
                assert_eq!(recovered.next, group.first);
            }
            Err(ReadError::Damaged { offset, what, .. }) => {
                assert!(is_recorded);
                assert_eq!(offset, group.from as u64);
                assert!(what.contains("zeros replace a group"), "{what}");
            }
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn a_missing_segment_is_rejected_where_it_is_needed() {
    let mut written = TestLog::new();
    for _ in 0..3 {
        written.group(3).sync().roll();
    }
    written.group(1);
    let disk = |missing: u64| {
        let disk = written.disk.killed();
        let name = crate::segment::name_of(Sequence(missing));
        disk::Disk::remove(&disk, &name).unwrap();
        disk
    };
    assert!(matches!(
        records_from(&disk(0), 0),
        Err(ReadError::Missing { .. })
    ));
    assert_eq!(records_from(&disk(0), 3).unwrap().0.len(), 7);
    assert!(records_from(&disk(3), 0).is_err());
    assert!(records_from(&disk(3), 4).is_err());
    assert_eq!(records_from(&disk(3), 7).unwrap().0.len(), 3);
    assert!(matches!(
        records_from(&disk(9), 5),
        Err(ReadError::Lost { .. })
    ));
    // Without the mark, too, nothing shows that there were more records. A caller that requests them knows.
    let unmarked = disk(9);
    disk::Disk::remove(&unmarked, crate::end::NAME).unwrap();
    assert_eq!(records_from(&unmarked, 5).unwrap().0.len(), 4);
    assert!(records_from(&unmarked, 10).is_err());
    assert!(records_from(&written.disk, 11).is_err());
    assert_eq!(records_from(&written.disk, 10).unwrap().0.len(), 0);
}

#[test]
fn a_segment_under_the_name_of_another_is_rejected() {
    let mut written = TestLog::new();
    written.group(3).sync();
    let name = crate::segment::name_of(Sequence(1));
    let renamed = SimDisk::default();
    renamed.put(&name, &written.used(&written.file()));
    match records_from(&renamed, 1).unwrap_err() {
        ReadError::Damaged { file, what, .. } => {
            assert!(file.ends_with(&name), "{}", file.display());
            assert!(what.contains("its name does not match"), "{what}");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn records_that_were_durable_are_missing_from_a_shorter_log_alone() {
    let mut written = TestLog::new();
    written.group(3).sync();
    let recovered = prefix(&written.disk).unwrap();
    assert!(!recovered.is_empty());
    assert_eq!(recovered.missing_before(Sequence(3)), None);
    let missing = recovered.missing_before(Sequence(4)).unwrap();
    assert!(missing.contains("those before 4 were durable"), "{missing}");
    let new = prefix(&SimDisk::default()).unwrap();
    assert!(new.is_empty());
}

#[test]
fn truncated_bytes_are_no_evidence_later() {
    // The first of two groups is torn, and the second is intact: both are truncated.
    let mut written = TestLog::new();
    written.group(2).sync().group(2).group(3);
    let torn = written.groups[1].clone();
    let mut bytes = written.used(&torn.file);
    bytes[torn.from + 40] ^= 1;
    let disk = written.with(&torn.file, &bytes);
    let recovered = prefix(&disk).unwrap();
    assert_eq!(recovered.next, Sequence(2));
    assert_eq!(recovered.cut_bytes, written.log.offset - torn.from as u64);
    check_continues(&disk);
    assert_eq!(prefix(&disk).unwrap().cut_bytes, 0);
}
