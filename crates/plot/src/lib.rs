//! Plots as SVG: [`Plot`] has lines over two axes, [`Bars`] one bar for each value.
//!
//! Pure functions of the data: the same data results in the same bytes. Names and titles are escaped. There are no
//! scripts, styles of a page or fonts to load, so that the files are shown by browsers and by code hosting sites.
//!
//! Not here: what is measured, and files.

mod axis;
mod bars;
mod lines;
mod svg;

pub use axis::{Axis, Scale};
pub use bars::{Bar, Bars};
pub use lines::{Line, Plot};
