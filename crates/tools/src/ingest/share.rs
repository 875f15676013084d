//! Which partitions are this process's: [`Share`], kept by leases in Redis.
//!
//! Every process says every second that it lives, renews the leases it holds, and takes free ones up
//! to its part of all; what is above its part it gives back, once nothing of it is under way. A lease
//! that its holder does not renew ends after [`LEASE`], so that a dead process's partitions are taken
//! over within [`LEASE`] and a second or two.
//!
//! No script is needed: a lease is made by SET NX and renewed by GETEX, which tells whose it is. Two
//! clocks are never compared: a holder counts its lease from before it asked for it.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::sleep;

use super::connection::{Connection, Fault, items, number, text, words};
use super::url::StreamsUrl;

/// How long a lease lasts that nobody renews.
pub(super) const LEASE: Duration = Duration::from_secs(8);
/// How long its holder takes it for its own: shorter, since clocks may run a little apart.
const OWN: Duration = Duration::from_secs(6);
const RENEW_EVERY: Duration = Duration::from_secs(1);

/// The keys of a group, and who asks.
pub(super) struct Keys {
    pub(super) url: StreamsUrl,
    pub(super) db: u8,
    pub(super) group: String,
    pub(super) partitions: u64,
    /// This process's name, unlike any other's.
    pub(super) me: String,
}

impl Keys {
    fn lease(&self, partition: u64) -> String {
        format!("{}:lease:{}", self.url.stream(partition), self.group)
    }

    /// A sorted set of processes by when they are to be taken for dead.
    fn processes(&self) -> String {
        format!("{}:processes:{}", self.url.prefix, self.group)
    }
}

/// The partitions of this process.
#[derive(Default)]
pub(super) struct Share {
    held: Mutex<Held>,
    changed: Notify,
}

#[derive(Default)]
struct Held {
    leases: BTreeMap<u64, Lease>,
    /// No longer used here; their leases are still to be ended.
    returned: Vec<u64>,
}

struct Lease {
    until: Instant,
    /// What is pending in it was not looked at yet.
    is_fresh: bool,
    /// Above this process's part.
    is_unwanted: bool,
}

/// What people were reported last.
#[derive(Default)]
struct Reported {
    fault: String,
    owned: Vec<u64>,
}

impl Share {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Partitions that may be read.
    pub(super) fn owned(&self) -> Vec<u64> {
        let now = Instant::now();
        let held = self.held();
        let valid = held.leases.iter().filter(|(_, lease)| lease.until > now);
        valid.map(|(partition, _)| *partition).collect()
    }

    /// Whether what was read of it may still be sent.
    pub(super) fn is_owned(&self, partition: u64) -> bool {
        let held = self.held();
        let lease = held.leases.get(&partition);
        lease.is_some_and(|lease| lease.until > Instant::now())
    }

    /// Those whose pending entries are to be looked at.
    pub(super) fn fresh(&self) -> Vec<u64> {
        let held = self.held();
        let fresh = held.leases.iter().filter(|(_, lease)| lease.is_fresh);
        fresh.map(|(partition, _)| *partition).collect()
    }

    /// Pending entries of all are to be looked at: who knows what was answered and not heard.
    pub(super) fn set_all_fresh(&self) {
        for lease in self.held().leases.values_mut() {
            lease.is_fresh = true;
        }
    }

    /// Whether pending entries of these are still to be looked at.
    pub(super) fn set_fresh(&self, partitions: &[u64], is_fresh: bool) {
        let mut held = self.held();
        for partition in partitions {
            if let Some(lease) = held.leases.get_mut(partition) {
                lease.is_fresh = is_fresh;
            }
        }
    }

    /// Gives back what is above this process's part: nothing of it is under way now.
    pub(super) fn let_go(&self) {
        let mut held = self.held();
        let unwanted = held.leases.iter().filter(|(_, lease)| lease.is_unwanted);
        let unwanted: Vec<u64> = unwanted.map(|(partition, _)| *partition).collect();
        for partition in unwanted {
            held.leases.remove(&partition);
            held.returned.push(partition);
        }
    }

