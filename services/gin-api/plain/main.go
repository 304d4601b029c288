// Command plain is the plainest gin program that answers the four default routes with the same bytes: no
// limits, no checks, no metrics. What lab/bench/services.ts holds the service against.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
)

const rounds = 24_000

var padding = strings.Repeat("abcdefghijklmnopqrstuvwxyz", 65_536/26+1)

func main() {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.POST("/echo", echo)
	router.GET("/process", process)
	router.POST("/experiments", experiments)
	router.GET("/hello/*path", hello)
	listener, err := net.Listen("tcp", os.Getenv("ADDR"))
	if err != nil {
		panic(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	panic(http.Serve(listener, router))
}

func now() string {
	return time.Now().UTC().Format("2006-01-02T15:04:05.000000000Z07:00")
}

func echo(c *gin.Context) {
	body, err := c.GetRawData()
	if err != nil {
		panic(err)
	}
	var request struct {
		ID        uint64   `json:"id"`
		UserAgent string   `json:"user_agent"`
		Metadata  []string `json:"metadata"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		panic(err)
	}
	c.JSON(http.StatusOK, struct {
		ID              uint64   `json:"id"`
		UserAgent       string   `json:"user_agent"`
		Metadata        []string `json:"metadata"`
		ServerTimestamp string   `json:"server_timestamp"`
		ProcessedBy     string   `json:"processed_by"`
		Padding         string   `json:"padding"`
	}{request.ID, request.UserAgent, request.Metadata, now(), "gin-api", padding[:len(body)-91]})
}

func process(c *gin.Context) {
	digest := sha256.Sum256([]byte(c.Query("input")))
	for i := 1; i < rounds; i++ {
		digest = sha256.Sum256(digest[:])
	}
	c.JSON(http.StatusOK, struct {
		Digest string `json:"digest"`
		Rounds int    `json:"rounds"`
	}{hex.EncodeToString(digest[:]), rounds})
}

type variant struct {
	Name   string          `json:"name"`
	Weight uint32          `json:"weight"`
	Share  json.RawMessage `json:"share"`
}

func experiments(c *gin.Context) {
	var request struct {
		Name           string    `json:"name"`
		TrafficPercent uint8     `json:"traffic_percent"`
		Variants       []variant `json:"variants"`
	}
	if err := c.ShouldBindJSON(&request); err != nil {
		panic(err)
	}
	sum := uint32(0)
	for _, v := range request.Variants {
		sum += v.Weight
	}
	for i, v := range request.Variants {
		parts := (20_000*v.Weight + sum) / (2 * sum)
		share := strconv.FormatFloat(float64(parts)/10_000, 'f', -1, 64)
		request.Variants[i].Share = json.RawMessage(share)
	}
	c.JSON(http.StatusOK, struct {
		Name           string    `json:"name"`
		TrafficPercent uint8     `json:"traffic_percent"`
		Variants       []variant `json:"variants"`
		CreatedAt      string    `json:"created_at"`
	}{request.Name, request.TrafficPercent, request.Variants, now()})
}

func hello(c *gin.Context) {
	c.String(http.StatusOK, "Hello, %s!\n", strings.TrimPrefix(c.Param("path"), "/"))
}
