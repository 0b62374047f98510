//! Versions of the libraries that write an encoding: what the envelope's label may name, and of which versions the
//! layout is the one decoded here.

use std::ops::RangeInclusive;

/// A library whose proofs an encoding decodes.
#[derive(Debug)]
pub(crate) struct Producer {
    /// Its names, as labels begin with them.
    names: &'static [&'static str],
    /// Second numbers of the versions 0.x whose layout is decoded here.
    minors: RangeInclusive<u16>,
}

/// snarkjs, whose JSON has been the same since 0.4.
pub(crate) const SNARKJS: Producer = Producer {
    names: &["snarkjs"],
    minors: 4..=7,
};
/// gnark, whose keys and proofs have had their commitments since 0.10.
pub(crate) const GNARK: Producer = Producer {
    names: &["gnark"],
    minors: 10..=14,
};
/// arkworks, whose flags of compressed points have been the same since 0.4.
pub(crate) const ARKWORKS: Producer = Producer {
    names: &["arkworks", "ark-groth16"],
    minors: 4..=5,
};

impl Producer {
    /// Whether the layout of this version is decoded here: a name (`gnark`), a name with a version (`gnark-0.14.0`), or
    /// the version alone (`0.14.0`, `v0.14`).
    pub(crate) fn knows(&self, label: &str) -> bool {
        let named = self.names.iter().find_map(|name| label.strip_prefix(name));
        let number = match named {
            Some("") => return true,
            Some(rest) => rest.strip_prefix('-'),
            None => Some(label),
        };
        number.is_some_and(|number| {
            let number = number.strip_prefix('v').unwrap_or(number);
            minor_of(number).is_some_and(|minor| self.minors.contains(&minor))
        })
    }
}

/// The second number of `0.x` or `0.x.y`; `None` for anything else.
fn minor_of(number: &str) -> Option<u16> {
    let mut parts = number.split('.');
    let (major, minor) = (parts.next()?, parts.next()?);
    let patch = parts.next().unwrap_or("0");
    let is_number = |part: &str| {
        part == "0"
            || (1..=4).contains(&part.len())
                && !part.starts_with('0')
                && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_version = parts.next().is_none() && major == "0" && is_number(minor) && is_number(patch);
    if is_version { minor.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_versions_of_the_layouts_decoded_here_are_known() {
        for (producer, labels) in [
            (
                &SNARKJS,
                [
                    "snarkjs",
                    "snarkjs-0.7.6",
                    "snarkjs-v0.4.0",
                    "0.5.0",
                    "v0.7",
                ],
            ),
            (
                &GNARK,
                ["gnark", "gnark-0.14.0", "gnark-0.10", "0.14.0", "v0.11.0"],
            ),
            (
                &ARKWORKS,
                [
                    "arkworks",
                    "arkworks-0.5",
                    "ark-groth16-0.4.0",
                    "ark-groth16",
                    "0.5.0",
                ],
            ),
        ] {
            for label in labels {
                assert!(producer.knows(label), "{label}");
            }
        }
    }

    #[test]
    fn other_versions_and_other_libraries_are_not() {
        for label in [
            "gnark-0.9.1",
            "gnark-0.15.0",
            "gnark-1.0.0",
            "gnark-",
            "gnark0.14.0",
            "gnark-0.14.0.0",
            "gnark-0.x",
            "gnark-0.14.0-alpha",
            "snarkjs-0.7.6",
            "Gnark",
            "0",
            "14",
            "0.",
            "0.14.",
            "0.014",
            "0.+14",
            "0.00014",
            "00.14",
            "v",
            "latest",
            "-0.14.0",
            "0.65550",
        ] {
            assert!(!GNARK.knows(label), "{label}");
        }
    }
}
