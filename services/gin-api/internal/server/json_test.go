package server

import "testing"

func TestNothingIsEscapedThatJSONDoesNotEscape(t *testing.T) {
	for text, wanted := range map[string]string{
		"a":                    `"a"`,
		"\u2028\u2029<&>":      "\"\u2028\u2029<&>\"",
		"\\u2028\\\u2028":      `"\\u2028\\` + "\u2028\"",
		"\"\u2027\u202a\n\x00": `"\"` + "\u2027\u202a" + `\n\u0000"`,
	} {
		got, err := encodeJSON(text)
		if err != nil || string(got) != wanted {
			t.Errorf("%q: got %s, %v, not %s", text, got, err, wanted)
		}
	}
}
