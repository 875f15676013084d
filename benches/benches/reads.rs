//! Reads through the merger: tops, pages, the rank of a member, and lookups.

use std::sync::Arc;
use std::time::Duration;

use benches::sample::{Sample, gifts, member, now};
use board::{Period, Window};
use criterion::{Criterion, criterion_group, criterion_main};
use merger::{Merger, Settings};
use scale::random::Random;
use tokio::runtime::{Builder, Runtime};

const MEMBERS: u64 = 1_000_000;
const ALL: Window = Window::ALL_TIME;

struct Board {
    sample: Sample,
    merger: Merger,
    runtime: Runtime,
}

fn board(shards: u64) -> Board {
    let sample = Sample::filled(gifts(&[Period::All], shards), MEMBERS, false);
    let settings = Settings {
        clock: Arc::new(now),
        renderer: Arc::new(wire::render),
        renderer_format: wire::RENDERER_FORMAT,
        cache_bytes_max: 64 << 20,
    };
    let runtime = Builder::new_current_thread().enable_all().build();
    Board {
        merger: Merger::new(sample.router.clone(), settings),
        sample,
        runtime: runtime.expect("the system has threads and timers"),
    }
}

fn tops(criterion: &mut Criterion) {
    let Board {
        mut sample,
        merger,
        runtime,
    } = board(64);
    let kind = sample.known.kind.clone();
    let name = sample.name.clone();
    criterion.bench_function("top/merge of 1,000 over 64 shards", |bencher| {
        bencher.iter_batched(
            // Without a change, the cached top would be returned.
            || {
                let (shard, items) = sample.batch(1, now());
                sample.apply(shard, &items, now());
            },
            |()| {
                runtime
                    .block_on(merger.top(&name, &kind, ALL, true))
                    .expect("the board exists")
            },
            criterion::BatchSize::PerIteration,
        );
    });
    criterion.bench_function("top/cached", |bencher| {
        bencher.iter(|| {
            runtime
                .block_on(merger.top(&name, &kind, ALL, false))
                .expect("the board exists")
        });
    });
}

fn pages(criterion: &mut Criterion) {
    let Board {
        sample,
        merger,
        runtime,
    } = board(16);
    let (name, kind) = (&sample.name, &sample.known.kind);
    let mut random = Random::new(3);
    criterion.bench_function("page/100 anywhere in 1M over 16 shards", |bencher| {
        bencher.iter(|| {
            let from = 1 + random.below(MEMBERS - 100);
            let page = merger.range(name, kind, ALL, from, from + 99);
            runtime.block_on(page).expect("the board exists")
        });
    });
    criterion.bench_function(
        "member/rank and neighbours in 1M over 16 shards",
        |bencher| {
            bencher.iter(|| {
                let member = member(random.below(MEMBERS));
                let view = merger.member(name, kind, ALL, &member, (1, 1));
                runtime.block_on(view).expect("the board exists")
            });
        },
    );
    criterion.bench_function("lookup/100 members of 1M over 16 shards", |bencher| {
        bencher.iter(|| {
            let members: Vec<_> = (0..100).map(|_| member(random.below(MEMBERS))).collect();
            let found = merger.lookup(name, kind, ALL, &members);
            runtime.block_on(found).expect("the board exists")
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3));
    targets = tops, pages
}
criterion_main!(benches);
