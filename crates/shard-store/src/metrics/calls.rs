//! How long the calls of the contract take, and how they fail.

use std::time::Instant;

use futures::FutureExt as _;
use metering::{CALLS, Counter, CounterFamily, Histogram, HistogramFamily, Registry, Unit, labels};

use crate::contract::{BirthError, BuryError, KindWriteError, SettleError, StoreError};

/// The calls of one store.
#[derive(Debug)]
pub(crate) struct Calls {
    durations: HistogramFamily,
    failures: CounterFamily,
    pub(crate) apply: Call,
    pub(crate) read: Call,
    pub(crate) windows: Call,
    pub(crate) board: Call,
    pub(crate) boards: Call,
    pub(crate) birth: Call,
    pub(crate) settle: Call,
    pub(crate) bury: Call,
    pub(crate) kinds: Call,
    pub(crate) put_kind: Call,
    pub(crate) delete_kind: Call,
    pub(crate) expire: Call,
    pub(crate) take_shared: Call,
    pub(crate) publish_shared: Call,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct Call {
    duration: Histogram,
    unavailable: Counter,
    unknown: Counter,
}

impl Default for Calls {
    fn default() -> Self {
        let durations = HistogramFamily::new_with_constructor(&CALLS);
        let failures = CounterFamily::default();
        let call = |name| {
            let failed = |outcome| {
                failures.get_or_create_owned(&labels([("call", name), ("outcome", outcome)]))
            };
            Call {
                duration: durations.get_or_create_owned(&labels([("call", name)])),
                unavailable: failed("unavailable"),
                unknown: failed("unknown"),
            }
        };
        Self {
            apply: call("apply"),
            read: call("read"),
            windows: call("windows"),
            board: call("board"),
            boards: call("boards"),
            birth: call("birth"),
            settle: call("settle"),
            bury: call("bury"),
            kinds: call("kinds"),
            put_kind: call("put_kind"),
            delete_kind: call("delete_kind"),
            expire: call("expire"),
            take_shared: call("take_shared"),
            publish_shared: call("publish_shared"),
            durations,
            failures,
        }
    }
}

impl Calls {
    /// Names them.
    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register_with_unit(
            "store_call_duration",
            "Calls to the store, from the call to its answer, retries included",
            Unit::Seconds,
            self.durations.clone(),
        );
        registry.register(
            "store_call_failures",
            "Calls that the store could not take (unavailable), or whose answer was lost (unknown)",
            self.failures.clone(),
        );
    }
}

impl Call {
    /// Counts a call that is waited for, from now on. Takes hardly more room than the call itself.
    pub(crate) fn time<T, E: Failing>(
        &self,
        call: impl Future<Output = Result<T, E>>,
    ) -> impl Future<Output = Result<T, E>> {
        let began = Instant::now();
        call.inspect(move |answered| self.note(began, answered))
    }

    /// Counts a call that is answered at once.
    pub(crate) fn of<T, E: Failing>(&self, call: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let began = Instant::now();
        let answered = call();
        self.note(began, &answered);
        answered
    }

    fn note<T, E: Failing>(&self, began: Instant, answered: &Result<T, E>) {
        self.duration.observe(began.elapsed());
        match answered.as_ref().err().and_then(Failing::store_error) {
            Some(StoreError::Unavailable(_)) => {
                self.unavailable.inc();
            }
            Some(StoreError::Unknown(_)) => {
                self.unknown.inc();
            }
            // The others are answers: of a board that has ended, of a kind that has changed.
            Some(StoreError::Dead | StoreError::WindowDropped | StoreError::StaleKind) | None => {}
        }
    }
}

/// An error of a call, which may be that of the store.
pub(crate) trait Failing {
    fn store_error(&self) -> Option<&StoreError>;
}

impl Failing for StoreError {
    fn store_error(&self) -> Option<&StoreError> {
        Some(self)
    }
}

macro_rules! failing {
    ($($error:ident),*) => {$(
        impl Failing for $error {
            fn store_error(&self) -> Option<&StoreError> {
                match self {
                    Self::Store(error) => Some(error),
                    _ => None,
                }
            }
        }
    )*};
}

failing!(BirthError, SettleError, BuryError, KindWriteError);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_from_answers() {
        let calls = Calls::default();
        let fail = |error| calls.read.of(|| Err::<(), _>(error)).is_err();
        assert!(fail(StoreError::Dead));
        assert!(fail(StoreError::Unavailable(String::new())));
        assert!(fail(StoreError::Unknown(String::new())));
        let born = calls.settle.of(|| Err::<(), _>(SettleError::Born));
        assert_eq!(born, Err(SettleError::Born));
        let (read, settle) = (&calls.read, &calls.settle);
        assert_eq!((read.duration.count(), settle.duration.count()), (3, 1));
        assert_eq!((read.unavailable.get(), read.unknown.get()), (1, 1));
        assert_eq!((settle.unavailable.get(), settle.unknown.get()), (0, 0));
    }
}
