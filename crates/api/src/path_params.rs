//! [`PathParams`]: the parameters of a matched path.

use std::ops::Range;

use matchit::Params;

/// Maximum parameters of a path.
const PARAMS_MAX: usize = 3;

/// The parameters of a path: the name of each, and the range of its value in the path.
#[derive(Debug, Clone, Default)]
pub(crate) struct PathParams([Option<(&'static str, Range<usize>)>; PARAMS_MAX]);

impl PathParams {
    /// Locates the values in the path that was matched; `None` if one is empty.
    pub(crate) fn of(path: &str, found: &Params<'static, '_>) -> Option<Self> {
        let mut params = [const { None }; PARAMS_MAX];
        for ((name, value), param) in found.iter().zip(&mut params) {
            if value.is_empty() {
                return None;
            }
            let begin = value.as_ptr().addr() - path.as_ptr().addr();
            *param = Some((name, begin..begin + value.len()));
        }
        Some(Self(params))
    }

    /// Returns the parameters of the path that was matched, by name, as they are written.
    pub(crate) fn iter<'p>(&self, path: &'p str) -> impl Iterator<Item = (&'static str, &'p str)> {
        let params = self.0.iter().flatten();
        params.filter_map(move |(name, range)| Some((*name, path.get(range.clone())?)))
    }

    /// Returns a parameter of the path that was matched, as it is written.
    pub(crate) fn get<'p>(&self, path: &'p str, name: &str) -> Option<&'p str> {
        let mut params = self.iter(path);
        params
            .find(|(other, _)| *other == name)
            .map(|(_, value)| value)
    }
}
