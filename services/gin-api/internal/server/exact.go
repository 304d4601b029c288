package server

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf16"
)

// hasExactly makes up for four things encoding/json lets pass: names in another case, names given twice, null
// for anything, and half a surrogate pair. The body is known to decode into scalars and arrays of scalars, so
// one look at each string is enough: those before a colon are names, and an n outside of them starts a null.
func hasExactly(body []byte, names []string) bool {
	seen := make([]bool, len(names))
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case 'n':
			return false
		case '"':
			start := i
			i += 1 + closingQuote(body[i+1:])
			if hasLoneSurrogate(body[start+1 : i]) {
				return false
			}
			if !endsName(body[i+1:]) {
				continue
			}
			k := indexOfQuoted(names, body[start:i+1])
			if k < 0 || seen[k] {
				return false
			}
			seen[k] = true
		}
	}
	return !slices.Contains(seen, false)
}

// closingQuote is where the string that starts text ends.
func closingQuote(text []byte) int {
	end := 0
	for {
		end += bytes.IndexByte(text[end:], '"')
		backslashes := 0
		for backslashes < end && text[end-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return end
		}
		end++
	}
}

// endsName reports whether the string just before rest was a name.
func endsName(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

func indexOfQuoted(names []string, quoted []byte) int {
	text := string(quoted[1 : len(quoted)-1])
	if bytes.IndexByte(quoted, '\\') >= 0 && json.Unmarshal(quoted, &text) != nil {
		return -1
	}
	return slices.Index(names, text)
}

// hasLoneSurrogate looks at the \u escapes of a well-formed string.
func hasLoneSurrogate(text []byte) bool {
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 {
			return false
		}
		text = text[i:]
		first := escapedUnit(text)
		if first < 0 {
			text = text[2:]
			continue
		}
		text = text[6:]
		if !utf16.IsSurrogate(first) {
			continue
		}
		// A pair decodes to one character; anything else, and a low half first, to the replacement character.
		if utf16.DecodeRune(first, escapedUnit(text)) == '\uFFFD' {
			return true
		}
		text = text[6:]
	}
}

// escapedUnit is the UTF-16 unit of the \u escape that text starts with, or -1.
func escapedUnit(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}
