package server

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
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

func checkAgain[T any](t *testing.T, body []byte, parse func([]byte) (T, *apiError)) (T, bool) {
	t.Helper()
	first, apiErr := parse(body)
	if apiErr != nil {
		if apiErr == errInvalidJSON && json.Valid(body) && bytes.Equal(body, bytes.ToValidUTF8(body, nil)) {
			t.Fatalf("is JSON: %q", body)
		}
		return first, false
	}
	again, apiErr := parse(encodeJSON(first))
	if apiErr != nil || !reflect.DeepEqual(again, first) {
		t.Fatalf("%q: %+v became %+v, %v", body, first, again, apiErr)
	}
	return first, true
}

func FuzzEcho(f *testing.F) {
	addBodies(f, echoPath)
	f.Fuzz(func(t *testing.T, body []byte) { checkAgain(t, body, parseEcho) })
}

func FuzzExperiment(f *testing.F) {
	addBodies(f, experimentsPath)
	f.Fuzz(func(t *testing.T, body []byte) {
		accepted, ok := checkAgain(t, body, parseExperiment)
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
	addBodies(f, documentsPath)
	f.Fuzz(func(t *testing.T, body []byte) {
		accepted, ok := checkAgain(t, body, parseDocument)
		if !ok {
			return
		}
		o := accepted.outline()
		if len(o.Sections) != o.Totals.Sections || o.Totals.Depth > depthLimit || !json.Valid(encodeJSON(o)) {
			t.Fatalf("%q: %+v", body, o)
		}
	})
}

func FuzzQuery(f *testing.F) {
	for _, v := range vectors(f) {
		path, query, _ := strings.Cut(v.Request.Path, "?")
		f.Add(strings.TrimPrefix(path, "/users/"), query)
	}
	f.Add("9223372036854775807", "cache=true&calls=100&hash=md5&for=1ms&input=%ff")
	f.Fuzz(func(t *testing.T, rawID, rawQuery string) {
		_, err := url.ParseQuery(rawQuery)
		malformed := err != nil
		input, budget, apiErr := parseProcess(rawQuery)
		if apiErr == nil && (len(input) < 1 || len(input) > inputLimit || budget > forLimit) {
			t.Fatalf("%q: %q %v", rawQuery, input, budget)
		}
		expectMalformed(t, rawQuery, malformed, apiErr)
		_, apiErr = parseHash(rawQuery)
		expectMalformed(t, rawQuery, malformed, apiErr)
		calls, apiErr := parseCalls(rawQuery)
		if apiErr == nil && (calls < 1 || calls > callsLimit) {
			t.Fatalf("%q: %d calls", rawQuery, calls)
		}
		expectMalformed(t, rawQuery, malformed, apiErr)
		id, _, apiErr := parseUser(rawID, rawQuery)
		if apiErr == nil && id < 1 {
			t.Fatalf("%q: %d", rawID, id)
		}
		expectMalformed(t, rawQuery, malformed, apiErr)
	})
}

func expectMalformed(t *testing.T, rawQuery string, malformed bool, apiErr *apiError) {
	t.Helper()
	if malformed != (apiErr == errInvalidQuery) {
		t.Fatalf("%q: %v", rawQuery, apiErr)
	}
}

func TestPathsAreTakenAsSent(t *testing.T) {
	for target, wanted := range map[string]string{
		"/hello/a":                  "/hello/a",
		"/hello/%7B{x}\"?a":         "/hello/%7B{x}\"",
		"http://h/hello/a?b":        "/hello/a",
		"http://hello/hello/hello/": "/hello/hello/",
		"http://h":                  "h",
		"http://h?/hello/a":         "h",
	} {
		if got := sentPath(target); got != wanted {
			t.Errorf("%s: %s", target, got)
		}
	}
	request := httptest.NewRequest("GET", "http://h/hello/{%7b}//\"", nil)
	answer := httptest.NewRecorder()
	NewRouter(nil, Backends{}).ServeHTTP(answer, request)
	if got := answer.Body.String(); got != "Hello, {%7b}//\"!\n" {
		t.Errorf("%d %q", answer.Code, got)
	}
}
