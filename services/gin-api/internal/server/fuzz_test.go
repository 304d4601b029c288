package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// What bytes from outside can do to the parsers: they must not panic, and what they accept must survive being
// encoded and parsed again.

func vectors(t testing.TB) []vector {
	t.Helper()
	files, err := filepath.Glob("../../../contract/vectors/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors found: %v", err)
	}
	var all []vector
	for _, file := range files {
		all = append(all, readStrictly[vector](t, file)...)
	}
	return all
}

func addBodies(f *testing.F, path string) {
	for _, v := range vectors(f) {
		if sent, _, _ := strings.Cut(v.Request.Path, "?"); sent != path {
			continue
		}
		var body bytes.Buffer
		body.ReadFrom(v.body(f))
		// Larger ones only slow the search down.
		if body.Len() <= 4096 {
			f.Add(body.Bytes())
		}
	}
}

func checkAgain[T interface{ valid() bool }](t *testing.T, body []byte) (T, bool) {
	t.Helper()
	wrongShape := errors.New("wrong shape")
	first, err := decodeJSON[T](body, wrongShape)
	if err != nil {
		if errors.Is(err, errInvalidJSON) && json.Valid(body) && utf8.Valid(body) {
			t.Fatalf("is JSON: %q", body)
		}
		return first, false
	}
	encoded, err := encodeJSON(first)
	if err != nil {
		t.Fatal(err)
	}
	again, err := decodeJSON[T](encoded, wrongShape)
	if err != nil || !reflect.DeepEqual(again, first) {
		t.Fatalf("%q: %+v became %+v, %v", body, first, again, err)
	}
	return first, true
}

func FuzzEcho(f *testing.F) {
	addBodies(f, "/echo")
	f.Fuzz(func(t *testing.T, body []byte) {
		checkAgain[echoRequest](t, body)
	})
}

func FuzzExperiment(f *testing.F) {
	addBodies(f, "/experiments")
	f.Fuzz(func(t *testing.T, body []byte) {
		accepted, ok := checkAgain[experiment](t, body)
		if !ok {
			return
		}
		for _, v := range withShares(accepted.Variants) {
			if v.Share <= 0 || v.Share > 1 {
				t.Fatalf("%q: share %v", body, v.Share)
			}
		}
	})
}

func FuzzDocument(f *testing.F) {
	addBodies(f, "/documents")
	f.Fuzz(func(t *testing.T, body []byte) {
		accepted, ok := checkAgain[document](t, body)
		if !ok {
			return
		}
		o := accepted.outline()
		if _, err := encodeJSON(o); err != nil || len(o.Sections) != o.Totals.Sections || o.Totals.Depth > depthLimit {
			t.Fatalf("%q: %+v, %v", body, o, err)
		}
	})
}
