// Package upstream asks another service for numbers.
package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

const (
	// bodyLimit is far more than a value takes.
	bodyLimit = 4096
	maxValue  = 1<<53 - 1

	// idleConns keeps the connections of ten requests of 100 calls. The default of two would close nearly all.
	idleConns = 1000
)

// Error is what a call can fail with, in the contract's words.
type Error string

// All errors of calls.
const (
	ErrTimeout     Error = "timeout"
	ErrStatus      Error = "status"
	ErrBody        Error = "body"
	ErrUnreachable Error = "unreachable"
)

func (e Error) Error() string { return string(e) }

// Client makes the calls, each bounded by the time-out.
type Client struct {
	http    http.Client
	url     string // empty when not configured
	timeout time.Duration
}

// New connects to nothing yet. Without a URL, the upstream is unreachable.
func New(url string, timeout time.Duration) *Client {
	return &Client{
		http: http.Client{
			Transport: &http.Transport{
				// An attempt to connect goes on after the call that asked for it.
				DialContext:         (&net.Dialer{Timeout: timeout}).DialContext,
				MaxIdleConnsPerHost: idleConns,
				IdleConnTimeout:     90 * time.Second,
				DisableCompression:  true,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		url:     url,
		timeout: timeout,
	}
}

// Ping reports no error where no upstream is configured.
func (c *Client) Ping(ctx context.Context) error {
	if c.url == "" {
		return nil
	}
	_, err := c.get(ctx, "/healthz")
	return err
}

// Value is the upstream's i-th number, or an Error.
func (c *Client) Value(ctx context.Context, i int) (uint64, error) {
	body, err := c.get(ctx, "/value/"+strconv.Itoa(i))
	if err != nil {
		return 0, err
	}
	var reply struct {
		Value *uint64 `json:"value"`
	}
	if json.Unmarshal(body, &reply) != nil || reply.Value == nil || *reply.Value > maxValue {
		return 0, ErrBody
	}
	return *reply.Value, nil
}

// get is the body of a 200, or an Error.
func (c *Client) get(ctx context.Context, path string) ([]byte, error) {
	if c.url == "" {
		return nil, ErrUnreachable
	}
	// A client that leaves does not cancel: a call cut off would cost its connection.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+path, nil)
	if err != nil {
		return nil, callError(err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, callError(err)
	}
	defer response.Body.Close()
	// Read to its end also when it does not matter, so that the connection can be used again.
	body, err := io.ReadAll(io.LimitReader(response.Body, bodyLimit))
	if response.StatusCode != http.StatusOK {
		return nil, ErrStatus
	}
	if err != nil {
		return nil, callError(err)
	}
	return body, nil
}

func callError(err error) Error {
	if netErr, ok := errors.AsType[net.Error](err); ok && netErr.Timeout() {
		return ErrTimeout
	}
	return ErrUnreachable
}
