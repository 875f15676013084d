//! Requests to any path, for parts of the API that have no typed method: each is sent once and returns a [`Response`]
//! of any status.

use bytes::Bytes;
use reqwest::Method;

use crate::client::{Call, Client, Response};
use crate::error::Error;

impl Client {
    /// Sends `GET` once. The path begins with `/`, and is percent-encoded including its query.
    pub async fn get(&self, path: impl Into<String>) -> Result<Response, Error> {
        self.send(&Call::new(Method::GET, path.into())).await
    }

    /// Sends `PUT` without a body once.
    pub async fn put(&self, path: impl Into<String>) -> Result<Response, Error> {
        self.send(&Call::new(Method::PUT, path.into())).await
    }

    /// Sends `DELETE` once.
    pub async fn delete(&self, path: impl Into<String>) -> Result<Response, Error> {
        self.send(&Call::new(Method::DELETE, path.into())).await
    }

    /// Sends a body of this type once.
    pub async fn post(
        &self,
        path: impl Into<String>,
        content_type: &str,
        body: Bytes,
    ) -> Result<Response, Error> {
        let mut call = Call::new(Method::POST, path.into());
        call.content_type = content_type.to_owned().into();
        call.body = Some(body);
        self.send(&call).await
    }
}
