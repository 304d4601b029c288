package server

import (
	"net/url"
	"strconv"
)

// query is a decoded query string, whose parameters are each given at most once.
type query url.Values

func parseQuery(raw string) (query, *apiError) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, errInvalidQuery
	}
	return query(values), nil
}

// one is the first value of the parameter, and how often it is given.
func (q query) one(name string) (string, int) {
	values := q[name]
	if len(values) == 0 {
		return "", 0
	}
	return values[0], len(values)
}

// parseWhole reads a number from 1 to most without sign or leading zeros.
func parseWhole(text string, most uint64) (uint64, bool) {
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil && n <= most && text[0] != '0'
}

func isWithin(n, most int) bool {
	return n >= 1 && n <= most
}
