//! What a server shows at its start to the person who started it: [`Greeting`].
//!
//! It goes to standard error, and only beside log lines that are text.

use std::fmt::{self, Display, Formatter};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::absolute;
use std::sync::Arc;

use access::KeySettings;
use board::Kind;

use crate::config::ConfiguredKind;
use crate::store::StoreUrl;

/// The board of the first call.
const SUBJECT: &str = "room-1";

/// Where the page, its documentation and the boards are, whether keys are set, and a first call.
pub(crate) struct Greeting<'a> {
    pub(crate) address: SocketAddr,
    pub(crate) store: &'a StoreUrl,
    pub(crate) is_demo: bool,
    pub(crate) keys: &'a [KeySettings],
    /// The kind of the first call.
    pub(crate) kind: Option<Arc<Kind>>,
}

/// Returns the kind of the first call: the first configured one that exists, otherwise any.
pub(crate) fn first_kind(configured: &[ConfiguredKind], known: &[Arc<Kind>]) -> Option<Arc<Kind>> {
    let find = |name: &str| known.iter().find(|kind| kind.name().as_str() == name);
    let first = configured.iter().find_map(|kind| find(kind.name()));
    first.or(known.first()).cloned()
}

impl Greeting<'_> {
    fn boards(&self) -> String {
        let stream = if self.is_demo {
            "a simulated live stream, "
        } else {
            ""
        };
        match self.store {
            StoreUrl::Memory => {
                format!("{stream}in memory: nothing is kept after the server stops")
            }
            StoreUrl::Embedded(folder) => {
                let whole = absolute(folder);
                let folder = whole.as_deref().unwrap_or(folder);
                format!("in the folder {}", folder.display())
            }
            StoreUrl::Redis(url) => format!("in {url}"),
        }
    }

    /// Returns a call that succeeds, if the variable has a key for it, and the scope of the key.
    fn first_call(&self, url: &str) -> (String, &'static str) {
        let json = "-H 'content-type: application/json'";
        let Some(kind) = &self.kind else {
            let call = format!("curl -X PUT {url}/v1/kinds/gifts {json} -d '{{}}'");
            return (call, "admin");
        };
        let name = kind.name();
        if !self.keys.is_empty() && !self.keys.iter().any(|key| key.permits_writes(name)) {
            return (format!("curl {url}/v1/boards/{name}/{SUBJECT}/top"), "read");
        }
        let values = match kind.rules().fields() {
            [field] if field.name.as_str() == "points" => "\"points\":30".to_owned(),
            fields => {
                let values = fields.iter().map(|field| format!("\"{}\":1", field.name));
                let values: Vec<String> = values.collect();
                format!("\"values\":{{{}}}", values.join(","))
            }
        };
        let item = format!("{{\"board\":\"{name}/{SUBJECT}\",\"member\":\"ada\",{values}}}");
        let call = format!("curl {url}/v1/contributions {json} -d '{item}'");
        (call, "write")
    }
}

