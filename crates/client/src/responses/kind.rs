//! The settings of kinds, in requests and responses: [`Kind`].

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The settings of a kind. Those that are absent have the defaults of the contract; the server returns all of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Kind {
    /// The name of the kind, in responses.
    #[serde(rename = "kind", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The fields that standings are ordered by, the first first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// The windows. Reads return the first by default.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<String>,
    /// All other settings, by their names. They are sent back unchanged when a kind that was read is put.
    #[serde(flatten)]
    pub settings: Map<String, Value>,
}

/// A field of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Field {
    /// The name of the field.
    pub name: String,
    /// `desc` if greater values are better, which is the default, or `asc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// How contributions change the field, in mode `accumulate`: `sum` by default, `max`, `min` or `last`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<String>,
}

impl Kind {
    /// Creates a kind with these windows and default settings.
    pub fn new<W: Into<String>>(windows: impl IntoIterator<Item = W>) -> Self {
        Self {
            windows: windows.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// Adds a field, after those that the kind has.
    #[must_use]
    pub fn with(mut self, field: Field) -> Self {
        self.fields.push(field);
        self
    }

    /// Changes one of the other settings.
    #[must_use]
    pub fn set(mut self, setting: impl Into<String>, value: impl Into<Value>) -> Self {
        self.settings.insert(setting.into(), value.into());
        self
    }

    /// Returns a setting that is a text, such as `mode` or `dedupe`.
    #[must_use]
    pub fn text(&self, setting: &str) -> Option<&str> {
        self.settings.get(setting)?.as_str()
    }
}

impl Field {
    /// Creates a field with the default order, `desc`, and the default op, `sum`.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            order: None,
            op: None,
        }
    }

    /// Sets the order to `asc`: smaller values are better.
    #[must_use]
    pub fn asc(mut self) -> Self {
        self.order = Some("asc".to_owned());
        self
    }

    /// Returns whether smaller values are better.
    #[must_use]
    pub fn is_ascending(&self) -> bool {
        self.order.as_deref() == Some("asc")
    }

    /// Sets how contributions change the field.
    #[must_use]
    pub fn op(mut self, op: impl Into<String>) -> Self {
        self.op = Some(op.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_omitted_and_other_settings_are_kept() {
        let races = Kind::new(["week", "all"]).set("mode", "best");
        let races = races
            .with(Field::new("laps"))
            .with(Field::new("seconds").asc());
        let written = serde_json::to_value(&races).unwrap();
        let expected = serde_json::json!({"mode": "best", "windows": ["week", "all"],
            "fields": [{"name": "laps"}, {"name": "seconds", "order": "asc"}]});
        assert_eq!(written, expected);

        let later = serde_json::json!({"kind": "k", "mode": "newest", "windows": ["all"],
            "keep": {"all": {"idle": "7d"}}, "sparkle": [1, 2]});
        let kind: Kind = serde_json::from_value(later.clone()).unwrap();
        assert_eq!(kind.text("mode"), Some("newest"));
        assert_eq!(serde_json::to_value(&kind).unwrap(), later);
    }
}
