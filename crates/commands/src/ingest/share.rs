//! The partitions that this process reads: [`Share`], kept by leases in Redis.
//!
//! Every second, each process registers as alive, renews its leases, and takes free ones up to its quota. It returns
//! leases above its quota once none of their entries is in flight. A lease that is not renewed ends after [`LEASE`], so
//! that the partitions of a dead process are taken over within [`LEASE`] and a second or two.
//!
//! No script is needed: a lease is created by SET NX and renewed by GETEX, which returns its owner. Clocks of different
//! machines are never compared: an owner counts the duration of a lease from before its request.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::sleep;

use super::connection::{
    CommandError, Connection, explained, items, number, open, text, unparsable, words,
};
use super::reader::report;
use super::url::StreamsUrl;
use crate::terminal::runs;

/// The duration of a lease in Redis.
pub(super) const LEASE: Duration = Duration::from_secs(8);
/// How long the owner relies on a lease: shorter, since clocks may run at slightly different rates.
const OWNED_FOR: Duration = Duration::from_secs(6);
const RENEW_EVERY: Duration = Duration::from_secs(1);

/// The streams, the group, and the Redis keys of its leases.
pub(super) struct Keys {
    pub(super) url: StreamsUrl,
    pub(super) db: u8,
    pub(super) group: String,
    pub(super) partitions: u64,
    /// The unique consumer name of this process.
    pub(super) me: String,
}

impl Keys {
    /// Returns the key of a lease, which contains the name of its owner.
    fn lease(&self, partition: u64) -> String {
        format!("{}:lease:{}", self.url.stream(partition), self.group)
    }

    /// Returns the key of the sorted set of processes, by the time at which they are considered dead.
    fn processes(&self) -> String {
        format!("{}:processes:{}", self.url.prefix, self.group)
    }
}

/// The partitions of this process.
#[derive(Default)]
pub(super) struct Share {
    leases: Mutex<Leases>,
    changed: Notify,
}

#[derive(Default)]
struct Leases {
    held: BTreeMap<u64, Lease>,
    /// Partitions that are no longer read, whose leases must still be ended in Redis.
    returned: Vec<u64>,
}

struct Lease {
    until: Instant,
    /// Whether pending entries of the partition must be claimed before new ones are read.
    needs_claim: bool,
    /// Whether it is above the quota of this process.
    is_surplus: bool,
}

/// The state that was last reported to the user.
#[derive(Default)]
struct Reported {
    fault: String,
    owned: Vec<u64>,
}

impl Share {
    fn leases(&self) -> MutexGuard<'_, Leases> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the partitions that this process may read.
    pub(super) fn owned(&self) -> Vec<u64> {
        let now = Instant::now();
        let leases = self.leases();
        let valid = leases.held.iter().filter(|(_, lease)| lease.until > now);
        valid.map(|(partition, _)| *partition).collect()
    }

    /// Returns whether entries of a partition may still be sent.
    pub(super) fn is_owned(&self, partition: u64) -> bool {
        let leases = self.leases();
        let lease = leases.held.get(&partition);
        lease.is_some_and(|lease| lease.until > Instant::now())
    }

    /// Returns the partitions whose pending entries must be claimed.
    pub(super) fn to_claim(&self) -> Vec<u64> {
        let leases = self.leases();
        let to_claim = leases.held.iter().filter(|(_, lease)| lease.needs_claim);
        to_claim.map(|(partition, _)| *partition).collect()
    }

    /// Marks all partitions to be claimed. Called when a connection was lost, possibly with entries that were
    /// delivered.
    pub(super) fn claim_all(&self) {
        for lease in self.leases().held.values_mut() {
            lease.needs_claim = true;
        }
    }

    /// Sets whether pending entries of these partitions must be claimed.
    pub(super) fn set_needs_claim(&self, partitions: &[u64], needs_claim: bool) {
        let mut leases = self.leases();
        for partition in partitions {
            if let Some(lease) = leases.held.get_mut(partition) {
                lease.needs_claim = needs_claim;
            }
        }
    }

