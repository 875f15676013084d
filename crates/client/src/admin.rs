//! What admins see of a server. These requests require a key of scope `admin` for all kinds.

use std::fmt::Display;

use crate::answer::{AuditPage, Keys};
use crate::client::{Client, Retry};
use crate::error::Error;
use crate::query::{ApiRequest, request};

request! {
    /// A page of the audit log: [`Client::audit`].
    GetAudit -> AuditPage {
        /// Reads the log of callers that are not admins.
        writers: bool,
        /// Continues before the last line of another page: [`AuditPage::next`].
        before: impl Display,
        /// Limits the page: up to 1,000 lines, 100 by default.
        limit: u64,
    } Always
}

impl Client {
    /// Lists the newest lines of the audit log of the server that responds.
    pub fn audit(&self) -> GetAudit {
        GetAudit {
            request: ApiRequest::get(self, Ok("/v1/audit".to_owned())),
        }
    }

    /// Lists the configured keys, without the keys themselves.
    pub async fn keys(&self) -> Result<Keys, Error> {
        let request = ApiRequest::get(self, Ok("/v1/keys".to_owned()));
        self.read(&request.call()?, Retry::Always).await
    }
}
