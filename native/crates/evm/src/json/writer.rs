//! Writes JSON text without building a tree. Owns commas and Ethereum's hex spellings; knows no object of the chain.

use alloy_primitives::{B256, U256};

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Appends bytes as hex, two digits each.
pub(crate) fn push_hex(text: &mut String, bytes: &[u8]) {
    text.reserve(bytes.len() * 2 + 1);
    for byte in bytes {
        for digit in [byte >> 4, byte & 0x0f] {
            text.push(char::from(
                DIGITS.get(usize::from(digit)).copied().unwrap_or(b'0'),
            ));
        }
    }
}

/// JSON text in the making. The caller opens and closes; commas come by themselves.
#[derive(Debug, Default)]
pub struct JsonWriter {
    text: String,
}

impl JsonWriter {
    /// Starts with room for `capacity` bytes.
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            text: String::with_capacity(capacity),
        }
    }

    /// The text.
    pub fn finish(self) -> String {
        self.text
    }

    fn separate(&mut self) {
        if !matches!(self.text.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.text.push(',');
        }
    }

    /// Opens an object as the next value.
    pub fn open_object(&mut self) {
        self.separate();
        self.text.push('{');
    }

    /// Closes an object.
    pub fn close_object(&mut self) {
        self.text.push('}');
    }

    /// Opens an array as the next value.
    pub fn open_array(&mut self) {
        self.separate();
        self.text.push('[');
    }

    /// Closes an array.
    pub fn close_array(&mut self) {
        self.text.push(']');
    }

    /// The name of the next value. Names here never need escaping.
    pub fn key(&mut self, name: &str) {
        self.separate();
        self.text.push('"');
        self.text.push_str(name);
        self.text.push_str("\":");
    }

    /// Finished JSON as the next value.
    pub fn raw(&mut self, json: &str) {
        self.separate();
        self.text.push_str(json);
    }

    /// A string as the next value.
    pub fn text(&mut self, text: &str) {
        self.separate();
        self.text.push('"');
        for character in text.chars() {
            match character {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                control if control < ' ' => {
                    self.text.push_str(&format!("\\u{:04x}", control as u32))
                }
                other => self.text.push(other),
            }
        }
        self.text.push('"');
    }

    /// Bytes as hex, two digits each.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.separate();
        self.text.push_str("\"0x");
        push_hex(&mut self.text, bytes);
        self.text.push('"');
    }

    /// A compact quantity.
    pub fn quantity(&mut self, value: u64) {
        self.separate();
        self.text.push_str(&format!("\"0x{value:x}\""));
    }

    /// A compact quantity of up to 128 bits.
    pub fn quantity128(&mut self, value: u128) {
        self.separate();
        self.text.push_str(&format!("\"0x{value:x}\""));
    }

    /// A compact quantity of up to 256 bits.
    pub fn quantity256(&mut self, value: &U256) {
        self.separate();
        self.text.push_str(&format!("\"0x{value:x}\""));
    }

    /// `key` and bytes.
    pub fn bytes_field(&mut self, name: &str, bytes: &[u8]) {
        self.key(name);
        self.bytes(bytes);
    }

    /// `key` and a quantity.
    pub fn quantity_field(&mut self, name: &str, value: u64) {
        self.key(name);
        self.quantity(value);
    }

    /// `key` and a quantity or null.
    pub fn optional_quantity_field(&mut self, name: &str, value: Option<u64>) {
        self.key(name);
        match value {
            Some(value) => self.quantity(value),
            None => self.raw("null"),
        }
    }

    /// `key` and a hash; null for zero: of a block that has none yet.
    pub fn hash_field(&mut self, name: &str, hash: &B256) {
        self.optional_bytes_field(name, (!hash.is_zero()).then_some(hash.as_slice()));
    }

    /// `key` and bytes or null.
    pub fn optional_bytes_field(&mut self, name: &str, bytes: Option<&[u8]>) {
        self.key(name);
        match bytes {
            Some(bytes) => self.bytes(bytes),
            None => self.raw("null"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_serde_reads() {
        let mut json = JsonWriter::default();
        json.open_object();
        json.quantity_field("a", 0);
        json.bytes_field("b", &[0, 255]);
        json.key("c");
        json.open_array();
        json.quantity256(&U256::MAX);
        json.raw("null");
        json.text("q\"\\\n:");
        json.open_object();
        json.close_object();
        json.close_array();
        json.optional_bytes_field("d", None);
        json.close_object();
        let text = json.finish();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        assert_eq!(value["a"], "0x0");
        assert_eq!(value["b"], "0x00ff");
        assert_eq!(value["c"][0], format!("0x{}", "f".repeat(64)));
        assert_eq!(value["c"][2], "q\"\\\n:");
        assert!(value["d"].is_null());
    }
}
