// Ordinary edits of gin-api that change no answer of its, two of each kind. Each is of one place
// alone, so that all of them fit on each other.
import { create, declare, type Edit, insert, moveOut, rename, replace, swap } from "../edit.ts";
import { TABLES, tableName } from "./tables.ts";

const SERVER = "internal/server";
const ROUTER = `${SERVER}/router.go`;
const ECHO = `${SERVER}/echo.go`;
const PROCESS = `${SERVER}/process.go`;
const METRICS = `${SERVER}/metrics.go`;
const INTERNAL = "github.com/tailgate/tailgate/services/gin-api/internal";

const edit = (kind: string, name: string, steps: Edit["steps"]): Edit => ({
  service: "gin-api",
  kind,
  name,
  steps,
});

interface Release {
  version: string;
  /** Of the module and of its go.mod. */
  sums: readonly [string, string];
}

/** As `go get` would: the sums of the release before stay. */
function release(module: string, from: Release, to: Release): Edit["steps"] {
  const sums = ({ version, sums: [zip, mod] }: Release): string =>
    `${module} ${version} ${zip}\n${module} ${version}/go.mod ${mod}`;
  return [
    replace("go.mod", `\t${module} ${from.version} //`, `\t${module} ${to.version} //`),
    insert("go.sum", sums(from), sums(to)),
  ];
}

const TABLES_GO = `// Package tables has mixing functions, checked at start where CHECK_TABLES is set.
package tables

import "math/bits"

var all = []func(uint64) uint64{
${TABLES.map((_, nth) => `\t${tableName(nth)},`).join("\n")}
}

// Check is all of them, one on the other.
func Check(value uint64) uint64 {
	for _, mix := range all {
		value = mix(value)
	}
	return value
}
${TABLES.map(
  ({ factor, turn }, nth) => `
func ${tableName(nth)}(value uint64) uint64 {
	return bits.RotateLeft64(value*${factor}, ${turn}) ^ value>>${64 - turn}
}
`,
).join("")}`;

