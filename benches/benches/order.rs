//! Computing rank keys and folding contributions.

use std::hint::black_box;
use std::time::Duration;

use benches::sample::{gifts, member, now};
use board::{Period, RankKey, Value, Values};
use criterion::{Criterion, criterion_group, criterion_main};
use scale::random::Random;

fn order(criterion: &mut Criterion) {
    let kind = gifts(&[Period::All], 16);
    let (rules, now) = (kind.rules(), now());
    let points = |number| Values::from(Value::new(number).expect("a small number"));

    criterion.bench_function("order/rank words of a standing", |bencher| {
        let values = points(1234);
        bencher.iter(|| rules.rank_words(black_box(&values), black_box(now)));
    });
    criterion.bench_function("order/fold a delta into a standing", |bencher| {
        let standing = rules
            .fold(None, &points(1234), now)
            .expect("the sum is in range");
        let delta = points(3);
        bencher.iter(|| rules.fold(black_box(Some(&standing)), black_box(&delta), now));
    });
    criterion.bench_function("order/sort 1,000 keys", |bencher| {
        let mut random = Random::new(1);
        let keys: Vec<RankKey> = (0..1000)
            .map(|number| {
                let points = points(random.below(100).cast_signed());
                rules.rank_key(rules.rank_words(&points, now), member(number))
            })
            .collect();
        bencher.iter_batched_ref(
            || keys.clone(),
            |keys| keys.sort_unstable(),
            criterion::BatchSize::SmallInput,
        );
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = order
}
criterion_main!(benches);
