//! The first reading of a frame: finds everything that typed reading would accept.

use super::DecodeError;
use crate::limits::{DEPTH_MAX, INTEGER_END};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::{borrow::Cow, fmt};

/// What every frame has.
#[derive(Debug)]
pub(super) struct Envelope<'a> {
    pub(super) t: Cow<'a, str>,
    pub(super) s: Option<u64>,
    pub(super) crit: bool,
}

/// Checks the whole text and returns its envelope.
pub(super) fn scan(text: &str) -> Result<Envelope<'_>, DecodeError> {
    let mut scan = Scan {
        refused: None,
        keys: Vec::with_capacity(24),
        top: [Value::Absent, Value::Absent, Value::Absent],
    };
    let mut json = serde_json::Deserializer::from_str(text);
    let walked = Walk {
        scan: &mut scan,
        depth: 1,
    }
    .deserialize(&mut json)
    .and_then(|value| json.end().map(|()| value));
    match (scan.refused, walked) {
        (Some(refused), _) => Err(refused),
        (None, Ok(Value::Object)) => scan.envelope(),
        (None, Ok(_) | Err(_)) => Err(DecodeError::NotJson),
    }
}

/// What the walk keeps of a value; only the envelope's values matter.
enum Value<'a> {
    Absent,
    Object,
    Text(Cow<'a, str>),
    Integer(u64),
    Bool(bool),
    Other,
}

const ENVELOPE: [&str; 3] = ["t", "s", "crit"];

struct Scan<'a> {
    refused: Option<DecodeError>,
    /// The keys of every object that is open, innermost last.
    keys: Vec<Cow<'a, str>>,
    top: [Value<'a>; 3],
}

impl<'a> Scan<'a> {
    fn refuse<E: Error>(&mut self, why: DecodeError) -> E {
        self.refused = Some(why);
        E::custom("refused")
    }

    fn envelope(self) -> Result<Envelope<'a>, DecodeError> {
        let [t, s, crit] = self.top;
        let Value::Text(t) = t else {
            return Err(DecodeError::Envelope);
        };
        let s = match s {
            Value::Absent => None,
            Value::Integer(s) => Some(s),
            _ => return Err(DecodeError::Envelope),
        };
        let crit = match crit {
            Value::Absent => false,
            Value::Bool(crit) => crit,
            _ => return Err(DecodeError::Envelope),
        };
        Ok(Envelope { t, s, crit })
    }

    /// Tells whether two of the keys from `first` on are the same, and forgets them.
    fn close_object(&mut self, first: usize) -> bool {
        let keys = &mut self.keys[first..];
        keys.sort_unstable();
        let twice = keys.windows(2).any(|pair| pair[0] == pair[1]);
        self.keys.truncate(first);
        twice
    }
}

struct Walk<'s, 'a> {
    scan: &'s mut Scan<'a>,
    depth: usize,
}

impl<'s, 'a> Walk<'s, 'a> {
    fn inner<'i>(&'i mut self) -> Walk<'i, 'a>
    where
        's: 'i,
    {
        Walk {
            scan: self.scan,
            depth: self.depth + 1,
        }
    }

    fn check_depth<E: Error>(&mut self) -> Result<(), E> {
        if self.depth > DEPTH_MAX {
            return Err(self.scan.refuse(DecodeError::TooDeep));
        }
        Ok(())
    }
}

impl<'a> DeserializeSeed<'a> for Walk<'_, 'a> {
    type Value = Value<'a>;

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<Value<'a>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Walk<'_, 'a> {
    type Value = Value<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'a>>(mut self, mut map: A) -> Result<Value<'a>, A::Error> {
        self.check_depth()?;
        let first = self.scan.keys.len();
        while let Some(Key(key)) = map.next_key_seed(KeySeed)? {
            let place = (self.depth == 1)
                .then(|| ENVELOPE.iter().position(|name| *name == key))
                .flatten();
            self.scan.keys.push(key);
            let value = map.next_value_seed(self.inner())?;
            if let Some(place) = place {
                self.scan.top[place] = value;
            }
        }
        if self.scan.close_object(first) {
            return Err(self.scan.refuse(DecodeError::DuplicateKey));
        }
        Ok(Value::Object)
    }

    fn visit_seq<A: SeqAccess<'a>>(mut self, mut list: A) -> Result<Value<'a>, A::Error> {
        self.check_depth()?;
        while list.next_element_seed(self.inner())?.is_some() {}
        Ok(Value::Other)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value<'a>, E> {
        if value >= INTEGER_END {
            return Err(self.scan.refuse(DecodeError::NumberTooLarge));
        }
        Ok(Value::Integer(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value<'a>, E> {
        if value.unsigned_abs() >= INTEGER_END {
            return Err(self.scan.refuse(DecodeError::NumberTooLarge));
        }
        Ok(Value::Other)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value<'a>, E> {
        // Integers beyond 64 bits arrive here too; 2^53 itself is exact as a float.
        if value.abs() >= 9_007_199_254_740_992.0 {
            return Err(self.scan.refuse(DecodeError::NumberTooLarge));
        }
        Ok(Value::Other)
    }

    fn visit_borrowed_str<E: Error>(self, value: &'a str) -> Result<Value<'a>, E> {
        Ok(Value::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value<'a>, E> {
        let wanted = self.depth == 2 && value.len() <= TYPE_BYTES_KEPT;
        Ok(if wanted {
            Value::Text(Cow::Owned(value.to_owned()))
        } else {
            Value::Other
        })
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value<'a>, E> {
        Ok(Value::Bool(value))
    }

    fn visit_unit<E: Error>(self) -> Result<Value<'a>, E> {
        Ok(Value::Other)
    }
}

/// Texts with escapes are copied only up to this length, if they may be the frame's `t`.
const TYPE_BYTES_KEPT: usize = 64;

struct Key<'a>(Cow<'a, str>);
struct KeySeed;

impl<'a> DeserializeSeed<'a> for KeySeed {
    type Value = Key<'a>;

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<Key<'a>, D::Error> {
        struct KeyVisitor;
        impl<'a> Visitor<'a> for KeyVisitor {
            type Value = Key<'a>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E: Error>(self, key: &'a str) -> Result<Key<'a>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }
            fn visit_str<E: Error>(self, key: &str) -> Result<Key<'a>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}
