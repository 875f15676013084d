//! Building requests: [`ApiRequest`], and [`request!`], which declares the typed builders.

use std::fmt::Display;

use bytes::Bytes;
use reqwest::Method;
use serde::Serialize;

use crate::client::{Call, Client};
use crate::error::Error;
use crate::name::encoded;

/// A request under construction. An invalid name is reported when it is sent.
#[derive(Debug, Clone)]
pub(crate) struct ApiRequest {
    pub(crate) client: Client,
    method: Method,
    path: Result<String, String>,
    query: Vec<(String, String)>,
}

impl ApiRequest {
    pub(crate) fn new(client: &Client, method: Method, path: Result<String, Error>) -> Self {
        Self {
            client: client.clone(),
            method,
            path: path.map_err(|error| error.to_string()),
            query: Vec::new(),
        }
    }

    pub(crate) fn get(client: &Client, path: Result<String, Error>) -> Self {
        Self::new(client, Method::GET, path)
    }

    /// Adds a query parameter.
    pub(crate) fn with(mut self, name: &str, value: impl Display) -> Self {
        self.query.push((name.to_owned(), value.to_string()));
        self
    }

    /// Returns whether it has a query parameter.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.query.iter().any(|(other, _)| other == name)
    }

    /// Replaces the value of a query parameter.
    pub(crate) fn replace(mut self, name: &str, value: impl Display) -> Self {
        self.query.retain(|(other, _)| other != name);
        self.with(name, value)
    }

    /// Returns the request, without a body.
    pub(crate) fn call(&self) -> Result<Call, Error> {
        let path = self.path.as_ref();
        let path = path.map_err(|wrong| Error::Unusable(wrong.clone()))?;
        let path = format!("{path}{}", self.query());
        Ok(Call::new(self.method.clone(), path))
    }

    fn query(&self) -> String {
        let mut query = String::new();
        for (name, value) in &self.query {
            query.push(if query.is_empty() { '?' } else { '&' });
            query.push_str(name);
            query.push('=');
            query.push_str(&encoded(value));
        }
        query
    }

    /// Returns the request with a JSON body.
    pub(crate) fn call_with(&self, body: &impl Serialize) -> Result<Call, Error> {
        let body = serde_json::to_vec(body)
            .map_err(|error| Error::Unusable(format!("the body of the request: {error}")))?;
        Ok(Call {
            body: Some(Bytes::from(body)),
            ..self.call()?
        })
    }
}

/// Declares a request that is sent when it is awaited: the type of its response, its query parameters, when it is
/// retried ([`Retry`](crate::client::Retry)), and the type of its body.
macro_rules! request {
    (
        $(#[$meta:meta])*
        $name:ident -> $response:ty
        { $($(#[$doc:meta])* $parameter:ident: $type:ty,)* }
        $retry:ident $(with $body:ident: $body_type:ty)?
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone)]
        #[must_use = "nothing is sent until it is awaited"]
        pub struct $name {
            pub(crate) request: $crate::query::ApiRequest,
            $(pub(crate) $body: $body_type,)?
        }

        impl $name {
            $(
                $(#[$doc])*
                pub fn $parameter(mut self, $parameter: $type) -> Self {
                    self.request = self.request.with(stringify!($parameter), $parameter);
                    self
                }
            )*

            fn request(&self) -> Result<$crate::client::Call, $crate::Error> {
                $(return self.request.call_with(&self.$body);)?
                #[allow(unreachable_code, reason = "if there is a body")]
                self.request.call()
            }
        }

        impl std::future::IntoFuture for $name {
            type Output = Result<$response, $crate::Error>;
            type IntoFuture = futures::future::BoxFuture<'static, Self::Output>;

            fn into_future(self) -> Self::IntoFuture {
                Box::pin(async move {
                    let call = self.request()?;
                    let retry = $crate::client::Retry::$retry;
                    self.request.client.read(&call, retry).await
                })
            }
        }
    };
}

pub(crate) use request;
