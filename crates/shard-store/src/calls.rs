//! [`Calls`]: metrics of the calls of the contract, their durations and failures.

use std::mem;
use std::time::Instant;

use futures::FutureExt as _;
use metering::{CALLS, Counter, CounterFamily, Histogram, HistogramFamily, Registry, Unit, labels};

use crate::contract::{
    ChangeActivityError, CreateBoardError, DeleteBoardError, KindWriteError, PutSettingsError,
    StoreError,
};

/// Defines the metrics of each call, under its own name.
macro_rules! calls {
    ($($(#[$doc:meta])* $call:ident,)*) => {
        /// Metrics of the calls of one store.
        #[derive(Debug)]
        pub struct Calls {
            durations: HistogramFamily,
            failures: CounterFamily,
            $($(#[$doc])* pub $call: Call,)*
        }

        impl Default for Calls {
            fn default() -> Self {
                let durations = HistogramFamily::new_with_constructor(&CALLS);
                let failures = CounterFamily::default();
                Self {
                    $($call: Call::new(stringify!($call), &durations, &failures),)*
                    durations,
                    failures,
                }
            }
        }
    };
}

calls! {
    /// Batches to a shard.
    apply,
    /// Reads of shards.
    read,
    /// Counts of windows.
    windows,
    /// Look-ups of a board's record.
    board,
    /// Pages of boards.
    boards,
    /// Creations of boards.
    create_board,
    /// Withdrawn creations.
    withdraw,
    /// Settings of boards.
    put_settings,
    /// Changes of the settings of boards with contributions.
    change_activity,
    /// Deletions of boards.
    delete_board,
    /// Reads of all kinds.
    kinds,
    /// Writes of kinds.
    put_kind,
    /// Deletions of kinds.
    delete_kind,
    /// Changes of profiles.
    put_profiles,
    /// Reads of profiles.
    profiles,
    /// Sweeps.
    expire,
    /// Takes of shared boards.
    take_shared,
    /// Publications of shared boards.
    publish_shared,
}

/// Metrics of one call of the contract.
#[derive(Debug)]
pub struct Call {
    duration: Histogram,
    overloaded: Counter,
    unavailable: Counter,
    unknown: Counter,
    abandoned: Counter,
}

/// A call in progress. If it is dropped before its result, it counts as abandoned.
struct UnderWay<'a> {
    call: &'a Call,
    began: Instant,
    is_answered: bool,
}

impl Calls {
    /// Registers the metrics.
    pub fn register(&self, registry: &mut Registry) {
        registry.register_with_unit(
            "store_call_duration",
            "Calls to the store, from the call to its answer, retries included, or until nobody waited for it",
            Unit::Seconds,
            self.durations.clone(),
        );
        registry.register(
            "store_call_failures",
            "Calls that the store had no time for (overloaded), could not take (unavailable), whose answer was lost (unknown), or was not waited for (abandoned)",
            self.failures.clone(),
        );
    }
}

impl Call {
    fn new(name: &str, durations: &HistogramFamily, failures: &CounterFamily) -> Self {
        let failed =
            |outcome| failures.get_or_create_owned(&labels([("call", name), ("outcome", outcome)]));
        Self {
            duration: durations.get_or_create_owned(&labels([("call", name)])),
            overloaded: failed("overloaded"),
            unavailable: failed("unavailable"),
            unknown: failed("unknown"),
            abandoned: failed("abandoned"),
        }
    }

    /// Times an asynchronous call. The future is hardly larger than the call itself.
    pub fn time<T, E: StoreFailure>(
        &self,
        call: impl Future<Output = Result<T, E>>,
    ) -> impl Future<Output = Result<T, E>> {
        let under_way = self.begin();
        call.inspect(move |answered| under_way.end(answered))
    }

    /// Times a synchronous call.
    pub fn time_blocking<T, E: StoreFailure>(
        &self,
        call: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let under_way = self.begin();
        let answered = call();
        under_way.end(&answered);
        answered
    }

    /// Times a synchronous call that may decline to answer, unless it does.
    pub fn time_answered<T, E: StoreFailure>(
        &self,
        call: impl FnOnce() -> Result<Option<T>, E>,
    ) -> Result<Option<T>, E> {
        let under_way = self.begin();
        let answered = call();
        if let Ok(None) = answered {
            mem::forget(under_way);
        } else {
            under_way.end(&answered);
        }
        answered
    }

    fn begin(&self) -> UnderWay<'_> {
        UnderWay {
            call: self,
            began: Instant::now(),
            is_answered: false,
        }
    }
}

impl UnderWay<'_> {
    fn end<T, E: StoreFailure>(mut self, answered: &Result<T, E>) {
        self.is_answered = true;
        match answered.as_ref().err().and_then(StoreFailure::store_error) {
            Some(StoreError::Overloaded(_)) => {
                self.call.overloaded.inc();
            }
            Some(StoreError::Unavailable(_)) => {
                self.call.unavailable.inc();
            }
            Some(StoreError::Unknown(_)) => {
                self.call.unknown.inc();
            }
            // The other errors are results: the board has ended, the kind has changed.
            Some(
                StoreError::IncarnationEnded
                | StoreError::WindowDropped
                | StoreError::StaleKind
                | StoreError::SettingsChanged
                | StoreError::DeadlinePassed,
            )
            | None => {}
        }
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.call.duration.observe(self.began.elapsed());
        if !self.is_answered {
            self.call.abandoned.inc();
        }
    }
}

/// An error of a call, which may be an error of the store.
pub trait StoreFailure {
    /// Returns the store's error, if it is one.
    fn store_error(&self) -> Option<&StoreError>;
}

impl StoreFailure for StoreError {
    fn store_error(&self) -> Option<&StoreError> {
        Some(self)
    }
}

macro_rules! store_failures {
    ($($error:ident),*) => {$(
        impl StoreFailure for $error {
            fn store_error(&self) -> Option<&StoreError> {
                match self {
                    Self::Store(error) => Some(error),
                    _ => None,
                }
            }
        }
    )*};
}

store_failures!(
    CreateBoardError,
    PutSettingsError,
    ChangeActivityError,
    DeleteBoardError,
    KindWriteError
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_distinguished_from_results() {
        let calls = Calls::default();
        let fail = |error| calls.read.time_blocking(|| Err::<(), _>(error)).is_err();
        assert!(fail(StoreError::IncarnationEnded));
        assert!(fail(StoreError::Unavailable(String::new())));
        assert!(fail(StoreError::Unknown(String::new())));
        let created = calls
            .put_settings
            .time_blocking(|| Err::<(), _>(PutSettingsError::AlreadyCreated));
        assert_eq!(created, Err(PutSettingsError::AlreadyCreated));
        let (read, put_settings) = (&calls.read, &calls.put_settings);
        assert_eq!(
            (read.duration.count(), put_settings.duration.count()),
            (3, 1)
        );
        assert_eq!((read.unavailable.get(), read.unknown.get()), (1, 1));
        assert_eq!(
            (put_settings.unavailable.get(), put_settings.unknown.get()),
            (0, 0)
        );
    }

    #[test]
    fn an_abandoned_call_records_its_duration() {
        let calls = Calls::default();
        let read = &calls.read;
        let asked = read.time(std::future::pending::<Result<(), StoreError>>());
        assert_eq!(read.duration.count(), 0);
        drop(asked);
        assert_eq!((read.duration.count(), read.abandoned.get()), (1, 1));
        let answered = read
            .time(std::future::ready(Ok::<_, StoreError>(())))
            .now_or_never();
        assert_eq!(answered, Some(Ok(())));
        assert_eq!((read.duration.count(), read.abandoned.get()), (2, 1));
    }
}
