//! `docs/endpoints.md` and the table of settings in `docs/kinds.md` are generated from the
//! contract, `docs/openapi.json`.

use std::fmt::Write as _;

use serde_json::Value;

use super::{page, root};

/// If set, the pages are regenerated.
const UPDATE: &str = "MEGABOARD_UPDATE";

const ENDPOINTS: &str = "docs/endpoints.md";
const KINDS: &str = "docs/kinds.md";

/// The lines around the generated part of a page.
const BEGIN: &str = "<!-- Generated from openapi.json. -->\n";
const END: &str = "<!-- End of the generated part. -->\n";

/// The order of the methods of a path.
const METHODS: [&str; 4] = ["get", "post", "put", "delete"];

/// The contract, as text and parsed.
pub(super) struct Contract {
    text: String,
    json: Value,
}

impl Contract {
    pub(super) fn read() -> Self {
        let text = page("docs/openapi.json");
        let json = serde_json::from_str(&text).unwrap();
        Self { text, json }
    }

    /// Returns where the text has a member with this name, after `from`. Parsed members are sorted
    /// by name; the text has them in the order that is meant for readers.
    fn position(&self, from: &str, depth: usize, name: &str) -> usize {
        let start = self.text.find(from).unwrap();
        let member = format!("\n{}\"{name}\": {{", "  ".repeat(depth));
        self.text[start..].find(&member).unwrap()
    }

    /// Returns paths, methods and operations, in order.
    fn operations(&self) -> Vec<(&str, &str, &Value)> {
        let mut paths: Vec<_> = self.json["paths"].as_object().unwrap().iter().collect();
        paths.sort_by_key(|(path, _)| self.position("\"paths\": {", 2, path));
        let operations = paths.iter().flat_map(|(path, item)| {
            let of_method = |method| Some((path.as_str(), method, item.get(method)?));
            METHODS.into_iter().filter_map(of_method)
        });
        operations.collect()
    }

    /// Returns names and schemas of the settings of a kind, in order.
    pub(super) fn settings(&self) -> Vec<(&str, &Value)> {
        let schema = &self.json["components"]["schemas"]["Kind"];
        let settings = schema["properties"].as_object().unwrap().iter();
        // The name of the kind is in the path.
        let settings = settings.filter(|(name, _)| *name != "kind");
        let mut settings: Vec<_> = settings.map(|(name, schema)| (&**name, schema)).collect();
        settings.sort_by_key(|(name, _)| self.position("\n      \"Kind\": {", 5, name));
        settings
    }

    /// Resolves a reference to a schema.
    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let name = schema["$ref"].as_str().or_else(|| {
            let choices = schema["oneOf"].as_array()?;
            choices.iter().find_map(|choice| choice["$ref"].as_str())
        });
        let name = name.and_then(|name| name.rsplit('/').next());
        name.map_or(schema, |name| &self.json["components"]["schemas"][name])
    }
}

/// Returns a text as the cell of a row.
fn cell(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('|', "\\|")
}

/// Returns the least scope of a key that permits an operation, and whether some requests need none.
fn scope(operation: &Value) -> String {
    let choices = operation["security"].as_array();
    let choices = choices.map_or(&[][..], Vec::as_slice);
    let is_empty = |choice: &Value| choice.as_object().is_some_and(serde_json::Map::is_empty);
    let scope = choices.iter().find_map(|choice| choice["key"][0].as_str());
    match scope {
        None => "no key".to_owned(),
        Some(scope) if choices.iter().any(is_empty) => format!("{scope} or no key"),
        Some(scope) => scope.to_owned(),
    }
}

/// Returns a row for an operation: request, summary, parameters of the query, scope of the key.
fn endpoint(method: &str, path: &str, operation: &Value) -> String {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let of_query = parameters.filter(|parameter| parameter["in"] == "query");
    let names: Vec<String> = of_query
        .map(|parameter| format!("`{}`", parameter["name"].as_str().unwrap()))
        .collect();
    let scope = scope(operation);
    let summary = cell(operation["summary"].as_str().unwrap());
    let method = method.to_uppercase();
    let names = names.join(", ");
    format!("| `{method} {path}` | {summary} | {names} | {scope} |\n")
}

