//! Bounded JSON for submitted texts: size and depth limited, a member given twice refused, numbers kept only where
//! they are small whole ones. Owns the text form only, no meaning of any member.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

/// Longest text taken: `proof_data` is at most 1 MiB.
pub(crate) const MAX_TEXT_BYTES: usize = 1 << 20;
/// Deepest nesting taken; a snarkjs artifact with its key needs five.
const MAX_DEPTH: u8 = 16;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool,
    /// The value when it is a whole number below 2^64.
    Number(Option<u64>),
    Text(String),
    Array(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// Parses one text, nothing but white space after the value.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(format!("the text is longer than {MAX_TEXT_BYTES} bytes"));
        }
        let mut reader = serde_json::Deserializer::from_str(text);
        let value = Level(MAX_DEPTH)
            .deserialize(&mut reader)
            .map_err(|error| error.to_string())?;
        reader.end().map_err(|error| error.to_string())?;
        Ok(value)
    }

    /// Its text, if it is one.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Its elements, if it is an array.
    pub(crate) fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Its members, if it is an object.
    pub(crate) fn as_object(&self) -> Option<&BTreeMap<String, Self>> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }
}

/// A value may nest this much deeper.
#[derive(Clone, Copy)]
struct Level(u8);

impl Level {
    fn below<E: de::Error>(self) -> Result<Self, E> {
        self.0
            .checked_sub(1)
            .map(Self)
            .ok_or_else(|| E::custom("nested too deeply"))
    }
}

impl<'de> DeserializeSeed<'de> for Level {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Json, E> {
        Ok(Json::Bool)
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(Some(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(u64::try_from(value).ok()))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Json, E> {
        Ok(Json::Number(None))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let below = self.below()?;
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(below)? {
            values.push(value);
        }
        Ok(Json::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let below = self.below()?;
        let mut object = BTreeMap::new();
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value_seed(below)?;
            if object.insert(name, value).is_some() {
                return Err(de::Error::custom("a member is given twice"));
            }
        }
        Ok(Json::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_member_is_refused_at_any_depth() {
        assert!(Json::parse(r#"{"a":1,"a":1}"#).is_err());
        assert!(Json::parse(r#"[{"b":{"a":1,"\u0061":2}}]"#).is_err());
        assert!(Json::parse(r#"[{"a":1},{"a":2}]"#).is_ok());
    }

    #[test]
    fn depth_and_size_are_bounded() {
        assert!(Json::parse(&format!("{}{}", "[".repeat(16), "]".repeat(16))).is_ok());
        assert!(Json::parse(&format!("{}{}", "[".repeat(17), "]".repeat(17))).is_err());
        assert!(Json::parse(&"[".repeat(MAX_TEXT_BYTES)).is_err());
        assert!(Json::parse(&format!("\"{}\"", "a".repeat(MAX_TEXT_BYTES))).is_err());
    }

    #[test]
    fn only_small_whole_numbers_keep_a_value() {
        assert_eq!(Json::parse("3"), Ok(Json::Number(Some(3))));
        assert_eq!(Json::parse("3.0"), Ok(Json::Number(None)));
        assert_eq!(Json::parse("-3"), Ok(Json::Number(None)));
        assert!(Json::parse("3 4").is_err());
    }
}
