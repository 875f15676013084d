//! `GET /v1/boards/{kind}/{subject}/count`: members whose first field lies between two values.

use board::Value;
use http_server::query_params::FieldValue;
use wire::CountShape;
use wire::problem::Problem;

use crate::call::{BoardRead, Call, HandlerResult};
#[cfg(test)]
use crate::openapi::prelude::*;
use crate::query::query;

query! {
    struct CountParams {
        /// The smallest value of the first field.
        #[param(value_type = Option<i64>, nullable = false, minimum = -9_007_199_254_740_991i64, maximum = 9_007_199_254_740_991i64)]
        min: Option<FieldValue>,
        /// The largest value of the first field.
        #[param(value_type = Option<i64>, nullable = false, minimum = -9_007_199_254_740_991i64, maximum = 9_007_199_254_740_991i64)]
        max: Option<FieldValue>,
    }
}

#[cfg(test)]
type CountResponse = BoardResponse<CountShape>;

/// Count the members whose first field is between two values
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/boards/{kind}/{subject}/count", operation_id = "count", tag = "Reading",
    params(CountParams, OfWindow),
    responses((status = 200, body = CountResponse), problems::OfWindow),
))]
pub(crate) async fn show(call: Box<Call>) -> HandlerResult {
    let (read, params) = BoardRead::of::<CountParams>(call).await?;
    let bounds = bounds(params.min, params.max)?;
    let (kind, window) = (read.board.kind(), read.window.window);
    let counting = read.merger().count(read.name(), kind, window, bounds);
    let counted = counting.await?;
    let count = counted.value;
    read.respond(&counted, "count", || CountShape { count })
}

/// Returns `min` and `max`. It is an error if `min` is above `max`.
pub(super) fn bounds(
    min: Option<FieldValue>,
    max: Option<FieldValue>,
) -> Result<(Option<Value>, Option<Value>), Problem> {
    let bounds = (min.map(|min| min.0), max.map(|max| max.0));
    match bounds {
        (Some(min), Some(max)) if min > max => {
            Err(Problem::invalid(format!("min: {min} is above max, {max}")))
        }
        _ => Ok(bounds),
    }
}
