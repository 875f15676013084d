//! The cluster slot of a key: [`slot_of`].

/// The number of slots of a cluster.
pub const SLOTS: u16 = 16_384;

/// Returns the slot of a key: CRC16 (XMODEM) of its hash tag, or of the whole key if it has none.
pub fn slot_of(key: impl AsRef<[u8]>) -> u16 {
    crc16(tag_of(key.as_ref())) % SLOTS
}

/// Returns the text between the first `{` and the next `}`, or the whole key if that is empty.
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
    fn crc16_matches_the_check_value_of_xmodem() {
        assert_eq!(crc16(b"123456789"), 0x31c3);
    }

    #[test]
    fn only_the_hash_tag_is_hashed_if_there_is_one() {
        assert_eq!(tag_of(b"a{tag}b{other}"), b"tag");
        assert_eq!(tag_of(b"a{{tag}}"), b"{tag");
        for whole in ["a{}b{c}", "a{b", "a}b{", ""] {
            assert_eq!(tag_of(whole.as_bytes()), whole.as_bytes());
        }
    }
}
