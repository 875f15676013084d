//! Many concurrent writers.

use std::sync::Arc;
use std::thread;

use disk::fixtures::{Operation, SimDisk};
use parking_lot::Mutex;

use super::{
    Journal, Sequence, append, block_on, durable, eventually, open, quick, records_from,
    reserved_bytes,
};

#[test]
fn one_sync_serves_all_waiting_writers() {
    let disk = SimDisk::default();
    let journal = open(&disk, quick());
    let before = disk.count(Operation::Sync);
    disk.hold(Operation::Sync);
    append(&journal, b"first").unwrap();
    eventually("a sync", || disk.count(Operation::Sync) > before);
    thread::scope(|scope| {
        for writer in 0..64_u8 {
            let journal = &journal;
            scope.spawn(move || durable(journal, append(journal, &[writer]).unwrap()).unwrap());
        }
        eventually("all appended", || journal.next() == Sequence(65));
        disk.release();
    });
    // One for the first record and one for all others, and possibly one for each new segment.
    let segments = super::segments(&disk).len();
    assert_eq!(disk.count(Operation::Sync) - before, 2 + segments - 1);
}

/// Appends a record, and returns the wait for it.
async fn commit(journal: &Journal, record: &[u8]) {
    let mut capacity = journal.reserve(reserved_bytes(record.len())).await.unwrap();
    let until = journal.append(&mut capacity, record);
    journal.commit(capacity, until).await.unwrap();
}

/// Returns a journal whose last group had several records, and its disk.
async fn with_several_writers() -> (SimDisk, Arc<Journal>) {
    let disk = SimDisk::default();
    let journal = Arc::new(open(&disk, super::Settings::default()));
    let mut capacity = journal.reserve(2 * reserved_bytes(1)).await.unwrap();
    let until = journal.append_together(&mut capacity, &[vec![1], vec![2]]);
    journal.commit(capacity, until).await.unwrap();
    (disk, journal)
}

#[tokio::test]
async fn tasks_that_are_ready_join_the_group_that_the_first_began() {
    // Fewer than the polls after which a runtime wakes tasks that have yielded.
    const WRITERS: u8 = 32;
    let (disk, journal) = with_several_writers().await;
    let before = disk.count(Operation::Sync);
    let writers = (0..WRITERS).map(|writer| {
        let journal = Arc::clone(&journal);
        tokio::spawn(async move { commit(&journal, &[writer]).await })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    assert_eq!(disk.count(Operation::Sync) - before, 1);
    let next = journal.next();
    assert_eq!(next, Sequence(2).plus(u32::from(WRITERS)));
    // The group of a writer that is alone waits for nobody, from the second on.
    for record in 0..3 {
        commit(&journal, &[record]).await;
    }
    assert_eq!(disk.count(Operation::Sync) - before, 4);
    assert_eq!(journal.next(), next.plus(3));
}

#[tokio::test]
async fn a_group_is_closed_when_its_first_writer_is_cancelled() {
    let (disk, journal) = with_several_writers().await;
    let before = disk.count(Operation::Sync);
    let mut first = Box::pin(commit(&journal, b"first"));
    assert!(futures::poll!(&mut first).is_pending());
    let mut second = Box::pin(commit(&journal, b"second"));
    assert!(futures::poll!(&mut second).is_pending());
    assert_eq!(disk.count(Operation::Sync), before);
    drop(first);
    second.await;
    assert_eq!(disk.count(Operation::Sync) - before, 1);
    assert_eq!(journal.next(), Sequence(4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_order_of_appending_is_the_order_in_the_files() {
    const WRITERS: u32 = 64;
    const EACH: u32 = 200;
    let disk = SimDisk::default();
    let journal: Arc<Journal> = Arc::new(open(
        &disk,
        super::Settings {
            segment_bytes: 20_000,
            ..quick()
        },
    ));
    let order = Arc::new(Mutex::new(Vec::new()));
    let writers = (0..WRITERS).map(|writer| {
        let (journal, order) = (Arc::clone(&journal), Arc::clone(&order));
        tokio::spawn(async move {
            for turn in 0..EACH {
                let record = format!("{writer} {turn}").into_bytes();
                let mut capacity = journal
                    .reserve(reserved_bytes(record.len()) + 100)
                    .await
                    .unwrap();
                let until = {
                    let mut order = order.lock();
                    let until = journal.append(&mut capacity, &record);
                    assert_eq!(until.0, order.len() as u64 + 1);
                    order.push(record);
                    until
                };
                drop(capacity);
                journal.durable(until).await.unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let bytes: u64 = order.lock().iter().map(|record| record.len() as u64).sum();
    assert_eq!(journal.appended_bytes(), bytes);
    journal.stop().unwrap();
    assert!(super::segments(&disk).len() > 5, "{:?}", disk.names());
    assert!(records_from(&disk, 0).unwrap().0 == *order.lock());
    let half = order.lock().len() / 2;
    let later = records_from(&disk, half as u64).unwrap().0;
    assert!(later == order.lock()[half..]);
}

#[test]
fn more_than_the_capacity_is_written_in_turn() {
    let disk = SimDisk::default();
    let journal = open(
        &disk,
        super::Settings {
            segment_bytes: 10 << 20,
            ..quick()
        },
    );
    thread::scope(|scope| {
        for writer in 0..4_u8 {
            let journal = &journal;
            scope.spawn(move || {
                let record = vec![writer; 1_500_000];
                for _ in 0..4 {
                    let mut capacity =
                        block_on(journal.reserve(reserved_bytes(record.len()))).unwrap();
                    let until = journal.append(&mut capacity, &record);
                    drop(capacity);
                    if until.0.is_multiple_of(3) {
                        durable(journal, until).unwrap();
                    }
                }
            });
        }
    });
    journal.stop().unwrap();
    let (records, recovered) = records_from(&disk, 0).unwrap();
    assert_eq!(recovered.next, Sequence(16));
    assert!(records.iter().all(|record| record.len() == 1_500_000));
}
