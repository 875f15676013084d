//! What the gate requires and returns, added to every operation: keys, and problems that any request may have.

use access::Scope;
use axum::http::Method;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Components, OpenApi, RefOr};
use wire::problem::ProblemType;

use crate::openapi::problems::{problems_of, responses_for};
use crate::route::{self, Limits, Needs};

/// The name of the security scheme for keys.
const KEY: &str = "key";

/// Adds the requirements and problems of the gate to every operation.
pub(super) fn add_to(document: &mut OpenApi) {
    let scheme = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(
            "A key of the configuration: `Authorization: Bearer KEY`. A server without keys asks for none.",
        ));
    let components = document.components.get_or_insert_with(Components::new);
    components.add_security_scheme(KEY, SecurityScheme::Http(scheme.build()));
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations(item) {
            add_to_operation(path, &method, operation);
        }
    }
}

/// Returns the operations of a path.
pub(super) fn operations(item: &mut PathItem) -> impl Iterator<Item = (Method, &mut Operation)> {
    let all = [
        (Method::GET, &mut item.get),
        (Method::PUT, &mut item.put),
        (Method::POST, &mut item.post),
        (Method::DELETE, &mut item.delete),
        (Method::PATCH, &mut item.patch),
    ];
    all.into_iter()
        .filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

fn add_to_operation(path: &str, method: &Method, operation: &mut Operation) {
    let route = route::all().find(|route| route.path == path && *method == route.method);
    let needs = route.map(|route| route.needs);
    let scope = match needs {
        None | Some(Needs::Nothing) => None,
        Some(Needs::Metrics | Needs::Stream | Needs::ReadKey) => Some(Scope::Read),
        Some(Needs::Key(scope)) => Some(scope),
    };
    let mut problems = of_the_connection();
    if route.is_some_and(|route| route.limits != Limits::Probe) {
        problems.extend(of_every_route(
            scope.is_some(),
            operation.request_body.is_some(),
        ));
    }
    let responses = &mut operation.responses.responses;
    for response in responses.values() {
        let RefOr::T(response) = response else {
            continue;
        };
        for problem in problems_of(response).unwrap_or_default() {
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    }
    if path.contains('{') {
        // For an empty parameter.
        problems.push(ProblemType::UnknownPath);
    }
    responses.extend(responses_for(&problems));
    let Some(scope) = scope else { return };
    // A scheme that has no scopes of its own may still name what it takes (OpenAPI 3.1).
    let key = SecurityRequirement::new(KEY, [scope.as_str()]);
    let mut security = vec![key];
    if matches!(needs, Some(Needs::Stream | Needs::ReadKey)) {
        // None, for public kinds.
        security.push(SecurityRequirement::default());
    }
    operation.security = Some(security);
}

/// Returns the problems of every request, probes included.
fn of_the_connection() -> Vec<ProblemType> {
    use ProblemType as P;
    vec![P::Invalid, P::TooLarge, P::UnsupportedMediaType]
}

/// Returns the further problems of every route except probes.
fn of_every_route(is_keyed: bool, has_body: bool) -> Vec<ProblemType> {
    use ProblemType as P;
    let mut problems = vec![P::UnknownHost, P::TooManyRequests, P::Overloaded];
    if is_keyed {
        problems.extend([P::Unauthorized, P::Forbidden, P::Unavailable, P::Unknown]);
    }
    if has_body {
        problems.extend([P::Malformed, P::TooSlow]);
    }
    problems
}
