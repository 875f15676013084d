//! Profiles in responses about boards.

use crate::profile_join::shown_profiles;
use board::{Member, Window};
use merger::{MemberStanding, MemberView, TopView, UnlistedView};
use shard_router::KnownKind;
use wire::ShownProfiles;
use wire::problem::Problem;

use crate::app::App;

/// Returns the variant of a response for its tag, with its profiles if the request wants them.
pub(crate) fn variant_with(variant: &str, wanted: bool, shown: &ShownProfiles) -> String {
    variant.to_owned() + &self::variant(wanted.then(|| shown.digest()))
}

/// Returns what a tag has of the profiles with this digest.
pub(crate) fn variant(digest: Option<u64>) -> String {
    digest.map_or_else(String::new, |digest| format!(".p{digest:x}"))
}

/// Returns the members of a response about a member: it and its neighbours.
pub(crate) fn shown_members(
    standing: &MemberStanding<MemberView, UnlistedView>,
) -> impl Iterator<Item = &Member> {
    let (around, alone) = match standing {
        MemberStanding::Ranked(view) => (view.around.as_slice(), None),
        MemberStanding::Unlisted(view) => (&[][..], Some(&view.entry)),
        MemberStanding::NoStanding => (&[][..], None),
    };
    let entries = around.iter().map(|ranked| &ranked.entry).chain(alone);
    entries.map(|entry| &entry.key.member)
}

/// Maximum entries of a top with profiles, which may take 2 KiB each.
const PROFILED_MAX: usize = 1000;

/// Rejects a top of more entries than may have profiles.
pub(crate) fn check_profiled(n: usize, with_profiles: bool) -> Result<(), Problem> {
    if with_profiles && n > PROFILED_MAX {
        let detail = format!("n: {n} is more than {PROFILED_MAX}, the maximum with profiles");
        return Err(Problem::invalid(detail));
    }
    Ok(())
}

impl App {
    /// Reads the profiles of members, if they are `wanted`; otherwise there are none to show.
    pub(crate) async fn profiles<'a>(
        &self,
        known: &KnownKind,
        wanted: bool,
        members: impl Iterator<Item = &'a Member>,
    ) -> Result<ShownProfiles, Problem> {
        if !wanted {
            return Ok(ShownProfiles::none());
        }
        let store = self.router.store();
        Ok(shown_profiles(&**store, known, members).await?)
    }

    /// Returns the first `n` entries of a top with the profiles of their members.
    pub(crate) async fn profiled(
        &self,
        known: &KnownKind,
        view: TopView,
        window: Window,
        n: usize,
    ) -> Result<TopView, Problem> {
        let store = self.router.store();
        let view = self.profiled_tops.of(&**store, known, view, window, n);
        Ok(view.await?)
    }
}
