//! Which node has which slot: [`SlotMap`], from the reply to `CLUSTER SLOTS`.

use crate::redis_link::{Address, Reply, reply};
use crate::tags::SLOTS;

/// The owners of slots, by their position in a list of primaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SlotMap {
    pub(crate) primaries: Vec<Address>,
    owners: Box<[Option<u16>]>,
}

impl SlotMap {
    pub(crate) fn empty() -> Self {
        Self {
            primaries: Vec::new(),
            owners: vec![None; usize::from(SLOTS)].into(),
        }
    }

    /// Reads the reply of the node at `sender`: ranges, each with its first and last slot and its
    /// nodes, the primary first.
    pub(crate) fn of(answer: &Reply, sender: &Address) -> Option<Self> {
        let mut map = Self::empty();
        for range in reply::items(answer)? {
            let [first, last, primary, ..] = reply::items(range)? else {
                return None;
            };
            let first = usize::try_from(reply::number(first)?).ok()?;
            let last = usize::try_from(reply::number(last)?).ok()?;
            let owner = map.location_of(node_of(primary, sender)?)?;
            map.owners.get_mut(first..=last)?.fill(Some(owner));
        }
        Some(map)
    }

    fn location_of(&mut self, primary: Address) -> Option<u16> {
        let known = self.primaries.iter().position(|each| *each == primary);
        let location = known.unwrap_or_else(|| {
            self.primaries.push(primary);
            self.primaries.len() - 1
        });
        u16::try_from(location).ok()
    }

    /// Returns the position of a slot's owner among the primaries.
    pub(crate) fn owner(&self, slot: u16) -> Option<usize> {
        let owner = self.owners.get(usize::from(slot)).copied().flatten();
        owner.map(usize::from)
    }

    /// Returns the number of slots without a node.
    pub(crate) fn uncovered(&self) -> usize {
        self.owners.iter().filter(|owner| owner.is_none()).count()
    }
}

/// Reads a node of `CLUSTER SLOTS`: its preferred endpoint, its port, its id, and more. The
/// endpoint is omitted if it is the host that replied.
fn node_of(node: &Reply, sender: &Address) -> Option<Address> {
    let [host, port, ..] = reply::items(node)? else {
        return None;
    };
    let host = match reply::text(host) {
        None | Some("" | "?") => sender.host.as_str(),
        Some(host) => host,
    };
    let port = u16::try_from(reply::number(port)?).ok()?;
    Some(Address::new(host, port))
}

#[cfg(test)]
mod tests {
    use crate::redis_link::Reply;
    use bytes::Bytes;

    use super::*;

    fn text(text: &'static str) -> Reply {
        let data = Bytes::from_static(text.as_bytes());
        Reply::BlobString {
            data,
            attributes: None,
        }
    }

    fn number(data: i64) -> Reply {
        Reply::Number {
            data,
            attributes: None,
        }
    }

    fn array(data: Vec<Reply>) -> Reply {
        Reply::Array {
            data,
            attributes: None,
        }
    }

    fn node(host: Reply, port: i64) -> Reply {
        array(vec![host, number(port), text("id"), array(Vec::new())])
    }

    #[test]
    fn slots_have_the_first_node_of_their_range() {
        let sender = Address::new("10.0.0.9", 1);
        let answer = array(vec![
            array(vec![
                number(0),
                number(5_000),
                node(text("10.0.0.1"), 7000),
                node(text("10.0.0.2"), 7001),
            ]),
            array(vec![number(5_001), number(5_001), node(Reply::Null, 7002)]),
            array(vec![
                number(5_003),
                number(16_383),
                node(text("10.0.0.1"), 7000),
            ]),
        ]);
        let map = SlotMap::of(&answer, &sender).unwrap();
        let owner = |slot| {
            map.owner(slot)
                .map(|owner| map.primaries[owner].to_string())
        };
        assert_eq!(owner(0).as_deref(), Some("10.0.0.1:7000"));
        assert_eq!(owner(5_000).as_deref(), Some("10.0.0.1:7000"));
        assert_eq!(owner(5_001).as_deref(), Some("10.0.0.9:7002"));
        assert_eq!(owner(5_002), None);
        assert_eq!(owner(16_383).as_deref(), Some("10.0.0.1:7000"));
        assert_eq!(map.uncovered(), 1);
        assert_eq!(map.primaries.len(), 2);
    }

    #[test]
    fn an_invalid_slot_map_is_rejected() {
        let sender = Address::new("a", 1);
        let beyond = vec![number(0), number(16_384), node(text("a"), 1)];
        let upside_down = vec![number(9), number(3), node(text("a"), 1)];
        for answer in [
            text("OK"),
            array(vec![text("x")]),
            array(vec![array(vec![number(0), number(1)])]),
            array(vec![array(beyond)]),
            array(vec![array(upside_down)]),
        ] {
            assert_eq!(SlotMap::of(&answer, &sender), None);
        }
    }
}
