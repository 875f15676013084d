//! `GET /v1/boards`: the boards of a kind, by subject or the busiest first.

use board::Subject;
use board::limits::NAME_BYTES_MAX;
use http_server::query_params::WholeNumber;
use http_server::validators::validated_json;
use serde::Deserialize;
use wire::BoardListShape;
use wire::problem::Problem;

use crate::call::{Call, HandlerResult};
#[cfg(test)]
use crate::openapi::prelude::*;
use crate::query::query;

const LIMIT_DEFAULT: usize = 100;
const LIMIT_MAX: u64 = 1000;

query! {
    struct BoardsParams {
        /// The kind's name.
        #[param(pattern = "^[a-z][a-z0-9-]{0,62}$", example = "gifts")]
        kind: String,
        /// The beginning of the subjects that are listed.
        #[param(nullable = false, max_length = 128, example = "room-")]
        prefix: Option<String>,
        /// `subject`, or the boards to which this server has recently written the most contributions, the busiest first.
        #[param(nullable = false, inline)]
        order: Option<BoardOrder>,
        /// The subject after which the page begins: `next` of the previous page. Not with `order=activity`.
        #[param(nullable = false, min_length = 1, max_length = 128)]
        after: Option<String>,
        /// The maximum number of boards.
        #[param(value_type = Option<u64>, nullable = false, minimum = 1, maximum = 1000, default = 100)]
        limit: Option<WholeNumber<1, LIMIT_MAX>>,
    }
}

/// The order of a list of boards.
#[derive(Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum BoardOrder {
    Subject,
    Activity,
}

/// List the boards of a kind
///
/// Lists the boards that have had a contribution, by subject. With `order=activity` it lists those to which this server
/// has recently written the most contributions.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/boards", operation_id = "boards", tag = "Boards", params(BoardsParams),
    responses((status = 200, body = BoardListShape), problems::OfKind),
))]
pub(crate) async fn list(call: Box<Call>) -> HandlerResult {
    let BoardsParams {
        kind,
        prefix,
        order,
        after,
        limit,
    } = call.params()?;
    let prefix = prefix.unwrap_or_default();
    let by_activity = order == Some(BoardOrder::Activity);
    if prefix.len() > NAME_BYTES_MAX {
        let detail = format!(
            "prefix: has {} bytes, more than {NAME_BYTES_MAX}",
            prefix.len()
        );
        return Err(Problem::invalid(detail));
    }
    if by_activity && after.is_some() {
        let detail = "after: is not accepted with order=activity, since boards change their order between two \
                      requests: use limit, up to 1000";
        return Err(Problem::invalid(detail));
    }
    let after = after.map(|text| Subject::new(&text)).transpose();
    let after = after.map_err(|error| Problem::invalid(format!("after: {error}")))?;
    let limit = limit.and_then(|limit| usize::try_from(limit.0).ok());
    let limit = limit.unwrap_or(LIMIT_DEFAULT);
    let app = &call.app;
    call.caller.check_read(&kind, &**app)?;
    let kind = app.kind(&kind).await?.kind;
    let shape = if by_activity {
        let boards = app.router.boards();
        let busiest = boards.busiest(&kind, &prefix, limit, app.now()).await;
        let listed = busiest
            .iter()
            .map(|busy| (&**busy.record, busy.contributions_per_minute));
        BoardListShape::by_activity(kind.name(), listed)
    } else {
        let name = kind.name();
        // One more than asked shows whether there is a next page.
        let store = app.router.store();
        pacing::spend(limit).await;
        let boards = store.boards(name, &prefix, after.as_ref(), limit + 1).await;
        let mut records = boards?;
        let more = records.len() > limit;
        records.truncate(limit);
        BoardListShape::by_subject(name, &records, more)
    };
    Ok(validated_json(&call.headers, &shape))
}
