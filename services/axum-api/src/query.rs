//! A strict query-string parser. The usual ones of this ecosystem repair bad escapes and bad UTF-8 in
//! silence; the contract refuses them, by the rules of Go's `url.ParseQuery`, and hands values on as bytes.

/// Decoded pairs in order, or None when an escape is broken or a raw `;` occurs.
pub fn parse(raw: &str) -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
    raw.split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            if pair.contains(';') {
                return None;
            }
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((unescape(key)?, unescape(value)?))
        })
        .collect()
}

fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'+' => b' ',
            b'%' => hex_digit(bytes.next()?)? << 4 | hex_digit(bytes.next()?)?,
            other => other,
        });
    }
    Some(decoded)
}

fn hex_digit(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_or_refuses() {
        type Pairs = &'static [(&'static str, &'static [u8])];
        let cases: [(&str, Option<Pairs>); 10] = [
            ("", Some(&[])),
            ("a=1&b", Some(&[("a", b"1"), ("b", b"")])),
            ("&a=1&&", Some(&[("a", b"1")])),
            ("a=1=2", Some(&[("a", b"1=2")])),
            ("a=x+y%20z", Some(&[("a", b"x y z")])),
            ("a=%fF%00", Some(&[("a", b"\xff\0")])),
            ("%61=1&a=2", Some(&[("a", b"1"), ("a", b"2")])),
            ("a=%4", None),
            ("a=%zz", None),
            ("a=1;b=2", None),
        ];
        for (raw, expected) in cases {
            let expected: Option<Vec<_>> = expected.map(|pairs| {
                pairs
                    .iter()
                    .map(|(k, v)| (k.as_bytes().to_vec(), v.to_vec()))
                    .collect()
            });
            assert_eq!(parse(raw), expected, "{raw}");
        }
    }
}
