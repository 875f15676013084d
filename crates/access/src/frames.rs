//! The sites that may embed pages of the server in frames of their own.

use crate::cors::origin;

/// Maximum sites of the configuration.
const SITES_MAX: usize = 64;

/// Why sites are rejected.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BadFrames {
    /// There are so many.
    TooMany(usize),
    /// This text is not a site.
    Site(String),
}

/// Returns the sites as a `Content-Security-Policy` has them behind `frame-ancestors`; `None` if there are none.
pub(crate) fn ancestors(sites: &[String]) -> Result<Option<String>, BadFrames> {
    if sites.len() > SITES_MAX {
        return Err(BadFrames::TooMany(sites.len()));
    }
    match sites.iter().find(|site| !is_site(site)) {
        Some(site) => Err(BadFrames::Site(site.clone())),
        None => Ok((!sites.is_empty()).then(|| sites.join(" "))),
    }
}

/// Returns whether the text is an origin, or one whose host begins with `*.`: all names below it. A policy cannot have
/// addresses of IPv6.
fn is_site(text: &str) -> bool {
    let is_origin = |text: &str| origin(text).is_some();
    if text.contains('[') {
        return false;
    }
    match text.split_once("://*.") {
        Some((scheme, host)) => is_origin(&format!("{scheme}://{host}")),
        None => is_origin(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sites: &[&str]) -> Result<Option<String>, BadFrames> {
        let sites: Vec<String> = sites.iter().map(|&site| site.to_owned()).collect();
        ancestors(&sites)
    }

    #[test]
    fn sites_are_origins_and_all_names_below_one() {
        assert_eq!(of(&[]), Ok(None));
        let sites = [
            "https://a.example",
            "https://*.b.example:8443",
            "http://localhost:3000",
            "http://10.0.0.1",
        ];
        assert_eq!(of(&sites), Ok(Some(sites.join(" "))));
    }

    #[test]
    fn what_could_end_the_directive_or_match_nothing_is_rejected() {
        for wrong in [
            "",
            "*",
            "'self'",
            "https:",
            "a.example",
            "https://a.example/",
            "https://a.example/b",
            "https://a.example;script-src *",
            "https://a.example https://b.example",
            "https://a.example,https://b.example",
            "https://a.*.example",
            "https://*",
            "https://*.",
            "https://*.*.example",
            "https://a.example:*",
            "https://a.example:443",
            "https://A.example",
            "https://b\u{fc}cher.example",
            "http://[::1]:8080",
            "ftp://a.example",
        ] {
            assert_eq!(
                of(&["https://b.example", wrong]),
                Err(BadFrames::Site(wrong.to_owned()))
            );
        }
    }

    #[test]
    fn the_number_of_sites_is_limited() {
        assert!(of(&["https://a.example"; SITES_MAX]).is_ok());
        let many = of(&["https://a.example"; SITES_MAX + 1]);
        assert_eq!(many, Err(BadFrames::TooMany(SITES_MAX + 1)));
    }
}
