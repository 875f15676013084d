//! Profiles of the members of a kind: [`Client::profile`], [`Client::put_profile`] and others.

use reqwest::Method;
use serde::Serialize;

use crate::client::{Call, Client, Retry};
use crate::error::Error;
use crate::name::segment;
use crate::request::Request;
use crate::responses::{Profile, ProfilesOutcome};

/// The maximum profiles of one request.
const LINES_MAX: usize = 1_000;

/// One line of a request.
#[derive(Serialize)]
struct ProfileLine<'a> {
    member: &'a str,
    profile: Option<&'a Profile>,
}

impl Client {
    /// Reads the profile of a member. The error is `no-profile` if it has none.
    pub fn profile(&self, kind: &str, member: &str) -> Request<Profile> {
        self.of_profile(Method::GET, kind, member)
    }

    /// Sets the profile of a member, and returns it as it is stored.
    pub fn put_profile(&self, kind: &str, member: &str, profile: &Profile) -> Request<Profile> {
        self.of_profile(Method::PUT, kind, member)
            .with_body(profile)
    }

    /// Deletes the profile of a member, if it has one.
    pub fn delete_profile(&self, kind: &str, member: &str) -> Request<()> {
        self.of_profile(Method::DELETE, kind, member)
    }

    /// Sets the profiles of many members, in order; `None` deletes one. Sends a request for each 1,000 of them.
    ///
    /// After an error, some of them may be set. The requests may be repeated.
    pub async fn put_profiles(
        &self,
        kind: &str,
        profiles: &[(impl AsRef<str>, Option<Profile>)],
    ) -> Result<ProfilesOutcome, Error> {
        let path = segment("kind", kind).map(|kind| format!("/v1/kinds/{kind}/profiles"));
        let request: Request<ProfilesOutcome> = Request::new(self, Method::POST, path);
        let mut all = ProfilesOutcome::default();
        for (chunk, profiles) in (0_u64..).zip(profiles.chunks(LINES_MAX)) {
            let mut lines = Vec::new();
            for (member, profile) in profiles {
                let member = member.as_ref();
                let profile = profile.as_ref();
                serde_json::to_writer(&mut lines, &ProfileLine { member, profile })
                    .map_err(|error| Error::Unusable(format!("a profile: {error}")))?;
                lines.push(b'\n');
            }
            let call = Call {
                body: Some(lines.into()),
                content_type: "application/x-ndjson".into(),
                ..request.call()?
            };
            let mut outcome: ProfilesOutcome = self.read(&call, Retry::Always).await?;
            all.put += outcome.put;
            all.deleted += outcome.deleted;
            for rejected in &mut outcome.rejected {
                rejected.index += chunk * LINES_MAX as u64;
            }
            all.rejected.append(&mut outcome.rejected);
        }
        Ok(all)
    }

    fn of_profile<T>(&self, method: Method, kind: &str, member: &str) -> Request<T> {
        let path = segment("kind", kind).and_then(|kind| {
            let member = segment("member", member)?;
            Ok(format!("/v1/kinds/{kind}/members/{member}/profile"))
        });
        Request::new(self, method, path)
    }
}
