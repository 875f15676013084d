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
//! - Reading a board: [`Client::board`], [`Board`], and the methods of [`Board`].
//! - Following a board as it changes: [`Board::stream`], [`Events`], [`Event`].
//! - Requests and their parameters: [`Request`].
//! - Kinds, lists of boards, members across all boards, profiles, the audit log, keys: methods of [`Client`].
//! - Errors: [`Error`], [`Problem`], [`ProblemType`]. Retries: [`RetryPolicy`].
//! - Contributions that are already serialized, such as the lines of a file: [`Client::send_batch`], [`Receipt`].
//! - Paths without a typed method: [`Client::get`], [`Client::post`], [`Response`].
//!
//! Reads are retried after temporary failures: a failed or broken connection, 408, 429, 502, 503 and 504.
//! A write is retried only if a second attempt cannot change anything more; its method says when. Unknown
//! members of responses are ignored, so later servers may add some.

mod board;
mod builder;
mod client;
mod contribute;
mod error;
mod kinds;
mod members;
mod name;
mod problem;
mod profiles;
mod request;
mod responses;
mod retry;
#[cfg(test)]
mod scripted;
mod stream;
#[cfg(test)]
mod tests;
mod tls;
mod upload;

pub use board::{Board, RemoveMembers, SetOutcome};
pub use builder::{ClientBuilder, server_url};
pub use client::{Client, Response};
pub use contribute::{
    BatchReply, BatchRequest, Contribute, ContributeError, Contribution, Format, Outcome,
    PartialItem, Receipt, ReceiptItem, Returning, Undecided, Written,
};
pub use error::Error;
pub use jiff::Timestamp;
pub use members::Erase;
pub use name::{BoardName, encoded};
pub use problem::{Problem, ProblemType};
pub use request::Request;
pub use responses::{
    AuditLine, AuditPage, Boards, Count, Entries, Entry, Envelope, Erased, Field, Found,
    FoundEntries, Hidden, HiddenIn, Info, Keys, Kind, Listed, ListedKey, MemberBoard, MemberBoards,
    MemberPosition, Moved, Neighbour, Profile, ProfilesOutcome, RankOf, Ready, RejectedProfile,
    Removed, Settled, Span, Standing, StreamToken, Top, Tops, Values, WindowMembers,
};
pub use retry::{Backoff, RetryPolicy};
pub use stream::{BoardStream, Changes, Event, Events};
