//! Profiles of members in what was read of a board.
//!
//! They are joined after the merge, in one call for all members of a response ([`shown_profiles`]). A top with profiles
//! is made once of each merged top, and kept as bytes ([`ProfiledTops`]): the merger makes another one at least every
//! `max_staleness`, so a profile is never older than that.
//!
//! **Invariant:** members that the kind hides are left out before the join. Their profiles are read for no response.

#[cfg(test)]
mod tests;
mod tops;

pub(crate) use tops::ProfiledTops;

use std::collections::HashSet;

use board::Member;
use shard_router::KnownKind;
use shard_store::{ShardStore, StoreError};
use wire::ShownProfiles;

/// Reads the profiles of members, except of those that the kind hides.
pub(crate) async fn shown_profiles<'a>(
    store: &dyn ShardStore,
    known: &KnownKind,
    members: impl IntoIterator<Item = &'a Member>,
) -> Result<ShownProfiles, StoreError> {
    let hidden = known.kind.hidden();
    let members = members
        .into_iter()
        .filter(|member| !hidden.contains(member));
    let members: HashSet<&Member> = members.collect();
    if members.is_empty() {
        return Ok(ShownProfiles::none());
    }
    let members: Vec<Member> = members.into_iter().cloned().collect();
    let profiles = store.profiles(&known.record, &members).await?;
    let found = members.into_iter().zip(profiles);
    let found = found.filter_map(|(member, profile)| Some((member, profile?)));
    Ok(found.collect())
}
