use super::*;

fn code(text: &str) -> ErrorCode {
    crate::submission::decode(&Item::of(text))
        .err()
        .expect("refused")
        .code
}

#[test]
fn what_is_no_envelope_and_no_artifact_is_unrecognised() {
    for text in [
        "",
        "0xdeadbeef",
        "AAAA",
        "[1]",
        "\"text\"",
        "{}",
        r#"{"proof":"0x00"}"#,
        r#"{"a":1}"#,
    ] {
        assert_eq!(code(text), ErrorCode::UnrecognisedFormat, "{text}");
    }
}

#[test]
fn a_broken_envelope_is_malformed() {
    for text in [
        "{",
        r#"{"system":1}"#,
        r#"{"encoding":"snarkjs-json"}"#,
        r#"{"system":"groth16"}"#,
        r#"{"system":"groth16","system":"groth16"}"#,
        r#"{"system":"groth16","encoding":"snarkjs-json","proof":{},"vk":{}}"#,
        r#"{"system":"groth16","encoding":"snarkjs-json","proof":{},"publicInputs":[]}"#,
        r#"{"system":"groth16","encoding":"snarkjs-json","proof":{},"publicInputs":[],"vkHash":"0x00"}"#,
        r#"{"system":"groth16","encoding":"snarkjs-json","proof":{},"publicInputs":[],"public_inputs":[],"vk":{}}"#,
        r#"{"system":"commitment"}"#,
        r#"{"system":"commitment","value":"0x00","proof":"0x00"}"#,
        r#"{"system":"groth16","encoding":"gnark-binary","proof":"0x00","vk":"0x"}"#,
        r#"{"system":"groth16","encoding":"gnark-binary","proof":"0x"}"#,
    ] {
        assert_eq!(code(text), ErrorCode::Malformed, "{text}");
    }
}

#[test]
fn other_systems_and_encodings_are_named_as_such() {
    assert_eq!(code(r#"{"system":"sp1"}"#), ErrorCode::UnsupportedSystem);
    assert_eq!(
        code(r#"{"system":"Groth16","encoding":"snarkjs-json"}"#),
        ErrorCode::UnsupportedSystem
    );
    assert_eq!(
        code(r#"{"proof":{"protocol":"plonk","A":[]}}"#),
        ErrorCode::UnsupportedSystem
    );
    assert_eq!(
        code(r#"{"system":"groth16","encoding":"halo2"}"#),
        ErrorCode::UnsupportedEncoding
    );
    assert_eq!(
        code(r#"{"system":"commitment","encoding":"base64","value":"AA=="}"#),
        ErrorCode::UnsupportedEncoding
    );
}

#[test]
fn a_version_that_is_not_decoded_here_is_named_as_such() {
    for (rest, versions) in [
        (
            r#""system":"groth16","encoding":"gnark-binary""#,
            ["gnark-0.9.0", "snarkjs-0.7.6", "2"],
        ),
        (
            r#""system":"groth16","encoding":"snarkjs-json""#,
            ["snarkjs-0.8.0", "gnark", "v1"],
        ),
        (
            r#""system":"groth16","encoding":"arkworks-binary""#,
            ["arkworks-0.3", "1.0.0", "?"],
        ),
        (
            r#""system":"commitment","value":"0x01""#,
            ["1", "0.5.0", "gnark"],
        ),
    ] {
        for version in versions {
            let text = format!(r#"{{{rest},"version":"{version}"}}"#);
            assert_eq!(code(&text), ErrorCode::UnsupportedVersion, "{text}");
        }
    }
}

#[test]
fn system_and_encoding_are_judged_before_the_version_and_the_version_before_the_proof() {
    for (text, expected) in [
        (
            r#"{"system":"sp1","version":"9"}"#,
            ErrorCode::UnsupportedSystem,
        ),
        (
            r#"{"system":"groth16","encoding":"raw","version":"9"}"#,
            ErrorCode::UnsupportedEncoding,
        ),
        (
            r#"{"system":"groth16","encoding":"gnark-json","version":9}"#,
            ErrorCode::Malformed,
        ),
        (
            r#"{"system":"groth16","encoding":"gnark-json","version":"9"}"#,
            ErrorCode::UnsupportedVersion,
        ),
        (
            r#"{"system":"groth16","encoding":"gnark-json","version":"gnark-0.14.0"}"#,
            ErrorCode::Malformed,
        ),
        (
            r#"{"system":"groth16","encoding":"gnark-json","version":""}"#,
            ErrorCode::Malformed,
        ),
        (
            r#"{"system":"groth16","encoding":"gnark-json","version":null}"#,
            ErrorCode::Malformed,
        ),
    ] {
        assert_eq!(code(text), expected, "{text}");
    }
}