fn endpoints(contract: &Contract) -> String {
    let mut made = String::new();
    for tag in contract.json["tags"].as_array().unwrap() {
        let name = tag["name"].as_str().unwrap();
        let about = tag["description"].as_str().unwrap();
        write!(
            made,
            "\n## {name}\n\n{about}\n\n| request | what it does | query | key |\n"
        )
        .unwrap();
        made += "| --- | --- | --- | --- |\n";
        for (path, method, operation) in contract.operations() {
            if operation["tags"][0] == name {
                made += &endpoint(method, path, operation);
            }
        }
    }
    made + "\n"
}

/// Returns the type of a setting in words.
fn type_of(contract: &Contract, schema: &Value) -> String {
    let schema = contract.resolved(schema);
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        return words.join(", ");
    }
    if schema["oneOf"].is_array() {
        return "table, or list of tables".to_owned();
    }
    let range = |least: &str, most: &str| match (&schema[least], &schema[most]) {
        (Value::Null, Value::Null) => String::new(),
        (least, most) => format!(", {least} to {most}"),
    };
    match schema["type"].as_str() {
        Some("array") => {
            let item = contract.resolved(&schema["items"]);
            let items = match item["type"].as_str() {
                Some("object") => "tables",
                _ => "strings",
            };
            format!("list of {items}{}", range("minItems", "maxItems"))
        }
        Some("object") => "table".to_owned(),
        Some(other) => format!("{other}{}", range("minimum", "maximum")),
        None => "string".to_owned(),
    }
}

/// Returns the default of a setting.
fn default_of(schema: &Value) -> String {
    match schema.get("default") {
        None if cell(schema["description"].as_str().unwrap_or_default())
            .contains("Defaults to") =>
        {
            "see there".to_owned()
        }
        None | Some(Value::Null) => "none".to_owned(),
        Some(Value::Object(members)) if members.is_empty() => "see there".to_owned(),
        Some(value) => format!("`{value}`"),
    }
}

fn table_of_settings(contract: &Contract) -> String {
    let mut made =
        "\n| setting | type | default | meaning |\n| --- | --- | --- | --- |\n".to_owned();
    for (name, schema) in contract.settings() {
        let own = schema["description"].as_str();
        let about = own.or_else(|| schema["oneOf"][0]["description"].as_str());
        let about = about.unwrap_or_else(|| panic!("{name} has no description"));
        let of_type = type_of(contract, schema);
        let default = default_of(schema);
        writeln!(
            made,
            "| [`{name}`](#{name}) | {of_type} | {default} | {} |",
            cell(about)
        )
        .unwrap();
    }
    made + "\n"
}

/// Asserts that the generated part of a page is what is made, or writes it.
#[track_caller]
fn assert_generated(path: &str, made: &str) {
    let kept = page(path);
    let parts = kept
        .split_once(BEGIN)
        .and_then(|(before, rest)| Some((before, rest.split_once(END)?)));
    let (before, (part, after)) = parts.unwrap_or_else(|| panic!("{path} has no generated part"));
    if std::env::var_os(UPDATE).is_some() {
        let text = format!("{before}{BEGIN}{made}{END}{after}");
        std::fs::write(root().join(path), text).unwrap();
        return;
    }
    let different = made
        .lines()
        .zip(part.lines())
        .find(|(made, kept)| made != kept);
    assert!(
        made == part,
        "{path} is not what docs/openapi.json makes: {different:?}; write it anew and look at what has changed: \
         {UPDATE}=1 cargo test -p end-to-end docs::generated"
    );
}

#[test]
fn the_table_of_endpoints_is_that_of_the_contract() {
    let contract = Contract::read();
    let made = endpoints(&contract);
    let items = contract.json["paths"].as_object().unwrap().values();
    let count: usize = items.map(|item| item.as_object().unwrap().len()).sum();
    assert_eq!(made.matches("\n| `").count(), count, "each is in one group");
    assert_generated(ENDPOINTS, &made);
}

#[test]
fn the_table_of_settings_is_that_of_the_contract() {
    assert_generated(KINDS, &table_of_settings(&Contract::read()));
}
