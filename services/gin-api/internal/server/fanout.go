package server

import (
	"net/http"
	"sync"

	"github.com/gin-gonic/gin"
)

const (
	fanoutPath   = "/fanout"
	defaultCalls = 10
	callsLimit   = 100
)

type fanoutReply struct {
	Calls     int          `json:"calls"`
	Succeeded int          `json:"succeeded"`
	Failed    int          `json:"failed"`
	Sum       uint64       `json:"sum"`
	Results   []callResult `json:"results"`
}

// callResult has either a value or an error.
type callResult struct {
	Call  int     `json:"call"`
	Value *uint64 `json:"value,omitempty"`
	Error string  `json:"error,omitempty"`
}

func addFanoutRoutes(routes gin.IRoutes, upstream upstream) {
	get(routes, fanoutPath, func(c *gin.Context) { fanOut(c, upstream) })
}

func fanOut(c *gin.Context, upstream upstream) {
	calls, apiErr := parseCalls(c.Request.URL.RawQuery)
	if apiErr != nil {
		apiErr.answer(c)
		return
	}
	if upstream.client == nil {
		errUpstreamUnavailable.answer(c)
		return
	}
	reply, apiErr := summed(upstream.callAll(c, calls))
	if apiErr != nil {
		apiErr.answer(c)
		return
	}
	answerJSON(c, http.StatusOK, reply)
}

func parseCalls(rawQuery string) (int, *apiError) {
	query, apiErr := parseQuery(rawQuery)
	if apiErr != nil {
		return 0, apiErr
	}
	text, times := query.one("calls")
	if times == 0 {
		return defaultCalls, nil
	}
	calls, ok := parseWhole(text, callsLimit)
	if !ok || times > 1 {
		return 0, errInvalidCalls
	}
	return int(calls), nil
}

// callAll makes the calls at once. Each is bounded by its own time-out, so all are.
func (u upstream) callAll(c *gin.Context, calls int) []callResult {
	results := make([]callResult, calls)
	var wait sync.WaitGroup
	for i := range results {
		wait.Go(func() {
			value, err := u.value(c, i)
			if err != nil {
				results[i] = callResult{Call: i, Error: err.Error()}
			} else {
				results[i] = callResult{Call: i, Value: &value}
			}
		})
	}
	wait.Wait()
	return results
}

// summed is an error when no call succeeded.
func summed(results []callResult) (fanoutReply, *apiError) {
	reply := fanoutReply{Calls: len(results), Results: results}
	timeouts := 0
	for _, result := range results {
		switch {
		case result.Value != nil:
			reply.Succeeded++
			reply.Sum += *result.Value
		case result.Error == errCallTimeout.Error():
			timeouts++
		}
	}
	reply.Failed = reply.Calls - reply.Succeeded
	switch {
	case reply.Succeeded > 0:
		return reply, nil
	case timeouts == reply.Calls:
		return reply, errUpstreamTimeout
	default:
		return reply, errUpstreamUnavailable
	}
}
