//! The operations of the document: [`Operation`].

use serde_json::{Map, Value};
use testkit::{Response, Server, encoded};

/// An operation of the document.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) description: Map<String, Value>,
}

/// A request body: its media type and its text.
pub(super) type Body = Option<(String, String)>;

impl Operation {
    /// Returns all operations.
    pub(super) fn all(document: &Value) -> Vec<Self> {
        let paths = document["paths"].as_object().unwrap();
        let operation = |path: &str, method: &str, description: &Value| Self {
            method: method.to_uppercase(),
            path: path.to_owned(),
            description: description.as_object().unwrap().clone(),
        };
        let items = paths.iter().flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().iter();
            methods.map(move |(method, description)| operation(path, method, description))
        });
        items.collect()
    }

    pub(super) fn id(&self) -> &str {
        self.description["operationId"].as_str().unwrap()
    }

    /// Returns the parameters in `path`, `query` or `header`.
    pub(super) fn parameters(&self, location: &str) -> impl Iterator<Item = &Value> {
        let all = self.description.get("parameters").and_then(Value::as_array);
        let all = all.into_iter().flatten();
        all.filter(move |parameter| parameter["in"] == location)
    }

    /// Returns the path with examples of its parameters, and all query parameters that have one.
    pub(super) fn target(&self) -> String {
        let mut path = self.path.clone();
        for parameter in self.parameters("path") {
            let name = parameter["name"].as_str().unwrap();
            let example =
                example_of(parameter).unwrap_or_else(|| panic!("{path}: {name} has no example"));
            path = path.replace(&format!("{{{name}}}"), &encoded(&example));
        }
        let query = self.parameters("query").filter_map(|parameter| {
            let name = parameter["name"].as_str().unwrap();
            Some(format!("{name}={}", encoded(&example_of(parameter)?)))
        });
        let query: Vec<String> = query.collect();
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{path}{mark}{}", query.join("&"))
    }

    /// Returns every example of the body, or `None` once if the operation has no body.
    pub(super) fn bodies(&self) -> Vec<Body> {
        let Some(body) = self.description.get("requestBody") else {
            return vec![None];
        };
        let contents = body["content"].as_object().unwrap().iter();
        let bodies = contents.flat_map(|(media_type, content)| {
            let several = content["examples"].as_object().into_iter().flatten();
            let several = several.map(|(_, example)| &example["value"]);
            let examples = several.chain(content.get("example"));
            let examples: Vec<_> = examples
                .map(|example| Some((media_type.clone(), text(example))))
                .collect();
            assert!(
                !examples.is_empty(),
                "{}: a body without an example",
                self.path
            );
            examples
        });
        bodies.collect()
    }

    #[track_caller]
    pub(super) fn ask(&self, server: &Server, target: &str, body: &Body) -> Response {
        match body {
            Some((media_type, text)) => server.send(
                &self.method,
                target,
                &[("content-type", media_type)],
                &**text,
            ),
            None => server.send(&self.method, target, &[], ""),
        }
    }
}

fn example_of(parameter: &Value) -> Option<String> {
    let example = parameter
        .get("example")
        .or_else(|| parameter["schema"].get("example"));
    example.map(text)
}

fn text(example: &Value) -> String {
    example
        .as_str()
        .map_or_else(|| example.to_string(), str::to_owned)
}
