//! The pages of a server: the live page, the page that shows the contract, the admin page, and a board over a video.
//! They are compiled in as they are in `files`: ES modules, style sheets and documents, without a build step or a
//! dependency. The `Content-Security-Policy` limits what a page may do: it talks to nobody but this server, runs
//! nothing but these files, and loads nothing from elsewhere but the images of profiles, over HTTPS and without a
//! referrer.
//!
//! ```text
//! main.js       the address says what is shown, a click changes the address (state.js); knows all other modules
//! stream.js     a connection: the top by request, then the EventSource; pauses, refusals (api.js: requests, key);
//!               connection.js shows its state, and that of the board (phase.js)
//! board.js      a board's name, and what else a frame says; announce.js: for screen readers; keyform.js: asks a key
//! rows.js       where rows are and how they get there; row.js: one row; columns.js: widths, and so a row's form
//! find.js       a member and its neighbours, over rows.js; meant.js: what a search means; trail.js: the line of its rank
//! choose.js     what there is to choose, with boards.js; steps.js: earlier windows; instead.js: if the first is empty
//! activity.js   what just came in; gains.js: derived from frames
//! words.js      all words, by language (language.js): words-en.js and others have the same keys; windows.js: those of
//!               windows; format.js, numbers.js: times and numbers by `Intl`
//! overlay.js    /overlay: its parameters (overlay-params.js), and a view (overlay-list.js, overlay-battle.js)
//! docs.js       /docs, group by group (docs-contract.js); docs-route.js: one operation; docs-schema.js: schemas
//! docs-find.js  its search box; docs-search.js: the index; docs-synonyms.js: what people say for the contract's words
//! docs-try.js   "Try it": the form (docs-request.js: URL and command); docs-answer.js, docs-json.js: the response
//! copy.js       commands, of both pages; docs-words.js: descriptions
//! admin.js      /admin: the key, and a view (admin-page.js) by the address: admin-overview.js (admin-metrics.js),
//!               admin-kinds.js, admin-board.js, admin-members.js, admin-member.js, admin-audit.js, admin-keys.js;
//!               admin-standing.js: sets and removes; admin-parts.js: what views are made of; admin-api.js: requests
//! confirm.js    the dialog before a change; looks.js: language and theme, of all pages
//! ```
//!
//! The stream hands over a frame as text. The next animation frame parses the newest one and drops those before it.
//! `rows.js` reads the layout once, orders the elements (one for each member, for as long as it is shown), and has
//! each show its entry, which touches only what differs. Rows that have moved and are visible glide.
//!
//! **Invariant:** other people's text becomes text nodes, in a `bdi`. No markup is made of strings anywhere.
//!
//! **Invariant:** nothing is moved or drawn that nobody sees: a hidden tab keeps the text of the last frame, no more.
//!
//! **Invariant:** the newest choice is shown. Answers for another board or member, requested before, are dropped.
//!
//! **Invariant:** what a person has typed, focused or selected stays, whatever is drawn again and however late an
//! answer arrives. What is drawn again and again is renewed (`renew` of dom.js), not replaced.

use std::sync::LazyLock;

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use http_server::validators::StaticFile;
use wire::problem::{Problem, ProblemType};

/// The live page.
pub(crate) const LIVE: &str = "index.html";

/// A board over a video. Its script reads the path, and the service says whether the board exists.
pub(crate) const OVERLAY: &str = "overlay.html";

/// The page that shows the contract.
pub(crate) const DOCS: &str = "docs.html";

/// The admin page.
pub(crate) const ADMIN: &str = "admin.html";

macro_rules! page_files {
    ($($name:literal)*) => {
        &[$(($name, include_bytes!(concat!("../files/", $name)))),*]
    };
}

const FILES: &[(&str, &[u8])] = page_files! {
    "activity.css" "activity.js" "admin-api.js" "admin-audit.js" "admin-board.js" "admin-keys.js" "admin-kinds.js"
    "admin-member.js" "admin-members.js" "admin-metrics.js" "admin-overview.js" "admin-page.js" "admin-parts.css"
    "admin-parts.js" "admin-standing.js" "admin.css" "admin.html" "admin.js" "announce.js" "api.js" "bar.css"
    "board.css" "board.js" "boards.js" "choose.js" "columns.js" "confirm.js" "connection.js" "copy.js"
    "docs-answer.js" "docs-contract.js" "docs-find.js" "docs-json.js" "docs-request.js" "docs-route.js"
    "docs-schema.js" "docs-search.js" "docs-synonyms.js" "docs-try.css" "docs-try.js" "docs-words.js" "docs.css"
    "docs.html" "docs.js" "dom.js" "fields.css" "find.css" "find.js" "format.js" "forms.css" "gains.js" "icon.svg"
    "index.html" "instead.js" "keyform.js" "language.js" "looks.js" "main.js" "meant.js" "numbers.js" "overlay-battle.js"
    "overlay-list.js" "overlay-params.js" "overlay.css" "overlay.html" "overlay.js" "page.css" "phase.js" "row.js"
    "rows.js" "state.js" "steps.js" "stream.js" "theme.js" "trail.js" "windows.js" "words-admin-en.js" "words-admin-es.js"
    "words-admin-ja.js" "words-admin-zh.js" "words-en.js" "words-es.js" "words-ja.js" "words-zh.js" "words.js"
};

static PAGE: LazyLock<Vec<(&str, StaticFile)>> = LazyLock::new(|| {
    let files = FILES.iter();
    let files = files.map(|&(name, bytes)| (name, StaticFile::new(media_type(name), bytes)));
    files.collect()
});

/// Makes a policy with these `frame-ancestors`.
macro_rules! policy {
    ($ancestors:literal) => {
        concat!(
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; ",
            "img-src 'self' data: https:; base-uri 'none'; frame-ancestors ",
            $ancestors,
            "; form-action 'none'"
        )
    };
}

const POLICY: HeaderValue = HeaderValue::from_static(policy!("'none'"));

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("css") => "text/css; charset=utf-8",
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

/// Responds with a file, which `sites` may embed in a frame; by default none may. Other names are an unknown path.
pub(crate) async fn respond(
    name: &str,
    headers: &HeaderMap,
    sites: Option<&str>,
) -> Result<Response, Problem> {
    let file = PAGE.iter().find(|(other, _)| *other == name);
    let (_, file) = file.ok_or_else(|| {
        let detail = format!("the page has no file {name:?}");
        Problem::new(ProblemType::UnknownPath, detail)
    })?;
    let mut response = file.respond(headers).await;
    let policy = sites.map_or(POLICY, |sites| {
        HeaderValue::try_from(format!(policy!("{}"), sites)).expect("sites are ASCII")
    });
    response
        .headers_mut()
        .insert(header::CONTENT_SECURITY_POLICY, policy);
    Ok(response)
}
