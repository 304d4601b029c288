package server

import (
	"encoding/json"
	"testing"
)

func TestIsExactlyInOneObject(t *testing.T) {
	cases := map[string]bool{
		`{"a":"","b":[]}`:                true,
		"{ \"b\"\n: [] , \"a\" :\t\"\"}": true,
		`{"a":"\\","b":["\":","a","n"]}`: true,
		`{"\u0061":"","b":[]}`:           true,
		`{"a":"😀\ud83d\ude00","b":[]}`:   true,
		`{"a":"\\ud83d","b":[]}`:         true,
		`{"a":""}`:                       false,
		`{"a":"","b":[],"c":1}`:          false,
		`{"A":"","b":[]}`:                false,
		`{"a":"","\u0061":"","b":[]}`:    false,
		`{"a":null,"b":[]}`:              false,
		`{"a":"","b":[null]}`:            false,
		`{"a":"\ud83d","b":[]}`:          false,
		`{"a":"\ud83d\\ude00","b":[]}`:   false,
		`{"a":"\\\ud83dx","b":[]}`:       false,
		`{"a":"\ude00\ud83d","b":[]}`:    false,
		`{"a":"\ud83d\n","b":[]}`:        false,
		`null`:                           false,
	}
	for body, expected := range cases {
		if !json.Valid([]byte(body)) {
			t.Errorf("%s is not JSON", body)
		}
		if got := isExactly([]byte(body), plain("a", "b")); got != expected {
			t.Errorf("%s: got %v", body, got)
		}
	}
}

func TestIsExactlyInObjectsWithinObjects(t *testing.T) {
	inner := shape{{"c", nil}, {"tags", plain()}, {"inner", nil}}
	inner[2].objects = &inner
	outer := shape{{"a", nil}, {"inner", &inner}}
	cases := map[string]bool{
		`{"a":[],"inner":[]}`:                                                                                    true,
		`{"inner":[{"c":1,"tags":{},"inner":[]}],"a":[]}`:                                                        true,
		`{"a":1,"inner":[{"c":1,"tags":{},"inner":[]},{"inner":[],"c":1,"tags":{}}]}`:                            true,
		`{"a":1,"inner":[{"inner":[{"inner":[],"tags":{"x":""},"c":1}],"tags":{"c":"\"","c":"","a":""},"c":1}]}`: true,
		`{"a":1,"inner":[{"c":1,"tags":{},"inner":[]},{"inner":[],"c":1}]}`:                                      false,
		`{"a":1,"inner":[{"c":1,"tags":{},"inner":[],"a":1}]}`:                                                   false,
		`{"a":1,"inner":[{"c":1,"tags":{},"inner":[]}],"c":1}`:                                                   false,
		`{"a":1,"inner":[{"c":1,"tags":{},"inner":[],"c":1}]}`:                                                   false,
		`{"a":1,"inner":[{"c":1,"tags":{"x":null},"inner":[]}]}`:                                                 false,
		`{"a":1,"inner":[{"c":1,"tags":{"\ud83d":""},"inner":[]}]}`:                                              false,
		`{"a":1,"inner":[{"c":1,"tags":{"x":"\ud83d"},"inner":[]}]}`:                                             false,
		`{"a":1,"inner":[{"c":1,"tags":{},"inner":[{"c":1,"tags":{},"Inner":[]}]}]}`:                             false,
		`{"a":1,"inner":[{"c":1,"tags":{},"inner":[{}]}]}`:                                                       false,
	}
	for body, expected := range cases {
		if !json.Valid([]byte(body)) {
			t.Errorf("%s is not JSON", body)
		}
		if got := isExactly([]byte(body), &outer); got != expected {
			t.Errorf("%s: got %v", body, got)
		}
	}
}

func TestPlainSeparators(t *testing.T) {
	cases := map[string]string{
		`"a"`:                `"a"`,
		`"\u2028\u2029"`:     "\"\u2028\u2029\"",
		`"\\u2028\\\u2028"`:  `"\\u2028\\` + "\u2028\"",
		`"\"\u2027\u202a\n"`: `"\"\u2027\u202a\n"`,
	}
	for body, expected := range cases {
		if got := string(plainSeparators([]byte(body))); got != expected {
			t.Errorf("%s: got %s, not %s", body, got, expected)
		}
	}
}