    /// Returns the leases above the quota. Called while no entry is in flight.
    pub(super) fn return_surplus(&self) {
        let mut leases = self.leases();
        let surplus = leases.held.iter().filter(|(_, lease)| lease.is_surplus);
        let surplus: Vec<u64> = surplus.map(|(partition, _)| *partition).collect();
        for partition in surplus {
            leases.held.remove(&partition);
            leases.returned.push(partition);
        }
    }

    /// Waits until the partitions have changed.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Keeps the leases for as long as it is polled, and reports changes.
    pub(super) async fn keep(&self, keys: &Keys) {
        let mut reported = Reported::default();
        loop {
            match self.keep_connected(keys, &mut reported).await {
                Ok(never) => match never {},
                Err(fault) => {
                    let fault = explained(&fault);
                    if fault != reported.fault {
                        report(format!("leases: {fault}; trying again"));
                        reported.fault = fault;
                    }
                }
            }
            sleep(RENEW_EVERY).await;
        }
    }

    async fn keep_connected(
        &self,
        keys: &Keys,
        reported: &mut Reported,
    ) -> Result<Infallible, CommandError> {
        let connection = open(&keys.url, keys.db).await?;
        loop {
            let processes = self.renew(&connection, keys).await?;
            reported.fault.clear();
            let owned = self.owned();
            // Compared with the last report rather than the state before the renewal, since the reader may return
            // leases at any time.
            if owned != reported.owned {
                report(format!(
                    "reads {} of {} partitions, as one of {processes} processes: {}",
                    owned.len(),
                    keys.partitions,
                    listed(&owned)
                ));
                self.changed.notify_waiters();
                reported.owned = owned;
            }
            sleep(RENEW_EVERY).await;
        }
    }

    /// Renews leases, ends returned ones and takes free ones. Returns the number of live processes.
    async fn renew(&self, connection: &Connection, keys: &Keys) -> Result<usize, CommandError> {
        let processes = live_processes(connection, keys).await?;
        let quota = quota(&processes, &keys.me, keys.partitions);
        let held: Vec<u64> = self.leases().held.keys().copied().collect();
        let sent = Instant::now();
        let renewed = renew_leases(connection, keys, &held).await?;
        for (partition, is_mine) in held.into_iter().zip(renewed) {
            let mut leases = self.leases();
            if !is_mine {
                leases.held.remove(&partition);
            } else if let Some(lease) = leases.held.get_mut(&partition) {
                lease.until = sent + OWNED_FOR;
            }
        }
        let returned = std::mem::take(&mut self.leases().returned);
        for partition in returned {
            end_lease(connection, keys, partition).await?;
        }
        for partition in 0..keys.partitions {
            if self.leases().held.len() >= quota {
                break;
            }
            if self.leases().held.contains_key(&partition) {
                continue;
            }
            let sent = Instant::now();
            if take_lease(connection, keys, partition).await? {
                let lease = Lease {
                    until: sent + OWNED_FOR,
                    needs_claim: true,
                    is_surplus: false,
                };
                self.leases().held.insert(partition, lease);
            }
        }
        let mut leases = self.leases();
        for (number, lease) in leases.held.values_mut().enumerate() {
            lease.is_surplus = number >= quota;
        }
        Ok(processes.len())
    }

    /// Ends all leases, so that other processes can take them at once. Called when no entry is in flight any more.
    pub(super) async fn end(
        &self,
        connection: &Connection,
        keys: &Keys,
    ) -> Result<(), CommandError> {
        let ended: Vec<u64> = {
            let mut leases = self.leases();
            let held = std::mem::take(&mut leases.held);
            let returned = std::mem::take(&mut leases.returned);
            held.into_keys().chain(returned).collect()
        };
        for partition in ended {
            end_lease(connection, keys, partition).await?;
        }
        connection
            .send("ZREM", words(&[&keys.processes(), &keys.me]))
            .await?;
        Ok(())
    }
}

