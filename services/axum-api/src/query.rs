//! A strict query-string parser. The usual ones of this ecosystem repair bad escapes and bad UTF-8 in
//! silence; the contract refuses them, by the rules of Go's `url.ParseQuery`, and hands values on as bytes.

use crate::error::ApiError;

/// Decoded names and values, in order.
#[derive(Debug, PartialEq)]
pub struct Query(Vec<(Vec<u8>, Vec<u8>)>);

impl Query {
    /// `InvalidQuery` when an escape is broken or a raw `;` occurs.
    pub fn parse(raw: &[u8]) -> Result<Self, ApiError> {
        raw.split(|&byte| byte == b'&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                if pair.contains(&b';') {
                    return None;
                }
                let mut halves = pair.splitn(2, |&byte| byte == b'=');
                let name = unescape(halves.next()?)?;
                Some((name, unescape(halves.next().unwrap_or_default())?))
            })
            .collect::<Option<_>>()
            .map(Self)
            .ok_or(ApiError::InvalidQuery)
    }

    /// The value of a parameter that may be given; `repeated` when it is more than once.
    pub fn at_most_one(&self, name: &str, repeated: ApiError) -> Result<Option<&[u8]>, ApiError> {
        let mut values = self.0.iter().filter(|(key, _)| key == name.as_bytes());
        match (values.next(), values.next()) {
            (first, None) => Ok(first.map(|(_, value)| value.as_slice())),
            _ => Err(repeated),
        }
    }
}

/// A whole number of ASCII digits, without a sign, which the standard parser would take.
pub fn parse_digits(text: &[u8]) -> Option<u64> {
    if !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The same without leading zeros.
pub fn parse_plain_number(text: &[u8]) -> Option<u64> {
    parse_digits(text).filter(|_| text == b"0" || !text.starts_with(b"0"))
}

fn unescape(text: &[u8]) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.iter().copied();
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
            let owned = |(name, value): &(&str, &[u8])| (name.as_bytes().to_vec(), value.to_vec());
            let expected = expected
                .map(|pairs| Query(pairs.iter().map(owned).collect()))
                .ok_or(ApiError::InvalidQuery);
            assert_eq!(Query::parse(raw.as_bytes()), expected, "{raw}");
        }
    }

    #[test]
    fn a_parameter_is_given_at_most_once() {
        let query = Query::parse(b"a=1&b=2&b=2").unwrap();
        let get = |name| query.at_most_one(name, ApiError::InvalidHash);
        assert_eq!(get("a"), Ok(Some(b"1".as_slice())));
        assert_eq!(get("b"), Err(ApiError::InvalidHash));
        assert_eq!(get("c"), Ok(None));
    }

    #[test]
    fn plain_numbers_have_one_spelling() {
        let cases: [(&str, Option<u64>); 8] = [
            ("0", Some(0)),
            ("10", Some(10)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("", None),
            ("01", None),
            ("+1", None),
            ("1\n", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_plain_number(text.as_bytes()), expected, "{text}");
        }
    }
}
