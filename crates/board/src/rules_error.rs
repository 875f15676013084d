//! [`RulesError`]: why fields, mode and ties are not valid rules.

use crate::ident::FieldName;

/// Why fields, mode and ties are not valid rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// The number of fields is not 1 to 4.
    #[error("fields: a kind has 1 to 4 fields, not {0}")]
    FieldCount(usize),
    /// Two fields have the same name.
    #[error("fields: {0} is named twice")]
    DuplicateField(FieldName),
    /// A field has an op in a mode that keeps attempts whole.
    #[error("fields: {0} has an op, which is supported only in mode accumulate")]
    OpInAttempts(FieldName),
    /// The standings cannot be packed.
    #[error("{setting}: {reason}")]
    Packed {
        /// The setting at fault.
        setting: &'static str,
        /// What is wrong with the setting.
        reason: String,
    },
}