/// Registers this process as alive, and returns the names of all live processes.
async fn live_processes(connection: &Connection, keys: &Keys) -> Result<Vec<String>, CommandError> {
    let time = connection.send("TIME", Vec::new()).await?;
    let parts: Option<Vec<u64>> = items(&time).iter().map(number).collect();
    let Some([seconds, micros]) = parts.as_deref() else {
        return Err(unparsable("TIME"));
    };
    let now = seconds * 1000 + micros / 1000;
    let lease = millis(LEASE);
    let (key, dead) = (keys.processes(), (now + lease).to_string());
    connection
        .send("ZADD", words(&[&key, &dead, &keys.me]))
        .await?;
    connection
        .send("ZREMRANGEBYSCORE", words(&[&key, "-inf", &now.to_string()]))
        .await?;
    connection
        .send("PEXPIRE", words(&[&key, &(2 * lease).to_string()]))
        .await?;
    let names = connection.send("ZRANGE", words(&[&key, "0", "-1"])).await?;
    let names = items(&names).iter().filter_map(text).map(str::to_owned);
    Ok(names.collect())
}

/// Ends a lease, unless another process has it.
async fn end_lease(
    connection: &Connection,
    keys: &Keys,
    partition: u64,
) -> Result<(), CommandError> {
    // A renewed lease cannot end, and be taken by another process, before it is deleted.
    if renew_leases(connection, keys, &[partition]).await? == [true] {
        let lease = words(&[&keys.lease(partition)]);
        connection.send("DEL", lease).await?;
    }
    Ok(())
}

/// Renews leases in one pipeline. Returns of each whether this process owns it; otherwise, this has extended the lease
/// of another process once.
async fn renew_leases(
    connection: &Connection,
    keys: &Keys,
    partitions: &[u64],
) -> Result<Vec<bool>, CommandError> {
    let lease = millis(LEASE).to_string();
    let renewal = |partition: &u64| ("GETEX", words(&[&keys.lease(*partition), "PX", &lease]));
    let renewals: Vec<_> = partitions.iter().map(renewal).collect();
    if renewals.is_empty() {
        return Ok(Vec::new());
    }
    let owners = connection.send_together(renewals).await?;
    if owners.len() != partitions.len() {
        return Err(unparsable("GETEX"));
    }
    let is_mine = |owner: Result<_, _>| Ok(text(&owner?) == Some(&keys.me));
    owners.into_iter().map(is_mine).collect()
}

/// Takes a lease unless another process has it. Returns whether this process has it now.
async fn take_lease(
    connection: &Connection,
    keys: &Keys,
    partition: u64,
) -> Result<bool, CommandError> {
    let (key, lease) = (keys.lease(partition), millis(LEASE).to_string());
    let set = words(&[&key, &keys.me, "NX", "PX", &lease]);
    Ok(text(&connection.send("SET", set).await?) == Some("OK"))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the number of partitions of this process. All processes have the same number; if it does not divide evenly,
/// the first ones by name have one more.
fn quota(processes: &[String], me: &str, partitions: u64) -> usize {
    let mut names: Vec<&str> = processes.iter().map(String::as_str).collect();
    names.sort_unstable();
    let count = names.len().max(1) as u64;
    let position = names.iter().position(|name| *name == me).unwrap_or(0) as u64;
    let quota = partitions / count + u64::from(position < partitions % count);
    usize::try_from(quota).unwrap_or(usize::MAX)
}

/// Formats partitions as runs: `0 to 7, 9`.
fn listed(partitions: &[u64]) -> String {
    let partitions = partitions.iter().map(|partition| (*partition, *partition));
    match runs(&partitions.collect::<Vec<_>>()) {
        none if none.is_empty() => "none".to_owned(),
        runs => runs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas_are_even_and_add_up_to_all_partitions() {
        for processes in 1..=20_usize {
            let names: Vec<String> = (0..processes).map(|n| format!("p{n}")).collect();
            let quotas: Vec<usize> = names.iter().map(|me| quota(&names, me, 16)).collect();
            assert_eq!(quotas.iter().sum::<usize>(), 16, "{quotas:?}");
            let (min, max) = (quotas.iter().min(), quotas.iter().max());
            assert!(max.unwrap() - min.unwrap() <= 1, "{quotas:?}");
        }
    }

    #[test]
    fn partitions_are_formatted_as_runs() {
        assert_eq!(listed(&[0, 1, 2, 5, 7, 8]), "0 to 2, 5, 7 to 8");
        assert_eq!(listed(&[]), "none");
    }
}
