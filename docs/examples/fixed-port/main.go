// A service that cannot be told its port.
package main

import (
	"fmt"
	"log"
	"net/http"
	"strings"
)

func main() {
	http.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "ok")
	})
	http.HandleFunc("/shout/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, strings.ToUpper(strings.TrimPrefix(r.URL.Path, "/shout/")))
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:18080", nil))
}
