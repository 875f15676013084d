//! The parameters of a query, taken by name and checked: [`Params`]. Percent-encoding, in queries and in paths:
//! [`percent`]. The header [`prefer`].

mod params;
pub mod percent;
pub mod prefer;

pub use params::Params;
