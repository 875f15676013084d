//! The parameters of a query, taken by name and checked: [`Params`]. Percent-encoding, in queries and in paths:
//! [`percent`].

mod params;
pub mod percent;

pub use params::Params;
