//! `[publish]`: the servers that boards may be published to, by name, and their credentials. Kinds refer to these
//! names. Without any, nothing is published.

use std::collections::BTreeMap;
use std::path::PathBuf;

use board::{PublishProtocol, PublishTarget, PublishTargetError, PublishTargets, TargetName};
use publish::{Credentials, Login, Settings};
use serde::Deserialize;

/// The section.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PublishSection {
    tls_ca: Option<PathBuf>,
    /// The targets, by the name that kinds refer to.
    targets: BTreeMap<String, TargetSection>,
}

/// A table of `[publish.targets]`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TargetSection {
    url: Option<String>,
    user: Option<String>,
    password: Option<String>,
}

/// Omits the password, and the address, which may contain one by mistake.
impl std::fmt::Debug for TargetSection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TargetSection")
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

impl PublishSection {
    /// Returns the targets and their credentials. An error never repeats a value that may be a password.
    pub(super) fn settings(&self) -> Result<Settings, String> {
        let mut targets = PublishTargets::default();
        let mut credentials = Credentials {
            tls_ca: self.tls_ca.clone(),
            ..Credentials::default()
        };
        for (name, section) in &self.targets {
            if name.contains("://") {
                return Err(
                    "a target must not be named by its address: give the target a name, \
                     [publish.targets.NAME], with the address as its url"
                        .to_owned(),
                );
            }
            let name = TargetName::new(name).map_err(|error| error.to_string())?;
            let url = section.url.as_ref();
            let url = url.ok_or_else(|| format!("{name}: url is missing"))?;
            let target: PublishTarget = url
                .parse()
                .map_err(|error: PublishTargetError| format!("{name}: url {error}"))?;
            let login = Login {
                user: section.user.clone(),
                password: section.password.clone(),
            };
            if target.protocol == PublishProtocol::Memcached && login != Login::default() {
                return Err(format!(
                    "{name}: memcached does not support user and password"
                ));
            }
            let added = targets.add(name.clone(), target);
            added.map_err(|error| error.to_string())?;
            credentials.logins.insert(name, login);
        }
        Ok(Settings {
            targets,
            credentials,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_a_target_do_not_contain_the_password() {
        for (text, part) in [
            ("[targets.\"redis://u:s3cret@a\"]", "give the target a name"),
            ("[targets.\"redis://a:6379\"]", "give the target a name"),
            (
                "[targets.Readers]\nurl = \"redis://a\"",
                "target \"Readers\"",
            ),
            ("[targets.a]\nuser = \"u\"", "a: url is missing"),
            (
                "[targets.a]\nurl = \"redis://u:s3cret@a\"",
                "a: url contains",
            ),
            (
                "[targets.a]\nurl = \"a:6379\"",
                "a: url is not one of redis://",
            ),
            (
                "[targets.a]\nurl = \"memcached://a\"\nuser = \"u\"",
                "memcached",
            ),
            (
                "[targets.a]\nurl = \"redis://a\"\n[targets.b]\nurl = \"redis://a:6379/0\"",
                "a and b have the same url",
            ),
        ] {
            let section: PublishSection = toml::from_str(text).unwrap();
            let error = section.settings().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn targets_are_found_by_name() {
        let text = "[targets.readers]\nurl = \"redis://a/3\"\npassword = \"s3cret\"";
        let section: PublishSection = toml::from_str(text).unwrap();
        let settings = section.settings().unwrap();
        let found = settings.targets.get(&"readers".parse().unwrap());
        assert_eq!(found.unwrap().1.to_string(), "redis://a:6379/3");
        assert!(!format!("{settings:?} {section:?}").contains("s3cret"));
    }
}
