//! The parameters of a query, taken by name and checked: [`Params`]; those of a path: [`PathParams`].
//! Percent-encoding, in queries and in paths: [`percent`]. The header [`prefer`].

mod params;
mod path_params;
pub mod percent;
pub mod prefer;

pub use params::Params;
pub use path_params::PathParams;
