//! The document, and the agreement of paper and simulation.

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::compared::{Comparison, DIFFERENCE_MAX};
use crate::document::with_blocks;
use crate::paper::{Placement, calls_of, estimate};
use crate::scenario::{GOAL, Scenario};
use crate::tables::{Block, compute};
use crate::units::UnitCosts;

fn file(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

fn units() -> UnitCosts {
    UnitCosts::read(&file("benches/unit-costs.toml")).unwrap()
}

/// Computed once for all tests.
fn tables() -> &'static (Vec<Block>, Vec<Comparison>) {
    static TABLES: OnceLock<(Vec<Block>, Vec<Comparison>)> = OnceLock::new();
    TABLES.get_or_init(|| compute(&units()))
}

#[test]
fn paper_and_simulation_agree_within_ten_percent() {
    let (_, compared) = tables();
    let figures = compared.iter().filter(|row| row.is_compared());
    let apart: Vec<_> = figures
        .filter(|row| row.difference().abs() > DIFFERENCE_MAX)
        .collect();
    assert!(apart.is_empty(), "{apart:#?}");
}

#[test]
fn the_tables_of_the_document_are_those_of_the_unit_costs() {
    let document = std::fs::read_to_string(file("docs/scale.md")).unwrap();
    let expected = with_blocks(&document, &tables().0).unwrap();
    assert!(document == expected, "benches/run simulate --write");
}

#[test]
fn all_contributions_are_in_calls_and_all_members_on_nodes() {
    let scenario = GOAL.part(1.0, 30);
    assert!((scenario.chunk() - 1_000.0).abs() < 1e-9);
    let groups = scenario.groups();
    let parts: f64 = groups.iter().map(|group| group.part * group.count).sum();
    assert!((parts - 1.0).abs() < 1e-9, "{parts}");
    let boards: f64 = groups.iter().map(|group| group.count).sum();
    assert!((boards - 1e6).abs() < 1e-6, "{boards}");
    let contributions: f64 = groups
        .iter()
        .map(|group| {
            let shards = f64::from(scenario.shards_of(group.first));
            let (calls, each) = calls_of(group.part / shards, &scenario);
            calls * each * shards * group.count
        })
        .sum();
    assert!((contributions / 1e6 - 1.0).abs() < 1e-9, "{contributions}");
    let units = units();
    let result = estimate(&scenario, &Placement::of(&scenario), &units);
    let held: f64 = result.nodes.iter().map(|node| node.memory).sum();
    let of_members = 1e8 * units.memory.member_bytes;
    assert!(held > of_members && held < of_members * 1.5 + 1e9, "{held}");
}

#[test]
fn sharing_takes_at_most_one_merge_a_server_and_age() {
    let scenario = Scenario {
        by_board: false,
        servers: 10,
        ..GOAL
    };
    let rates = crate::paper::TopRates::of(1e6, &scenario);
    assert!(
        (rates.merges - 1.0).abs() < 1e-3 && (rates.taken - 9.0).abs() < 1e-2,
        "{rates:?}"
    );
}
