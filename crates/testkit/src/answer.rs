//! What a server answered: [`Answer`], and what every answer of a sort has to be.

use serde_json::Value;
use ureq::Body;
use ureq::http::Response;

/// A whole answer.
#[derive(Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Names, in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The body as text.
    pub body: String,
}

impl Answer {
    /// An error: it did not come whole.
    pub(crate) fn read(mut response: Response<Body>) -> Result<Self, ureq::Error> {
        let headers = response.headers().iter();
        let headers = headers.map(|(name, value)| {
            let value = value.to_str().unwrap().to_owned();
            (name.as_str().to_owned(), value)
        });
        Ok(Self {
            status: response.status().as_u16(),
            headers: headers.collect(),
            body: response
                .body_mut()
                .with_config()
                .limit(256 << 20)
                .read_to_string()?,
        })
    }

    /// A header, empty where it is not there.
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(other, _)| other == name);
        found.map_or("", |(_, value)| value)
    }

    /// The body as JSON.
    #[track_caller]
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The body of a 200.
    #[track_caller]
    pub fn ok(&self) -> Value {
        self.is(200)
    }

    /// The body of a success with this status.
    #[track_caller]
    pub fn is(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        assert_eq!(self.header("content-type"), "application/json");
        self.value()
    }

    /// A success without a body.
    #[track_caller]
    pub fn is_empty(&self) {
        assert_eq!((self.status, self.body.as_str()), (204, ""));
    }

    /// `entries` of a 200.
    #[track_caller]
    pub fn entries(&self) -> Vec<Value> {
        self.ok()["entries"].as_array().unwrap().clone()
    }

    /// Rank, member and points of each entry of a 200.
    #[track_caller]
    pub fn ranked(&self) -> Vec<(u64, String, i64)> {
        let entry = |entry: &Value| {
            let member = entry["member"].as_str()?.to_owned();
            Some((entry["rank"].as_u64()?, member, entry["points"].as_i64()?))
        };
        self.entries().iter().map(|e| entry(e).unwrap()).collect()
    }

    /// Problem details of this status and type, whose detail holds all of these texts.
    #[track_caller]
    pub fn problem(&self, status: u16, word: &str, parts: &[&str]) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        assert_eq!(self.header("content-type"), "application/problem+json");
        assert_eq!(self.header("cache-control"), "no-store");
        assert_eq!(self.header("x-content-type-options"), "nosniff");
        let problem = self.value();
        assert_eq!(problem["type"], word, "{problem}");
        assert_eq!(problem["status"], status, "{problem}");
        assert!(!problem["title"].as_str().unwrap().is_empty(), "{problem}");
        let detail = problem["detail"].as_str().unwrap();
        for part in parts {
            assert!(detail.contains(part), "{part:?} is not in: {detail}");
        }
        problem
    }
}
