package server

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
)

const (
	processPath = "/process"

	// rounds is about 2 ms on one core of the machine the contract was written on; the same in both services.
	rounds = 24_000

	// roundsPerClock: with for, the clock is read once in this many rounds (over 1 µs), so that reading it is
	// not the work.
	roundsPerClock = 16

	inputLimit = 1024
	forLimit   = 100 * time.Millisecond
)

type processReply struct {
	Digest string `json:"digest"`
	Rounds uint64 `json:"rounds"`
}

func addProcessRoutes(routes gin.IRoutes) {
	get(routes, processPath, process)
}

func process(c *gin.Context) {
	input, budget, apiErr := parseProcess(c.Request.URL.RawQuery)
	switch {
	case apiErr != nil:
		apiErr.answer(c)
	case budget == 0:
		answerJSON(c, http.StatusOK, hashRounds(input, rounds))
	default:
		answerJSON(c, http.StatusOK, hashFor(input, budget))
	}
}

// parseProcess is the input and the time to hash it for, 0 for the fixed number of rounds.
func parseProcess(rawQuery string) ([]byte, time.Duration, *apiError) {
	query, apiErr := parseQuery(rawQuery)
	if apiErr != nil {
		return nil, 0, apiErr
	}
	input, times := query.one("input")
	if times != 1 || !isWithin(len(input), inputLimit) {
		return nil, 0, errInvalidInput
	}
	text, times := query.one("for")
	if times == 0 {
		return []byte(input), 0, nil
	}
	budget, ok := parseBudget(text)
	if !ok || times > 1 {
		return nil, 0, errInvalidFor
	}
	return []byte(input), budget, nil
}

func parseBudget(text string) (time.Duration, bool) {
	unit := time.Microsecond
	digits, found := strings.CutSuffix(text, "us")
	if !found {
		unit = time.Millisecond
		if digits, found = strings.CutSuffix(text, "ms"); !found {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n < 1 || n > uint64(forLimit/unit) {
		return 0, false
	}
	return time.Duration(n) * unit, true
}

// hashRounds is SHA-256 of the input, then of the digest before, n times in all.
func hashRounds(input []byte, n uint64) processReply {
	digest := sha256.Sum256(input)
	for i := uint64(1); i < n; i++ {
		digest = sha256.Sum256(digest[:])
	}
	return processReply{hex.EncodeToString(digest[:]), n}
}

func hashFor(input []byte, budget time.Duration) processReply {
	started := time.Now()
	digest := sha256.Sum256(input)
	n := uint64(1)
	for n%roundsPerClock != 0 || time.Since(started) < budget {
		digest = sha256.Sum256(digest[:])
		n++
	}
	return processReply{hex.EncodeToString(digest[:]), n}
}