    /// Until the partitions have changed.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Keeps the leases for as long as it is polled; `say` hears what changes.
    pub(super) async fn keep(&self, keys: &Keys, say: &(dyn Fn(String) + Sync)) {
        let mut reported = Reported::default();
        loop {
            match self.keep_connected(keys, say, &mut reported).await {
                Ok(never) => match never {},
                Err(fault) => {
                    let fault = fault.to_string();
                    if fault != reported.fault {
                        say(format!("leases: {fault}; trying again"));
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
        say: &(dyn Fn(String) + Sync),
        reported: &mut Reported,
    ) -> Result<Infallible, Fault> {
        let connection = Connection::open(&keys.url, keys.db).await?;
        loop {
            let processes = self.renew(&connection, keys).await?;
            reported.fault.clear();
            let owned = self.owned();
            // Not held against what it was before the renewal: the reader gives back in between.
            if owned != reported.owned {
                say(format!(
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

    /// Renews, returns and takes; tells how many processes there are.
    async fn renew(&self, connection: &Connection, keys: &Keys) -> Result<usize, Fault> {
        let names = alive(connection, keys).await?;
        let part = part_of(&names, &keys.me, keys.partitions);
        let held: Vec<u64> = self.held().leases.keys().copied().collect();
        let asked = Instant::now();
        let renewed = are_renewed(connection, keys, &held).await?;
        for (partition, is_mine) in held.into_iter().zip(renewed) {
            let mut held = self.held();
            if !is_mine {
                held.leases.remove(&partition);
            } else if let Some(lease) = held.leases.get_mut(&partition) {
                lease.until = asked + OWN;
            }
        }
        let returned = std::mem::take(&mut self.held().returned);
        for partition in returned {
            // Renewed, it cannot end and become another's before it is deleted.
            if is_renewed(connection, keys, partition).await? {
                connection
                    .send("DEL", words(&[&keys.lease(partition)]))
                    .await?;
            }
        }
        for partition in 0..keys.partitions {
            if self.held().leases.len() >= part {
                break;
            }
            if self.held().leases.contains_key(&partition) {
                continue;
            }
            let asked = Instant::now();
            if is_taken(connection, keys, partition).await? {
                let lease = Lease {
                    until: asked + OWN,
                    is_fresh: true,
                    is_unwanted: false,
                };
                self.held().leases.insert(partition, lease);
            }
        }
        let mut held = self.held();
        for (number, lease) in held.leases.values_mut().enumerate() {
            lease.is_unwanted = number >= part;
        }
        Ok(names.len())
    }

    /// Ends all leases at once, so that nobody has to wait for them. Nothing is under way any more.
    pub(super) async fn end(&self, connection: &Connection, keys: &Keys) -> Result<(), Fault> {
        let held: Vec<u64> = {
            let mut held = self.held();
            let leases = std::mem::take(&mut held.leases);
            let returned = std::mem::take(&mut held.returned);
            leases.into_keys().chain(returned).collect()
        };
        for partition in held {
            if is_renewed(connection, keys, partition).await? {
                connection
                    .send("DEL", words(&[&keys.lease(partition)]))
                    .await?;
            }
        }
        connection
            .send("ZREM", words(&[&keys.processes(), &keys.me]))
            .await?;
        Ok(())
    }
}

/// Says that this process lives, and asks who does.
async fn alive(connection: &Connection, keys: &Keys) -> Result<Vec<String>, Fault> {
    let time = connection.send("TIME", Vec::new()).await?;
    let [seconds, micros] = items(&time) else {
        return Err(Fault::Lost(
            "the reply to TIME could not be parsed".to_owned(),
        ));
    };
    let parts = number(seconds).zip(number(micros));
    let (seconds, micros) =
        parts.ok_or_else(|| Fault::Lost("the reply to TIME could not be parsed".to_owned()))?;
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

/// Renews a lease; whether it is ours. Of another's, this makes it last a little longer once.
async fn is_renewed(connection: &Connection, keys: &Keys, partition: u64) -> Result<bool, Fault> {
    let (key, lease) = (keys.lease(partition), millis(LEASE).to_string());
    let holder = connection
        .send("GETEX", words(&[&key, "PX", &lease]))
        .await?;
    Ok(text(&holder) == Some(&keys.me))
}

/// As [`is_renewed`], of many at once.
async fn are_renewed(
    connection: &Connection,
    keys: &Keys,
    partitions: &[u64],
) -> Result<Vec<bool>, Fault> {
    let lease = millis(LEASE).to_string();
    let renewals = partitions.iter();
    let renewals = renewals.map(|partition| words(&[&keys.lease(*partition), "PX", &lease]));
    let renewals: Vec<_> = renewals.collect();
    if renewals.is_empty() {
        return Ok(Vec::new());
    }
    let holders = connection.send_all("GETEX", renewals).await?;
    if holders.len() != partitions.len() {
        return Err(Fault::Lost(
            "the reply to GETEX could not be parsed".to_owned(),
        ));
    }
    let is_mine = |holder: Option<String>| holder.as_deref() == Some(&keys.me);
    Ok(holders.into_iter().map(is_mine).collect())
}

async fn is_taken(connection: &Connection, keys: &Keys, partition: u64) -> Result<bool, Fault> {
    let (key, lease) = (keys.lease(partition), millis(LEASE).to_string());
    let set = words(&[&key, &keys.me, "NX", "PX", &lease]);
    Ok(text(&connection.send("SET", set).await?) == Some("OK"))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// How many partitions a process is to have: all have the same number, but for the first by name,
/// who have one more where it does not come out even.
fn part_of(names: &[String], me: &str, partitions: u64) -> usize {
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    let count = names.len().max(1) as u64;
    let place = names.iter().position(|name| *name == me).unwrap_or(0) as u64;
    let part = partitions / count + u64::from(place < partitions % count);
    usize::try_from(part).unwrap_or(usize::MAX)
}

/// `0 to 7, 9`.
fn listed(partitions: &[u64]) -> String {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &partition in partitions {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == partition => *last = partition,
            _ => runs.push((partition, partition)),
        }
    }
    let run = |(first, last): (u64, u64)| match last - first {
        0 => first.to_string(),
        _ => format!("{first} to {last}"),
    };
    if runs.is_empty() {
        return "none".to_owned();
    }
    runs.into_iter().map(run).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_even_and_come_to_all() {
        for processes in 1..=20_usize {
            let names: Vec<String> = (0..processes).map(|n| format!("p{n}")).collect();
            let parts: Vec<usize> = names.iter().map(|me| part_of(&names, me, 16)).collect();
            assert_eq!(parts.iter().sum::<usize>(), 16, "{parts:?}");
            let (least, most) = (parts.iter().min(), parts.iter().max());
            assert!(most.unwrap() - least.unwrap() <= 1, "{parts:?}");
        }
    }

    #[test]
    fn partitions_are_listed_by_their_runs() {
        assert_eq!(listed(&[0, 1, 2, 5, 7, 8]), "0 to 2, 5, 7 to 8");
        assert_eq!(listed(&[]), "none");
    }
}
