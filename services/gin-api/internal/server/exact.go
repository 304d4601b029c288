package server

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf16"
)

// shape is how the objects at one place of a body must look: exactly these fields, each once. Without any
// fields it takes all names, repeated or not.
type shape []field

type field struct {
	name string
	// objects is the shape of the objects in the field's value; nil where none can be.
	objects *shape
}

// plain is the shape of an object that holds no others.
func plain(names ...string) *shape {
	s := make(shape, len(names))
	for i, name := range names {
		s[i].name = name
	}
	return &s
}

// openObject is an object whose end is still to come.
type openObject struct {
	shape *shape
	// seen has a bit for each field.
	seen uint
	// inside is the shape of the objects in the value at hand.
	inside *shape
}

// isExactly makes up for four things encoding/json lets pass: names in another case, names given twice, null
// for anything, and half a surrogate pair. The body is known to decode into a type of that shape, so one look at
// each string and brace is enough: strings before a colon are names, and an n outside of them starts a null.
func isExactly(body []byte, outermost *shape) bool {
	object := openObject{inside: outermost}
	var outer []openObject
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case 'n':
			return false
		case '{':
			outer = append(outer, object)
			object = openObject{shape: object.inside}
		case '}':
			if object.seen != 1<<len(*object.shape)-1 {
				return false
			}
			object, outer = outer[len(outer)-1], outer[:len(outer)-1]
		case '"':
			start := i
			i += 1 + closingQuote(body[i+1:])
			if hasLoneSurrogate(body[start+1 : i]) {
				return false
			}
			if endsName(body[i+1:]) && !object.enter(body[start:i+1]) {
				return false
			}
		}
	}
	return true
}

// enter notes the field of that name, whose value follows, and reports whether it may be there.
func (o *openObject) enter(quoted []byte) bool {
	if len(*o.shape) == 0 {
		return true
	}
	k := o.shape.indexOfQuoted(quoted)
	if k < 0 || o.seen&(1<<k) != 0 {
		return false
	}
	o.seen |= 1 << k
	o.inside = (*o.shape)[k].objects
	return true
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
	for _, b := range rest {
		switch b {
		case ' ', '\t', '\r', '\n':
		default:
			return b == ':'
		}
	}
	return false
}

func (s shape) indexOfQuoted(quoted []byte) int {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		var text string
		if json.Unmarshal(quoted, &text) != nil {
			return -1
		}
		name = []byte(text)
	}
	return slices.IndexFunc(s, func(f field) bool { return f.name == string(name) })
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
