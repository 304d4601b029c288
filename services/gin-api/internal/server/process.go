package server

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
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
	query, err := url.ParseQuery(c.Request.URL.RawQuery)
	if err != nil {
		errInvalidQuery.answer(c)
		return
	}
	inputs := query["input"]
	if len(inputs) != 1 || len(inputs[0]) < 1 || len(inputs[0]) > inputLimit {
		errInvalidInput.answer(c)
		return
	}
	input := []byte(inputs[0])
	budgets := query["for"]
	if len(budgets) == 0 {
		answerJSON(c, http.StatusOK, hashRounds(input, rounds))
		return
	}
	budget, ok := parseBudget(budgets[0])
	if !ok || len(budgets) > 1 {
		errInvalidFor.answer(c)
		return
	}
	answerJSON(c, http.StatusOK, hashFor(input, budget))
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
