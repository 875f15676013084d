//! Which slot of a cluster a key lies in: [`slot_of`].

/// Slots of a cluster.
pub const SLOTS: u16 = 16_384;

/// The slot of a key: CRC16 (XMODEM) of its hash tag, or of all of it where it has none.
pub fn slot_of(key: impl AsRef<[u8]>) -> u16 {
    crc16(tag_of(key.as_ref())) % SLOTS
}

/// What stands between the first brace and the next closing one, unless that is nothing.
fn tag_of(key: &[u8]) -> &[u8] {
    let Some(open) = key.iter().position(|byte| *byte == b'{') else {
        return key;
    };
    let inner = &key[open + 1..];
    match inner.iter().position(|byte| *byte == b'}') {
        None | Some(0) => key,
        Some(close) => &inner[..close],
    }
}

fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte) << 8, |crc, _| {
            let divided = if crc & 0x8000 == 0 { 0 } else { 0x1021 };
            crc << 1 ^ divided
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_xmodem_comes_out() {
        assert_eq!(crc16(b"123456789"), 0x31c3);
    }

    #[test]
    fn only_a_tag_counts_where_there_is_one() {
        assert_eq!(tag_of(b"a{tag}b{other}"), b"tag");
        assert_eq!(tag_of(b"a{{tag}}"), b"{tag");
        for whole in ["a{}b{c}", "a{b", "a}b{", ""] {
            assert_eq!(tag_of(whole.as_bytes()), whole.as_bytes());
        }
    }
}
