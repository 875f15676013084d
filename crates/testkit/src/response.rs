//! The response of a server: [`Response`], with assertions about its status, headers and body.

use std::io::Read as _;

use flate2::read::GzDecoder;
use serde_json::Value;
use ureq::Body;
use ureq::http;

/// A complete response.
#[derive(Debug)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Names (in lower case) and values.
    pub headers: Vec<(String, String)>,
    /// The body as text, decoded if it has a content coding.
    pub body: String,
    /// The bytes of the body as it was sent.
    pub bytes: usize,
}

impl Response {
    /// Fails if the response is cut off.
    pub(crate) fn read(mut response: http::Response<Body>) -> Result<Self, ureq::Error> {
        let headers = response.headers().iter();
        let headers = headers.map(|(name, value)| {
            let value = value.to_str().unwrap().to_owned();
            (name.as_str().to_owned(), value)
        });
        let (status, headers) = (response.status().as_u16(), headers.collect());
        let sent = response.body_mut().with_config().limit(256 << 20);
        let sent = sent.read_to_vec()?;
        let mut read = Self {
            status,
            headers,
            body: String::new(),
            bytes: sent.len(),
        };
        let body = decoded(read.header("content-encoding"), sent);
        read.body = String::from_utf8(body).unwrap();
        Ok(read)
    }

    /// Returns a header's value, or an empty string if the header is absent.
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(other, _)| other == name);
        found.map_or("", |(_, value)| value)
    }

    /// Parses the body as JSON.
    #[track_caller]
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts status 200 and returns the JSON body.
    #[track_caller]
    pub fn ok(&self) -> Value {
        self.is(200)
    }

    /// Asserts this success status and returns the JSON body.
    #[track_caller]
    pub fn is(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        assert_eq!(self.header("content-type"), "application/json");
        self.value()
    }

    /// Asserts that every contribution was rejected, and returns the receipt.
    #[track_caller]
    pub fn rejected(&self) -> Value {
        self.problem(422, "nothing-applied", &["rejected"])
    }

    /// Asserts status 204 and an empty body.
    #[track_caller]
    pub fn is_empty(&self) {
        assert_eq!((self.status, self.body.as_str()), (204, ""));
    }

    /// Asserts status 200 and returns the body's `entries`.
    #[track_caller]
    pub fn entries(&self) -> Vec<Value> {
        self.ok()["entries"].as_array().unwrap().clone()
    }

    /// Asserts status 200 and returns the rank, member and points of each entry.
    #[track_caller]
    pub fn ranked(&self) -> Vec<(u64, String, i64)> {
        let entry = |entry: &Value| {
            let member = entry["member"].as_str()?.to_owned();
            Some((entry["rank"].as_u64()?, member, entry["points"].as_i64()?))
        };
        self.entries().iter().map(|e| entry(e).unwrap()).collect()
    }

    /// Asserts a problem response with this status and type, whose `detail` contains each of
    /// `parts`. Returns the problem.
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

fn decoded(coding: &str, sent: Vec<u8>) -> Vec<u8> {
    let mut body = Vec::new();
    match coding {
        "" => return sent,
        // Of no body, after `HEAD`.
        _ if sent.is_empty() => {}
        "gzip" => {
            GzDecoder::new(&*sent).read_to_end(&mut body).unwrap();
        }
        other => panic!("unknown content-encoding {other:?}"),
    }
    body
}