impl Display for Greeting<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address {
                SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
        }
        let url = format!("http://{address}");
        let (mut call, scope) = self.first_call(&url);
        let keys = match self.keys.len() {
            0 if self.address.ip().to_canonical().is_loopback() => {
                "none: every program on this machine has full access".to_owned()
            }
            0 => "none: everyone who can reach this server has full access".to_owned(),
            count => {
                call.push_str(" -H \"authorization: Bearer $MEGABOARD_KEY\"");
                let which = if count == 1 { "it" } else { "one of them" };
                format!(
                    "{count}: requests require {which}; for the call below, MEGABOARD_KEY is a key with the scope \
                     {scope}"
                )
            }
        };
        let boards = self.boards();
        write!(
            f,
            "\n  page    {url}/\n  docs    {url}/docs\n  boards  {boards}\n  keys    {keys}\n  try     {call}\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use wire::KindShape;

    use super::*;

    fn kind(name: &str, settings: &str) -> Arc<Kind> {
        let shape: KindShape = toml::from_str(settings).unwrap();
        Arc::new(shape.into_kind(name).unwrap())
    }

    /// Returns a key for these kinds.
    fn key(scope: &str, kinds: &str) -> KeySettings {
        let hash = access::NewKey::generate().unwrap().hash();
        let text = format!("name = \"k\"\nhash = {hash:?}\nscope = {scope:?}\n{kinds}");
        toml::from_str(&text).unwrap()
    }

    fn greeting<'a>(store: &'a StoreUrl, keys: &'a [KeySettings]) -> Greeting<'a> {
        Greeting {
            address: "127.0.0.1:8080".parse().unwrap(),
            store,
            is_demo: false,
            keys,
            kind: Some(kind("gifts", "")),
        }
    }

    #[test]
    fn it_has_the_page_the_docs_the_folder_and_a_first_call() {
        let folder = StoreUrl::Embedded("/srv/boards".into());
        assert_eq!(
            greeting(&folder, &[]).to_string(),
            "\n  page    http://127.0.0.1:8080/\n  docs    http://127.0.0.1:8080/docs\n  \
             boards  in the folder /srv/boards\n  \
             keys    none: every program on this machine has full access\n  \
             try     curl http://127.0.0.1:8080/v1/contributions -H 'content-type: application/json' \
             -d '{\"board\":\"gifts/room-1\",\"member\":\"ada\",\"points\":30}'\n"
        );
    }

    #[test]
    fn any_address_is_shown_as_one_of_this_machine() {
        for (address, url) in [
            ("0.0.0.0:80", "http://127.0.0.1:80/"),
            ("[::]:80", "http://[::1]:80/"),
            ("10.0.0.7:80", "http://10.0.0.7:80/"),
        ] {
            let mut greeting = greeting(&StoreUrl::Memory, &[]);
            greeting.address = address.parse().unwrap();
            let text = greeting.to_string();
            assert!(text.contains(&format!("page    {url}\n")), "{text}");
            assert!(
                text.contains("everyone who can reach this server"),
                "{text}"
            );
        }
    }

    #[test]
    fn the_password_of_redis_is_not_shown() {
        let store: StoreUrl = "redis://me:s3cret@h:7000".parse().unwrap();
        let text = greeting(&store, &[]).to_string();
        assert!(
            text.contains("boards  in redis://me:***@h:7000\n"),
            "{text}"
        );
    }

    #[test]
    fn the_first_call_has_the_header_and_is_one_that_a_key_permits() {
        let of_others = key("admin", "kinds = [\"races\"]");
        let both = [of_others.clone(), key("write", "")];
        let text = greeting(&StoreUrl::Memory, &both).to_string();
        assert!(
            text.contains("keys    2: requests require one of them; "),
            "{text}"
        );
        assert!(text.contains("a key with the scope write\n"), "{text}");
        let header = " -H \"authorization: Bearer $MEGABOARD_KEY\"\n";
        assert!(
            text.ends_with(&format!("\"points\":30}}'{header}")),
            "{text}"
        );
        let only = [of_others];
        let text = greeting(&StoreUrl::Memory, &only).to_string();
        let call = "curl http://127.0.0.1:8080/v1/boards/gifts/room-1/top";
        assert!(text.ends_with(&format!("try     {call}{header}")), "{text}");
    }

    #[test]
    fn the_first_call_has_the_fields_of_the_kind_or_creates_one() {
        let mut greeting = greeting(&StoreUrl::Memory, &[]);
        let fields = "fields = [{ name = \"laps\" }, { name = \"seconds\", order = \"asc\" }]";
        greeting.kind = Some(kind("races", fields));
        let text = greeting.to_string();
        assert!(text.contains(
            "\"races/room-1\",\"member\":\"ada\",\"values\":{\"laps\":1,\"seconds\":1}}'"
        ));
        greeting.kind = None;
        let text = greeting.to_string();
        assert!(
            text.contains("curl -X PUT http://127.0.0.1:8080/v1/kinds/gifts "),
            "{text}"
        );
    }
}
