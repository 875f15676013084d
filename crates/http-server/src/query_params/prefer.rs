//! The header `Prefer` (RFC 7240): how long a client wants its request to be tried.

use std::time::Duration;

/// Returns the wait of the values of `Prefer`, as `wait=15`. Other preferences, and a wait that is not a number of
/// seconds, are ignored, as the standard requires. Of several waits the first counts.
#[must_use]
pub fn wait<'a>(values: impl IntoIterator<Item = &'a str>) -> Option<Duration> {
    let preferences = values.into_iter().flat_map(|value| value.split(','));
    let mut waits = preferences.filter_map(|preference| {
        let plain = preference.split(';').next()?;
        let (name, seconds) = plain.split_once('=')?;
        let is_wait = name.trim().eq_ignore_ascii_case("wait");
        is_wait.then(|| seconds.trim().trim_matches('"'))
    });
    let seconds = waits.next()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_wait_counts() {
        for (values, seconds) in [
            (&["wait=15"][..], Some(15)),
            (&["respond-async, Wait = \"3\"; a=b"], Some(3)),
            (&["return=minimal", "wait=2, wait=9"], Some(2)),
            (&["wait", "wait=soon"], None),
            (&["waiting=5"], None),
            (&["wait=-1"], None),
            (&[], None),
        ] {
            let expected = seconds.map(Duration::from_secs);
            assert_eq!(wait(values.iter().copied()), expected, "{values:?}");
        }
    }
}
