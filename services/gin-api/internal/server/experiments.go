package server

import (
	"crypto/md5"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
)

const (
	maxPercent  = 100
	maxVariants = 20
	maxWeight   = 1000

	// In code points.
	maxName        = 200
	maxVariantName = 64
)

// experiment has a pointer to tell what is missing where zero is valid.
type experiment struct {
	Name           string    `json:"name"`
	TrafficPercent *uint64   `json:"traffic_percent"`
	Variants       []variant `json:"variants"`
}

type variant struct {
	Name   string `json:"name"`
	Weight uint64 `json:"weight"`
}

func (e experiment) valid() bool {
	if e.Name == "" || utf8.RuneCountInString(e.Name) > maxName ||
		e.TrafficPercent == nil || *e.TrafficPercent > maxPercent ||
		len(e.Variants) == 0 || len(e.Variants) > maxVariants {
		return false
	}
	for i, v := range e.Variants {
		isSame := func(other variant) bool { return other.Name == v.Name }
		if v.Name == "" || utf8.RuneCountInString(v.Name) > maxVariantName ||
			v.Weight == 0 || v.Weight > maxWeight || slices.ContainsFunc(e.Variants[:i], isSame) {
			return false
		}
	}
	return true
}

type experimentReply struct {
	Name           string         `json:"name"`
	TrafficPercent *uint64        `json:"traffic_percent"`
	Variants       []variantReply `json:"variants"`
	CreatedAt      string         `json:"created_at"`
}

type variantReply struct {
	variant
	Share float64 `json:"share"`
}

func createExperiment(c *gin.Context) error {
	hash, hashed := c.GetQuery("hash")
	if hashed && hash != "md5" {
		return errInvalidHash
	}
	body, err := readJSON(c, bodyLimit)
	if err != nil {
		return err
	}
	request, err := decodeJSON[experiment](body, errInvalidExperiment)
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	if hashed {
		request.Name = hashName(request.Name, now)
	}
	return answerJSON(c, http.StatusOK, experimentReply{
		Name:           request.Name,
		TrafficPercent: request.TrafficPercent,
		Variants:       withShares(request.Variants),
		CreatedAt:      now.Format(nineDigits),
	})
}

// withShares rounds in integers. The division by 10,000 gives the float next to four decimals, which is written
// as these four.
func withShares(variants []variant) []variantReply {
	var sum uint64
	for _, v := range variants {
		sum += v.Weight
	}
	replies := make([]variantReply, len(variants))
	for i, v := range variants {
		replies[i] = variantReply{v, float64((20_000*v.Weight+sum)/(2*sum)) / 10_000}
	}
	return replies
}

func hashName(name string, now time.Time) string {
	digest := md5.Sum(strconv.AppendInt([]byte(name), now.Unix(), 10))
	return hex.EncodeToString(digest[:])
}
