//! A client of Megaboard for services in Rust: every operation of its HTTP API, typed, with retries
//! that count nothing twice.
//!
//! ```no_run
//! use megaboard_client::{Client, Contribution, Error};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::builder("https://boards.example").key("mb_...").build()?;
//!
//! // Each contribution counts once, however often it has to be sent.
//! let gifts = [
//!     Contribution::new("gifts/room-8842", "ada").points(30),
//!     Contribution::new("gifts/room-8842", "ben").points(20),
//! ];
//! let outcome = client.contribute(&gifts).await?;
//! assert_eq!(outcome.applied + outcome.duplicates, 2);
//!
//! let room = client.board("gifts", "room-8842");
//! for entry in room.top().n(10).window("day").await?.entries {
//!     println!("{:3} {} {:?}", entry.rank, entry.member, entry.points());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! - Writing: [`Client::contribute`], [`Contribution`], [`Outcome`], [`ContributeError`].
//! - Reading a board: [`Client::board`], [`Board`], and what its methods give.
//! - A board as it moves: [`Board::stream`], [`Events`], [`Event`].
//! - Kinds, lists of boards, members on every board: methods of [`Client`].
//! - What goes wrong: [`Error`], [`Problem`], [`ProblemType`]; how often it is tried again: [`RetryPolicy`].
//! - Contributions that are lines already, such as those of a file: [`Sender`], [`Batch`], [`Receipt`].
//! - Paths that have no type here: [`Client::get`], [`Client::post`], [`Response`].
//!
//! Reads are asked again after failures that pass: a connection that was not made or broke, 429, 502,
//! 503 and 504. What changes something is sent again where that changes nothing more; each method says
//! so. What a later server answers beyond what is known here is skipped.

mod answer;
mod board;
mod builder;
mod client;
mod contribute;
mod error;
mod kinds;
mod members;
mod name;

mod problem;
mod query;
mod raw;
mod retry;
#[cfg(test)]
mod scripted;
mod stream;
#[cfg(test)]
mod tests;
mod tls;
mod upload;
mod words;

pub use answer::{
    Boards, Count, Entries, Entry, Envelope, Erased, Field, Found, FoundEntries, Hidden, HiddenIn,
    Info, Kind, Listed, Mode, Moved, Neighbour, Op, Order, Packed, Place, Publish, RankOf,
    RankStyle, Ready, Retain, Settled, Span, Standing, StreamToken, Ties, Top, Values,
    WindowMembers,
};
pub use board::{
    Board, GetAround, GetCount, GetInfo, GetMember, GetMembers, GetRange, GetRangeOfValues,
    GetRankOf, GetRankOfValues, GetTop, MakeStreamToken, SetMember, SetOutcome, Settle,
};
pub use builder::ClientBuilder;
pub use client::{Client, Response};
pub use contribute::{
    Batch, BatchReply, BatchRequest, Contribute, ContributeError, Contribution, Format, Next,
    Outcome, Pause, Receipt, ReceiptItem, Rejected, Returning, Sender, Undecided, Written,
};
pub use error::Error;
pub use jiff::Timestamp;
pub use kinds::{GetBoards, GetTops, Tops};
pub use members::{Erase, Hiding};
pub use name::BoardName;
pub use problem::{Problem, ProblemType};
pub use retry::{Backoff, RetryPolicy};
pub use stream::{BoardStream, Changes, Event, Events};
