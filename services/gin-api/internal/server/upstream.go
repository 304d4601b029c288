package server

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/tailgate/tailgate/services/gin-api/internal/config"
)

const (
	// valueBodyLimit is far more than a value takes.
	valueBodyLimit = 4096
	valueLimit     = 1<<53 - 1

	// idleUpstreamConns keeps the connections of ten requests of 100 calls. The default of two would close nearly all.
	idleUpstreamConns = 1000
)

// What a call can fail with, in the contract's words.
var (
	errCallTimeout     = errors.New("timeout")
	errCallStatus      = errors.New("status")
	errCallBody        = errors.New("body")
	errCallUnreachable = errors.New("unreachable")
)

// upstream is another service that answers with numbers.
type upstream struct {
	client  *http.Client // nil when not configured
	url     string
	timeout time.Duration
}

func newUpstream(cfg config.Config) upstream {
	if cfg.Upstream == "" {
		return upstream{}
	}
	return upstream{
		client: &http.Client{
			Transport: &http.Transport{
				// An attempt to connect goes on after the call that asked for it.
				DialContext:         (&net.Dialer{Timeout: cfg.UpstreamTimeout}).DialContext,
				MaxIdleConnsPerHost: idleUpstreamConns,
				IdleConnTimeout:     90 * time.Second,
				DisableCompression:  true,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		url:     cfg.Upstream,
		timeout: cfg.UpstreamTimeout,
	}
}

// get is the body of a 200, at most one byte more than valueBodyLimit of it.
func (u upstream) get(c *gin.Context, path string) ([]byte, error) {
	ctx, cancel := bounded(c, u.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.url+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := u.client.Do(request)
	if err != nil {
		return nil, callError(err)
	}
	defer response.Body.Close()
	// Read to its end also when it does not matter, so that the connection can be used again.
	body, err := io.ReadAll(io.LimitReader(response.Body, valueBodyLimit+1))
	switch {
	case response.StatusCode != http.StatusOK:
		return nil, errCallStatus
	case err != nil:
		return nil, callError(err)
	}
	return body, nil
}

func callError(err error) error {
	if isTimeout(err) {
		return errCallTimeout
	}
	return errCallUnreachable
}

var valueShape = plain("value")

// value is the upstream's i-th number.
func (u upstream) value(c *gin.Context, i int) (uint64, error) {
	body, err := u.get(c, "/value/"+strconv.Itoa(i))
	if err != nil {
		return 0, err
	}
	return parseValue(body)
}

func parseValue(body []byte) (uint64, error) {
	var reply struct {
		Value uint64 `json:"value"`
	}
	if len(body) > valueBodyLimit || parseObject(body, &reply, valueShape, errInternal) != nil || reply.Value > valueLimit {
		return 0, errCallBody
	}
	return reply.Value, nil
}

func (u upstream) ping(c *gin.Context) *apiError {
	switch _, err := u.get(c, "/healthz"); err {
	case nil:
		return nil
	case errCallTimeout:
		return errUpstreamTimeout
	default:
		return errUpstreamUnavailable
	}
}
