//! The parameters of a query: [`Params`]. Percent-encoding, in queries and in paths: [`percent`]. The header
//! [`prefer`].

mod params;
pub mod percent;
pub mod prefer;

pub use params::{FieldValue, Params, WholeNumber, whole_within};
