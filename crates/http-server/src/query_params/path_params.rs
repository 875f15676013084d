//! [`PathParams`]: the parameters of a path.

/// The parameters of a path that has a route, as they are written. Each is at one position of all such paths, so they
/// are found again wherever they are needed, and requests need not carry them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PathParams<'p> {
    /// The kind.
    pub kind: Option<&'p str>,
    /// The subject of a board.
    pub subject: Option<&'p str>,
    /// The member.
    pub member: Option<&'p str>,
    /// The file of the page.
    pub file: Option<&'p str>,
}

impl<'p> PathParams<'p> {
    /// Returns the parameters of a path.
    #[must_use]
    pub fn of(path: &'p str) -> Self {
        let mut params = Self::default();
        if let Some(path) = path.strip_prefix("/v1/boards/") {
            let mut segments = path.split('/');
            params.kind = segments.next();
            params.subject = segments.next();
            if segments.next() == Some("members") {
                params.member = segments.next();
            }
        } else if let Some(path) = path.strip_prefix("/v1/kinds/") {
            let mut segments = path.split('/');
            params.kind = segments.next();
            if segments.next() == Some("members") {
                params.member = segments.next();
            }
        } else if let Some(path) = path.strip_prefix("/v1/members/") {
            params.member = path.split('/').next();
        } else if let Some(path) = path.strip_prefix("/overlay/") {
            let mut segments = path.split('/');
            params.kind = segments.next();
            params.subject = segments.next();
        } else if let Some(path) = path.strip_prefix("/page/") {
            params.file = path.split('/').next();
        }
        params
    }

    /// Returns the parameters with their names, in the order of the path.
    pub fn iter(self) -> impl Iterator<Item = (&'static str, &'p str)> {
        let all = [
            ("kind", self.kind),
            ("subject", self.subject),
            ("member", self.member),
            ("file", self.file),
        ];
        all.into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
    }
}
