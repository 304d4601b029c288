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
	experimentsPath = "/experiments"

	nameLimit        = 200
	variantsLimit    = 20
	variantNameLimit = 64
	percentLimit     = 100
	weightLimit      = 1000
)

var experimentShape = &shape{{"name", nil}, {"traffic_percent", nil}, {"variants", plain("name", "weight")}}

type experiment struct {
	Name           string    `json:"name"`
	TrafficPercent uint64    `json:"traffic_percent"`
	Variants       []variant `json:"variants"`
}

type variant struct {
	Name   string `json:"name"`
	Weight uint64 `json:"weight"`
}

type experimentReply struct {
	Name           string         `json:"name"`
	TrafficPercent uint64         `json:"traffic_percent"`
	Variants       []variantReply `json:"variants"`
	CreatedAt      string         `json:"created_at"`
}

type variantReply struct {
	variant
	Share float64 `json:"share"`
}

func addExperimentsRoutes(routes gin.IRoutes) {
	routes.POST(experimentsPath, createExperiment)
}

func createExperiment(c *gin.Context) {
	hashed, apiErr := parseHash(c.Request.URL.RawQuery)
	if apiErr != nil {
		apiErr.answer(c)
		return
	}
	body, apiErr := readJSON(c, bodyLimit)
	if apiErr != nil {
		apiErr.answer(c)
		return
	}
	request, apiErr := parseExperiment(body)
	if apiErr != nil {
		apiErr.answer(c)
		return
	}
	now := time.Now().UTC()
	if hashed {
		request.Name = hashedName(request.Name, now)
	}
	answerJSON(c, http.StatusOK, experimentReply{
		Name:           request.Name,
		TrafficPercent: request.TrafficPercent,
		Variants:       withShares(request.Variants),
		CreatedAt:      now.Format(nineDigits),
	})
}

// parseHash reports whether the query asks for a hashed name.
func parseHash(rawQuery string) (bool, *apiError) {
	query, apiErr := parseQuery(rawQuery)
	if apiErr != nil {
		return false, apiErr
	}
	value, times := query.one("hash")
	switch {
	case times == 0:
		return false, nil
	case times == 1 && value == "md5":
		return true, nil
	}
	return false, errInvalidHash
}

func parseExperiment(body []byte) (experiment, *apiError) {
	var e experiment
	if apiErr := parseObject(body, &e, experimentShape, errInvalidExperiment); apiErr != nil {
		return experiment{}, apiErr
	}
	if !e.isWithinLimits() {
		return experiment{}, errInvalidExperiment
	}
	return e, nil
}

func (e experiment) isWithinLimits() bool {
	if !isWithin(utf8.RuneCountInString(e.Name), nameLimit) || e.TrafficPercent > percentLimit ||
		!isWithin(len(e.Variants), variantsLimit) {
		return false
	}
	for i, v := range e.Variants {
		isSame := func(other variant) bool { return other.Name == v.Name }
		if !isWithin(utf8.RuneCountInString(v.Name), variantNameLimit) || v.Weight < 1 || v.Weight > weightLimit ||
			slices.ContainsFunc(e.Variants[:i], isSame) {
			return false
		}
	}
	return true
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

func hashedName(name string, now time.Time) string {
	digest := md5.Sum(strconv.AppendInt([]byte(name), now.Unix(), 10))
	return hex.EncodeToString(digest[:])
}