export const GO_EDITS: readonly Edit[] = [
  edit("route", "version", [
    create(
      `${SERVER}/version.go`,
      `package server

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// version says what runs here.
func version(c *gin.Context) error {
	answer(c, http.StatusOK, "text/plain; charset=utf-8", []byte("gin-api 0.1.0\\n"))
	return nil
}
`,
    ),
    insert(
      ROUTER,
      `	s.add(router, http.MethodGet, "/fanout", s.fanOut)`,
      `	s.add(router, http.MethodGet, "/version", version)`,
    ),
  ]),
  edit("route", "livez", [
    declare(
      `${SERVER}/health.go`,
      "func (s service) health(",
      `// live is that the process answers; nothing is asked of what it depends on.
func live(c *gin.Context) error {
	return answerJSON(c, http.StatusOK, gin.H{"status": "ok"})
}`,
    ),
    insert(
      ROUTER,
      `	s.add(router, http.MethodGet, "/metrics", s.metrics.answer)`,
      `	s.add(router, http.MethodGet, "/livez", live)`,
    ),
  ]),

  edit("split", "echo", [
    replace(
      ECHO,
      `	return answerJSON(c, http.StatusOK, echoReply{
		echoRequest:     request,
		ServerTimestamp: time.Now().UTC().Format(nineDigits),
		ProcessedBy:     "gin-api",
		Padding:         padding[:max(0, len(body)-addedBytes)],
	})
}
`,
      `	return answerJSON(c, http.StatusOK, replyTo(request, len(body)))
}

func replyTo(request echoRequest, length int) echoReply {
	return echoReply{
		echoRequest:     request,
		ServerTimestamp: time.Now().UTC().Format(nineDigits),
		ProcessedBy:     "gin-api",
		Padding:         padding[:max(0, length-addedBytes)],
	}
}
`,
    ),
  ]),
  edit("split", "process", [
    replace(
      PROCESS,
      `	input := c.Query("input")
	if input == "" || len(input) > inputLimit {
		return errInvalidInput
	}
`,
      `	input, err := inputOf(c)
	if err != nil {
		return err
	}
`,
    ),
    declare(
      PROCESS,
      "func process(",
      `func inputOf(c *gin.Context) (string, error) {
	input := c.Query("input")
	if input == "" || len(input) > inputLimit {
		return "", errInvalidInput
	}
	return input, nil
}`,
    ),
  ]),

  edit("rename", "hashRounds", [rename("hashRounds", "hashCycles")]),
  edit("rename", "readJSON", [rename("readJSON", "takeJSON")]),

  edit("move", "answer", [
    moveOut(`${SERVER}/json.go`, "func answer(", {
      into: `${SERVER}/answer.go`,
      head: `package server

import (
	"strconv"

	"github.com/gin-gonic/gin"
)
`,
    }),
    replace(`${SERVER}/json.go`, `	"strconv"\n`, ""),
  ]),
  edit("move", "countWords", [
    moveOut(`${SERVER}/documents.go`, "func countWords(", {
      into: `${SERVER}/words.go`,
      head: "package server\n",
    }),
  ]),

  edit("module", "describe", [
    create(
      "internal/describe/describe.go",
      `// Package describe says what the service answers, for people: printed at start where DESCRIBE is set.
package describe

import (
	"fmt"
	"strings"
)

var paths = []string{"/healthz", "/metrics", "/echo", "/process", "/experiments", "/documents", "/fanout"}

// Text has a line for each path.
func Text() string {
	var text strings.Builder
	for i, path := range paths {
		fmt.Fprintf(&text, "%2d %-16s %d\\n", i+1, path, strings.Count(path, "/"))
	}
	return text.String()
}
`,
    ),
    insert("main.go", `	"${INTERNAL}/config"`, `	"${INTERNAL}/describe"`),
    insert(
      "main.go",
      "func main() {",
      `	if os.Getenv("DESCRIBE") != "" {
		fmt.Print(describe.Text())
		return
	}`,
    ),
  ]),
  edit("module", "tables", [
    create("internal/tables/tables.go", TABLES_GO),
    insert("main.go", `	"${INTERNAL}/server"`, `	"${INTERNAL}/tables"`),
    insert(
      "main.go",
      "func run(cfg config.Config) error {",
      `	if text := os.Getenv("CHECK_TABLES"); text != "" {
		fmt.Println(tables.Check(uint64(len(text))))
		return nil
	}`,
    ),
  ]),

  edit("log", "cut off", [
    replace(
      "main.go",
      "gin-api: requests were still open after SHUTDOWN_GRACE_MS and were cut off",
      "gin-api: SHUTDOWN_GRACE_MS has passed: requests that were still open were cut off",
    ),
  ]),
  edit("log", "serve", [
    replace("main.go", `"cannot serve: %w"`, `"cannot accept connections any longer: %w"`),
  ]),

  edit("error", "store", [
    replace(
      "internal/store/store.go",
      "store: the database did not answer in time",
      "store: the database took longer than DATABASE_TIMEOUT_MS",
    ),
  ]),
  edit("error", "cache", [
    replace(
      "internal/cache/cache.go",
      "cache: Redis cannot be reached",
      "cache: no connection to Redis could be made",
    ),
  ]),

  edit(
    "dependency",
    "mimetype",
    release(
      "github.com/gabriel-vasile/mimetype",
      {
        version: "v1.4.12",
        sums: [
          "h1:e9hWvmLYvtp846tLHam2o++qitpguFiYCKbn0w9jyqw=",
          "h1:d+9Oxyo1wTzWdyVUPMmXFvp4F9tea18J8ufA774AB3s=",
        ],
      },
      {
        version: "v1.4.13",
        sums: [
          "h1:46nXokslUBsAJE/wMsp5gtO500a4F3Nkz9Ufpk2AcUM=",
          "h1:d+9Oxyo1wTzWdyVUPMmXFvp4F9tea18J8ufA774AB3s=",
        ],
      },
    ),
  ),
  edit(
    "dependency",
    "codec",
    release(
      "github.com/ugorji/go/codec",
      {
        version: "v1.3.1",
        sums: [
          "h1:waO7eEiFDwidsBN6agj1vJQ4AG7lh2yqXyOXqhgQuyY=",
          "h1:pRBVtBSKl77K30Bv8R2P+cLSGaTtex6fsA2Wjqmfxj4=",
        ],
      },
      {
        version: "v1.3.2",
        sums: [
          "h1:zkEASHHyEClGeURfgNT9PJZVfAbs9oEX9QXggwWNJbc=",
          "h1:pRBVtBSKl77K30Bv8R2P+cLSGaTtex6fsA2Wjqmfxj4=",
        ],
      },
    ),
  ),

  edit("reorder", "process", [swap(PROCESS, "func parseBudget(", "func hashFor(")]),
  edit("reorder", "json", [swap(`${SERVER}/json.go`, "func decodeJSON[", "func encodeJSON(")]),

  edit("constant", "name", [
    replace(ECHO, `ProcessedBy:     "gin-api",`, "ProcessedBy:     ownName,"),
    replace(
      ECHO,
      `	alphabet = "abcdefghijklmnopqrstuvwxyz"
`,
      `	alphabet = "abcdefghijklmnopqrstuvwxyz"

	ownName = "gin-api"
`,
    ),
  ]),
  edit("constant", "histogram", [
    replace(METRICS, `Name:    "http_request_duration_seconds",`, "Name:    histogramName,"),
    declare(METRICS, "const unmatched =", `const histogramName = "http_request_duration_seconds"`),
  ]),

  edit("field", "service", [
    insert(
      ROUTER,
      "	faults   *fault.Faults // nil when none are asked for",
      "	started  time.Time",
    ),
    insert(ROUTER, "		metrics:  newMetrics(),", "		started:  time.Now(),"),
    insert(ROUTER, `	"strings"`, `	"time"`),
  ]),
  edit("field", "metrics", [
    insert(METRICS, "	text     http.Handler", "	since    time.Time"),
    replace(METRICS, "		text: promhttp.", "		since: time.Now(),\n		text:  promhttp."),
  ]),

  edit("text", "metric", [
    replace(
      METRICS,
      "Time from the routed request to the end of its handlers.",
      "Time from the request, once it is routed, to the end of all of its handlers.",
    ),
  ]),
  edit("text", "version", [
    replace(
      "main.go",
      "const badEnvironment = 2\n",
      `const badEnvironment = 2

const version = "0.1.0"
`,
    ),
    replace(
      "main.go",
      "	cfg, err := config.Read(os.Getenv)\n",
      `	if len(os.Args) > 1 && os.Args[1] == "--version" {
		fmt.Println("gin-api", version)
		return
	}
	cfg, err := config.Read(os.Getenv)
`,
    ),
  ]),
];
