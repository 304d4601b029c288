package server

import (
	"context"
	"net/http"
	"strconv"
	"sync"

	"github.com/gin-gonic/gin"

	"github.com/tailgate/tailgate/services/gin-api/internal/upstream"
)

const maxCalls = 100

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

func (s service) fanOut(c *gin.Context) error {
	calls, err := strconv.Atoi(c.DefaultQuery("calls", "10"))
	if err != nil || calls < 1 || calls > maxCalls {
		return errInvalidCalls
	}
	reply, err := sumUp(s.callAll(c.Request.Context(), calls))
	if err != nil {
		return err
	}
	return answerJSON(c, http.StatusOK, reply)
}

// callAll makes the calls at once. Each is bounded by its own time-out, so all are.
func (s service) callAll(ctx context.Context, calls int) []callResult {
	results := make([]callResult, calls)
	var wait sync.WaitGroup
	for i := range results {
		wait.Go(func() {
			results[i].Call = i
			if value, err := s.upstream.Value(ctx, i); err != nil {
				results[i].Error = err.Error()
			} else {
				results[i].Value = &value
			}
		})
	}
	wait.Wait()
	return results
}

// sumUp returns an error when no call succeeded: that of a time-out if every one timed out.
func sumUp(results []callResult) (fanoutReply, error) {
	reply := fanoutReply{Calls: len(results), Results: results}
	timeouts := 0
	for _, result := range results {
		switch {
		case result.Value != nil:
			reply.Succeeded++
			reply.Sum += *result.Value
		case result.Error == upstream.ErrTimeout.Error():
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
