//! What is counted: the members between two values, and those above a standing.

use crate::json::{JsonMembers, JsonText};

/// How many members have a first field between two values.
#[derive(Debug)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Count))]
pub struct CountShape {
    /// How many members those are.
    pub count: u64,
}

impl JsonMembers for CountShape {
    fn put(&self, json: &mut JsonText) {
        json.put(",\"count\":");
        json.integer(self.count);
    }
}

/// Null where it would not be on the list of a kind that ranks only its best.
#[derive(Debug)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Rank))]
pub struct RankShape {
    /// What the kind's rank style makes of the position.
    #[cfg_attr(feature = "schema", schema(required))]
    pub rank: Option<u64>,
    /// 1 is best.
    #[cfg_attr(feature = "schema", schema(required))]
    pub position: Option<u64>,
}

impl JsonMembers for RankShape {
    fn put(&self, json: &mut JsonText) {
        json.put(",\"rank\":");
        json.integer_or_null(self.rank);
        json.put(",\"position\":");
        json.integer_or_null(self.position);
    }
}
