//! A lookup of many members on many shards: the number of concurrent parts has a limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use board::{Member, RankStyle, Timestamp};

use crate::agree::{ALL, Agree};
use crate::kinds::{kind, points, value};
use crate::stage::{NOW_MS, Stage, hooked};
use crate::twin::{Row, Twin};

const MEMBERS: u16 = 1000;
const PARTS_AT_ONCE_MAX: usize = 65_536;

#[tokio::test]
async fn a_thousand_over_all_shards_are_counted_a_few_shards_at_once() {
    for rank in [RankStyle::Ordinal, RankStyle::Competition] {
        let store = hooked();
        let mut spec = points(1024);
        spec.rank = rank;
        let stage = Stage::over(store.clone(), kind(spec), 1 << 20).await;
        let rows = (0..MEMBERS).map(|n| Row {
            member: Member::new(&format!("u{n}")).unwrap(),
            values: value(i64::from(n / 3)).into(),
            at: Timestamp::from_millis(NOW_MS),
        });
        let rows: Vec<Row> = rows.collect();
        stage.set(&stage.board, &rows).await;
        let twin = Twin::new(stage.kind.rules(), rows);
        let agree = Agree {
            stage: &stage,
            kind: &stage.kind,
            twin: &twin,
        };
        let members: Vec<Member> = twin.rows.iter().map(|row| row.member.clone()).collect();
        let whole: Vec<u64> = (1..=u64::from(MEMBERS)).collect();
        agree.lookup(&whole).await;

        // The first round asks each shard for its own: no more parts than members.
        let looks = Arc::new((
            AtomicUsize::new(0),
            AtomicUsize::new(0),
            AtomicUsize::new(0),
        ));
        let shard = |member: &Member| stage.kind.shards().shard_of(member.placement_hash());
        let shards: std::collections::HashSet<u16> = members.iter().map(shard).collect();
        let own = shards.len();
        let counted = looks.clone();
        store.before_reads(move |_| {
            let looks = counted.clone();
            async move {
                let (all, on_the_way, most) = &*looks;
                if all.fetch_add(1, Ordering::SeqCst) >= own {
                    let now = on_the_way.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(now, Ordering::SeqCst);
                    tokio::task::yield_now().await;
                    on_the_way.fetch_sub(1, Ordering::SeqCst);
                }
                Ok(())
            }
        });
        let read = stage
            .merger
            .lookup(&stage.board, &stage.kind, ALL, &members);
        assert_eq!(read.await.unwrap().members, u64::from(MEMBERS));
        let most = looks.2.load(Ordering::SeqCst);
        assert!(
            most > 1 && most * members.len() <= PARTS_AT_ONCE_MAX,
            "{most} shards"
        );
    }
}
