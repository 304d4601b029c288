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

func process(c *gin.Context) error {
	input := c.Query("input")
	if input == "" || len(input) > inputLimit {
		return errInvalidInput
	}
	text, timed := c.GetQuery("for")
	if !timed {
		return answerJSON(c, http.StatusOK, hashRounds([]byte(input), rounds))
	}
	budget, err := parseBudget(text)
	if err != nil {
		return err
	}
	return answerJSON(c, http.StatusOK, hashFor([]byte(input), budget))
}

// parseBudget reads whole numbers only, unlike time.ParseDuration.
func parseBudget(text string) (time.Duration, error) {
	unit := time.Millisecond
	digits, found := strings.CutSuffix(text, "ms")
	if !found {
		unit = time.Microsecond
		digits, found = strings.CutSuffix(text, "us")
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	budget := time.Duration(n) * unit
	if !found || err != nil || n < 1 || budget > forLimit {
		return 0, errInvalidFor
	}
	return budget, nil
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
