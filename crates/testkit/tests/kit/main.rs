//! Tests of the testkit itself.

mod calls;
mod exposition;
mod pool;
mod proxy;
