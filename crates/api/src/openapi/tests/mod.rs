//! What holds of the document, and of what it says of bytes that are written by hand.

mod golden;
mod words;
mod written;
