//! Applying batches to the memory store.

use std::time::{Duration, Instant};

use benches::sample::{Sample, gifts, now};
use board::Period;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const FIVE: [Period; 5] = Period::DEFAULTS;

fn apply(criterion: &mut Criterion) {
    for members in [100_000, 1_000_000] {
        for (windows, name) in [(&[Period::All][..], "1 window"), (&FIVE[..], "5 windows")] {
            for (ids, suffix) in [(false, ""), (true, ", ids")] {
                let mut sample = Sample::filled(gifts(windows, 16), members, ids);
                let name = format!("apply/{members} members, {name}{suffix}");
                let mut group = criterion.benchmark_group(name);
                for len in [50, 200, 1000] {
                    group.throughput(Throughput::Elements(len as u64));
                    group.bench_function(BenchmarkId::from_parameter(len), |bencher| {
                        bencher.iter_custom(|times| batches(&mut sample, len, times));
                    });
                }
                group.finish();
            }
        }
    }
}

/// Returns the time to apply this number of batches, without generating them.
fn batches(sample: &mut Sample, len: usize, times: u64) -> Duration {
    (0..times)
        .map(|_| {
            let now = now();
            let (shard, items) = sample.batch(len, now);
            let begun = Instant::now();
            sample.apply(shard, &items, now);
            begun.elapsed()
        })
        .sum()
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = apply
}
criterion_main!(benches);
