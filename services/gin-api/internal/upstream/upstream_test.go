package upstream

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestValuesAreWholeNumbersOf53Bits(t *testing.T) {
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, body)
	}))
	defer server.Close()
	client := New(server.URL, time.Second)
	for _, c := range []struct {
		body  string
		value uint64
		err   error
	}{
		{`{"value":0}`, 0, nil},
		{` {"value":9007199254740991}`, 9007199254740991, nil},
		{`{"value":9007199254740992}`, 0, ErrBody},
		{`{"value":-1}`, 0, ErrBody},
		{`{"value":1.0}`, 0, ErrBody},
		{`{"value":"1"}`, 0, ErrBody},
		{`{"value":null}`, 0, ErrBody},
		{`{"value":1,"x":"` + strings.Repeat("x", bodyLimit) + `"}`, 0, ErrBody},
		{`{}`, 0, ErrBody},
		{`1`, 0, ErrBody},
		{``, 0, ErrBody},
	} {
		body = c.body
		if value, err := client.Value(t.Context(), 0); value != c.value || !errors.Is(err, c.err) {
			t.Errorf("%.40s: %d, %v", c.body, value, err)
		}
	}
}
