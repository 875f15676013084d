//! Access settings of `[server]`, and the addresses on which a server without keys may listen.

use std::net::IpAddr;

use access::{AccessSettings, TokenSecret};

use super::server::ServerSection;

impl ServerSection {
    /// The access settings of `[server]`.
    pub(super) fn access_settings(&self, token_secret: Option<&TokenSecret>) -> AccessSettings {
        AccessSettings {
            keys: self.keys.clone(),
            metrics_open: self.metrics_open,
            token_secret: token_secret.or(self.token_secret.as_ref()).cloned(),
            key_rate: self.limits.key_rate(),
            address_rate: self.limits.address,
            trusted_proxies: self.trusted_proxies.clone(),
            trusted_tracers: Vec::new(),
            hosts: self.hosts.clone(),
            cors_origins: self.cors.origins.clone(),
            frame_ancestors: self.frame_ancestors.clone(),
        }
    }

    /// Rejects a server without keys on an address other than loopback, unless that is allowed.
    pub(crate) fn check_open(&self, address: IpAddr, open: bool) -> Result<(), String> {
        let is_bounded = address.to_canonical().is_loopback() || !self.keys.is_empty();
        if is_bounded || open || self.open {
            Ok(())
        } else {
            Err(format!(
                "without an API key, anyone who can reach {address} has full access: create a key with \
                 `megaboard key new`, or allow this with --open"
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_keys_only_loopback_is_allowed_unless_configured() {
        let none = ServerSection::default();
        let check = |section: &ServerSection, address: &str, open| {
            section.check_open(address.parse().unwrap(), open).is_ok()
        };
        for address in ["127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1"] {
            assert!(check(&none, address, false), "{address}");
        }
        let parsed: ServerSection = toml::from_str("open = true").unwrap();
        let hash = access::NewKey::generate().unwrap().hash();
        let keyed = format!("[[keys]]\nname = \"k\"\nhash = {hash:?}\nscope = \"read\"");
        let keyed: ServerSection = toml::from_str(&keyed).unwrap();
        for address in ["0.0.0.0", "::", "10.0.0.1", "::ffff:10.0.0.1"] {
            assert!(!check(&none, address, false), "{address}");
            assert!(check(&none, address, true), "{address}");
            assert!(check(&parsed, address, false), "{address}");
            assert!(check(&keyed, address, false), "{address}");
        }
        let error = none.check_open("0.0.0.0".parse().unwrap(), false);
        let said = error.unwrap_err();
        assert!(said.contains("megaboard key new") && said.contains("--open"));
    }
}
