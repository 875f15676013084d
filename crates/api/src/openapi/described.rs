//! What `described.json` says of operations: descriptions of responses, their headers and examples. It is added to what
//! the handlers say, with the parameters of the path, and what all conditional reads have in common.

use std::collections::BTreeMap;

use axum::http::Method;
use serde::Deserialize;
use serde_json::Value;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{Content, OpenApi, RefOr};
use utoipa::{IntoParams as _, IntoResponses as _};

use super::gate::operations;
use super::params::{NotModified, OfKnown, OfPath};

/// The request or a response of an operation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Described {
    description: Option<String>,
    headers: BTreeMap<String, String>,
    /// By media type.
    content: BTreeMap<String, Examples>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Examples {
    example: Option<Value>,
    #[serde(default)]
    examples: BTreeMap<String, Value>,
}

/// Adds to every operation of a document what is written of it.
pub(super) fn add_to(document: &mut OpenApi) {
    let mut all: BTreeMap<String, BTreeMap<String, Described>> =
        serde_json::from_str(include_str!("described.json")).expect("it describes operations");
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations(item) {
            let id = operation.operation_id.clone().unwrap_or_default();
            for (part, described) in all.remove(&id).unwrap_or_default() {
                if part == "request" {
                    describe_request(operation, described);
                } else {
                    describe_response(operation, &part, described);
                }
            }
            add_common(path, &method, operation);
        }
    }
    assert!(all.is_empty(), "no such operations: {:?}", all.keys());
}

fn describe_request(operation: &mut Operation, described: Described) {
    let Some(RefOr::T(body)) = &mut operation.request_body else {
        panic!("{:?} has no body", operation.operation_id);
    };
    body.description = described.description;
    for (media_type, examples) in described.content {
        add_examples(body.content.get_mut(&media_type), examples);
    }
}

fn describe_response(operation: &mut Operation, status: &str, described: Described) {
    let Some(RefOr::T(response)) = operation.responses.responses.get_mut(status) else {
        panic!("{:?} has no response {status}", operation.operation_id);
    };
    response.description = described.description.unwrap_or_default();
    for (name, description) in described.headers {
        let text = ObjectBuilder::new().schema_type(Type::String);
        let header = HeaderBuilder::new()
            .schema(Some(text))
            .description(Some(description))
            .build();
        response.headers.insert(name, header.into());
    }
    for (media_type, examples) in described.content {
        add_examples(response.content.get_mut(&media_type), examples);
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "a reborrow of an option is no shorter"
)]
fn add_examples(content: Option<&mut RefOr<Content>>, examples: Examples) {
    let Some(RefOr::T(content)) = content else {
        panic!("there is no such content");
    };
    content.example = examples.example;
    let named = examples.examples.into_iter().map(|(name, value)| {
        let example = ExampleBuilder::new().value(Some(value)).build();
        (name, example.into())
    });
    content.examples = named.collect();
}

/// Adds the parameters of the path, and to a read that has an entity tag the header that names it, and the 304.
fn add_common(path: &str, method: &Method, operation: &mut Operation) {
    let in_path = OfPath::into_params(|| None).into_iter();
    let in_path = in_path.filter(|param| path.contains(&format!("{{{}}}", param.name)));
    let mut parameters: Vec<_> = in_path.map(RefOr::T).collect();
    parameters.append(operation.parameters.get_or_insert_default());
    let responses = &mut operation.responses.responses;
    let has_tag = |response: &RefOr<_>| match response {
        RefOr::T(utoipa::openapi::Response { headers, .. }) => headers.contains_key("etag"),
        RefOr::Ref(_) => false,
    };
    if method == Method::GET && responses.values().any(has_tag) {
        parameters.extend(OfKnown::into_params(|| None).into_iter().map(RefOr::T));
        responses.extend(NotModified::responses());
    }
    operation.parameters = Some(parameters).filter(|parameters| !parameters.is_empty());
}
