// The service that the tests under act gate: answers at once, or after the delay that a test writes here.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

const delay = 0 * time.Millisecond

func main() {
	http.HandleFunc("/hello", func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(delay)
		fmt.Fprintln(w, "hello")
	})
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("listening on", listener.Addr())
	fmt.Fprintln(os.Stderr, http.Serve(listener, nil))
	os.Exit(1)
}
