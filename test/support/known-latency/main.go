// A server whose latencies are known: each request is held for the next entry of a table, to a few microseconds.
//
//	known-latency -latencies FILE[,FILE…] [-stall-every 2s -stall 200ms] [-over h2c [-socket PATH] [-cert FILE -key FILE]]
//
// FILE has one latency in microseconds a line; they are used in turn, and again from the first. Requests of /1, /2 … are held for
// the latencies of the second file, the third …, all others for those of the first. Requests that arrive in a stall begin to be
// held when it ends. The first stall begins half a period after the first request since GET /begin, which also
// starts the tables over. GET /floor tells how late answers were beyond what they were held for: the server's own error.
//
// One thread serves all connections. It sleeps until shortly before the next answer is due, and from then on it polls. It speaks
// HTTP/1.1 over TCP; what -over names is served by net/http, with timers of the kernel's.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

type settings struct {
	held       [][]time.Duration // by table
	stallEvery time.Duration
	stall      time.Duration // 0: never
}

func main() {
	files := flag.String("latencies", "", "files of one latency in microseconds a line")
	every := flag.Duration("stall-every", 0, "period of stalls")
	stall := flag.Duration("stall", 0, "length of each stall")
	var over transport
	flag.StringVar(&over.protocol, "over", "", "http1, h2c or h2, by net/http")
	flag.StringVar(&over.socket, "socket", "", "unix socket in place of a port")
	flag.StringVar(&over.cert, "cert", "", "certificate, for TLS")
	flag.StringVar(&over.key, "key", "", "its key")
	flag.Parse()
	held, err := readTables(strings.Split(*files, ","))
	if err == nil && (*stall < 0 || (*stall > 0 && *stall >= *every)) {
		err = fmt.Errorf("-stall must be shorter than -stall-every")
	}
	if err == nil {
		held := settings{held: held, stallEvery: *every, stall: *stall}
		if over.protocol == "" {
			err = serve(held)
		} else {
			err = serveOver(held, over)
		}
	}
	fmt.Fprintln(os.Stderr, "known-latency:", err)
	os.Exit(1)
}

func readTables(paths []string) ([][]time.Duration, error) {
	var tables [][]time.Duration
	for _, path := range paths {
		table, err := readLatencies(path)
		if err != nil {
			return nil, err
		}
		tables = append(tables, table)
	}
	return tables, nil
}

func readLatencies(path string) ([]time.Duration, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var held []time.Duration
	for line := range strings.Lines(string(bytes.TrimSpace(text))) {
		us, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
		if err != nil || us < 0 {
			return nil, fmt.Errorf("%s: not a latency: %q", path, line)
		}
		held = append(held, time.Duration(us*float64(time.Microsecond)))
	}
	if len(held) == 0 {
		return nil, fmt.Errorf("%s holds no latency", path)
	}
	return held, nil
}
