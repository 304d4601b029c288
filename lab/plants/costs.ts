// Fifteen kinds of cost as code in both services, each with what `tailgate explain` is to say of it:
// what there is more of, and in which function. Twelve are those of which explaining was first tried;
// reading JSON back, sorting and reading a file are new. Where a regression of plants.ts is of the
// kind, it is that one.
import { declare, type Edit, insert, replace, type Service, type Step } from "../edit.ts";
import { ECHO, GO_ECHO, GO_MAIN, GO_METRICS, IN_ECHO, IN_GO_ECHO, LIB, MAIN } from "./places.ts";
import { plantEdit } from "./plants.ts";
import { REGEX_LOCKED } from "./regex-lock.ts";

/** What there is more of. `timer`, `disk` and `service` are waiting, each for one of them. */
export type Answer = "cpu" | "timer" | "disk" | "service" | "memory" | "start";

export interface Cost {
  /** As the page calls it. */
  title: string;
  /** Of tailgate.yml, or of services/tailgate.full.yml: the load that meets it. */
  scenario: "echo" | "fanout";
  /** Any of them is right; the first is what it is counted as. */
  answers: readonly [Answer, ...Answer[]];
  /**
   * As `explain` shortens names: the planted function, and then those of the service that call it, in
   * which a compiler may have put it.
   */
  functions: Readonly<Record<Service, readonly [string, ...string[]]>>;
  /** The function of a library in Rust that runs them, in which they may be put too. Absent: none. */
  runner?: string;
  steps(service: Service): readonly Step[];
}

const each =
  (steps: Readonly<Record<Service, readonly Step[]>>): Cost["steps"] =>
  (service) =>
    steps[service];

const regression =
  (name: string): Cost["steps"] =>
  (service) =>
    plantEdit(name, service).steps;

const PARSED = "    let request: EchoRequest<S> = parse(body)?;";
const IN_ANSWER =
  "fn answer<'de, S: Deserialize<'de> + Serialize>(body: &'de [u8]) -> Result<Response, ApiError> {";
const GO_ANSWERS = "	return answerJSON(c, http.StatusOK, echoReply{";
const GO_SET_UP = "	router, err := server.New(cfg)";

/** In Go's echo, when the request has been read. */
const beforeGoAnswer = (lines: string): Step =>
  replace(GO_ECHO, GO_ANSWERS, `${lines}\n${GO_ANSWERS}`);

/** `packages`: as gofmt orders them. */
const goImports = (path: string, ...packages: string[]): Step =>
  replace(path, "import (\n", `import (\n${packages.map((name) => `	"${name}"\n`).join("")}`);

/** Of axum's handlers, of its middleware, and of what blocks on main's future. */
const RUNS_HANDLER = "F::call";
const RUNS_MIDDLEWARE = "FromFn::call";
const RUNS_MAIN = "CachedParkThread::block_on";
const RUNS_THREAD = "backtrace::__rust_begin_short_backtrace";

const ECHO_IN_RUST = ["echo::answer", "echo::echo"] as const;
/** What starts runs within them, one in the other. */
const MAIN_IN_RUST = ["axum_api::run", "axum_api::start", "axum_api::main"] as const;
const GO_MIDDLEWARE = "server.(*metrics).observe";

export const COSTS: Readonly<Record<string, Cost>> = {
  hash: {
    title: "a checksum by hand in /echo",
    scenario: "echo",
    answers: ["cpu"],
    functions: { "axum-api": ECHO_IN_RUST, "gin-api": ["server.echo"] },
    runner: RUNS_HANDLER,
    steps: regression("p99+20"),
  },
  regexp: {
    title: "a regular expression compiled for each request",
    scenario: "echo",
    answers: ["cpu"],
    functions: {
      "axum-api": ["extract::is_json", "extract::read_json", "JsonBytes::from_request"],
      "gin-api": ["server.readJSON", "server.echo"],
    },
    runner: RUNS_HANDLER,
    steps: each({
      "axum-api": [
        insert(
          "Cargo.toml",
          `redis = { version = "1", default-features = false, features = ["tokio-comp"] }`,
          `regex = "1"`,
        ),
        ...REGEX_LOCKED,
        replace(
          "src/extract.rs",
          `    media_type
        .trim_ascii()
        .eq_ignore_ascii_case(b"application/json")`,
          `    let pattern = regex::bytes::Regex::new(r"(?i-u)^[ \\t]*application/json[ \\t]*$");
    pattern.is_ok_and(|pattern| pattern.is_match(media_type))`,
        ),
      ],
      "gin-api": [
        replace(
          "internal/server/json.go",
          `	"os"\n	"strconv"`,
          `	"os"\n	"regexp"\n	"strconv"`,
        ),
        replace(
          "internal/server/json.go",
          "	if !strings.EqualFold(c.ContentType(), gin.MIMEJSON) {",
          "	if !regexp.MustCompile(`(?i)^\\s*application/json\\s*$`).MatchString(c.ContentType()) {",
        ),
      ],
    }),
  },
  log: {
    title: "a line logged for each request",
    scenario: "echo",
    answers: ["cpu"],
    functions: {
      "axum-api": ["axum_api::access_log", "axum_api::observe"],
      "gin-api": ["server.accessLog", GO_MIDDLEWARE],
    },
    runner: RUNS_MIDDLEWARE,
    steps: each({
      "axum-api": [
        insert(
          LIB,
          "    metrics.observe(route, status.as_str(), started.elapsed());",
          "    access_log(route, status, started.elapsed());",
        ),
        declare(
          LIB,
          "async fn observe(",
          `fn access_log(route: Option<&str>, status: StatusCode, took: std::time::Duration) {
    let route = route.unwrap_or("-");
    eprintln!("{route} {} {} us", status.as_u16(), took.as_micros());
}`,
        ),
      ],
      "gin-api": [
        goImports(GO_METRICS, "log"),
        insert(
          GO_METRICS,
          "		requests.WithLabelValues(strconv.Itoa(c.Writer.Status())).Observe(time.Since(started).Seconds())",
          "		accessLog(route, c.Writer.Status(), time.Since(started))",
        ),
        declare(
          GO_METRICS,
          "func (m *metrics) observe(",
          `func accessLog(route string, status int, took time.Duration) {
	log.Printf("%s %d %d us", route, status, took.Microseconds())
}`,
        ),
      ],
    }),
  },
  allocations: {
    title: "pieces of the body allocated for each request",
    scenario: "echo",
    answers: ["cpu"],
    functions: {
      "axum-api": ["echo::pieces", ...ECHO_IN_RUST],
      "gin-api": ["server.pieces", "server.echo"],
    },
    runner: RUNS_HANDLER,
    steps: each({
      "axum-api": [
        insert(
          ECHO,
          PARSED,
          `    if pieces(body).iter().all(String::is_empty) {
        return Err(ApiError::InvalidEcho);
    }`,
        ),
        declare(
          ECHO,
          IN_ANSWER,
          `fn pieces(body: &[u8]) -> Vec<String> {
    body.chunks(16)
        .map(|piece| String::from_utf8_lossy(piece).into_owned())
        .collect()
}`,
        ),
      ],
      "gin-api": [
        beforeGoAnswer(`	if len(pieces(body)) == 0 {
		return errInvalidEcho
	}`),
        declare(
          GO_ECHO,
          IN_GO_ECHO,
          `func pieces(body []byte) []*string {
	var all []*string
	for len(body) > 16 {
		piece := string(body[:16])
		all = append(all, &piece)
		body = body[16:]
	}
	return all
}`,
        ),
      ],
    }),
  },
  copy: {
    title: "256 KiB copied for each answer",
    scenario: "echo",
    answers: ["cpu"],
    functions: {
      "axum-api": ["echo::fill", ...ECHO_IN_RUST],
      "gin-api": ["server.fill", "server.echo"],
    },
    runner: RUNS_HANDLER,
    steps: each({
      "axum-api": [
        replace(ECHO, "    padding: &'static str,", "    padding: String,"),
        replace(
          ECHO,
          "        padding: &PADDING[..body.len().saturating_sub(ADDED_BYTES)],",
          "        padding: fill(body.len().saturating_sub(ADDED_BYTES)),",
        ),
        declare(
          ECHO,
          IN_ANSWER,
          `fn fill(length: usize) -> String {
    let mut all = PADDING.repeat(4);
    all.truncate(length);
    all
}`,
        ),
      ],
      "gin-api": [
        replace(GO_ECHO, "padding[:max(0, len(body)-addedBytes)]", "fill(len(body) - addedBytes)"),
        declare(
          GO_ECHO,
          IN_GO_ECHO,
          `func fill(length int) string {
	all := strings.Repeat(padding, 4)
	return strings.Clone(all[:max(0, length)])
}`,
        ),
      ],
    }),
  },
  thread: {
    title: "a thread that is busy beside the requests",
    scenario: "echo",
    answers: ["cpu"],
    functions: { "axum-api": ["axum_api::refresh_forever"], "gin-api": ["main.refreshForever"] },
    runner: RUNS_THREAD,
    steps: each({
      "axum-api": [
        insert(MAIN, "    let addr = config.addr;", "    std::thread::spawn(refresh_forever);"),
        declare(
          MAIN,
          "async fn run(",
          `/// Keeps a sum of everything fresh.
fn refresh_forever() {
    let mut sum = 0_u64;
    loop {
        for step in 0..150_000_u64 {
            sum = std::hint::black_box(sum.wrapping_mul(31).wrapping_add(step));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}`,
        ),
      ],
      "gin-api": [
        replace(GO_MAIN, GO_SET_UP, `	go refreshForever()\n${GO_SET_UP}`),
        declare(
          GO_MAIN,
          "func run(",
          `var total uint64

// refreshForever keeps a sum of everything fresh.
func refreshForever() {
	for {
		for step := range uint64(150_000) {
			total = total*31 + step
		}
		time.Sleep(time.Millisecond)
	}
}`,
        ),
      ],
    }),
  },
  lock: {
    title: "a lock that is held over a sleep of 1 ms, by 1 request in 8",
    scenario: "echo",
    answers: ["timer"],
    functions: {
      "axum-api": ["echo::remember", "echo::echo"],
      "gin-api": ["server.remember", "server.echo"],
    },
    runner: RUNS_HANDLER,
    steps: each({
      "axum-api": [
        insert(ECHO, IN_ECHO, "    remember(&body).await;"),
        declare(
          ECHO,
          "pub async fn echo(",
          `static RECENT: LazyLock<tokio::sync::Mutex<(u64, Vec<u8>)>> =
    LazyLock::new(tokio::sync::Mutex::default);

/// Keeps the latest body; every eighth is given time to be written down.
async fn remember(body: &[u8]) {
    let mut recent = RECENT.lock().await;
    recent.0 += 1;
    recent.1.clear();
    recent.1.extend_from_slice(body);
    if recent.0.is_multiple_of(8) {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
}`,
        ),
      ],
      "gin-api": [
        replace(GO_ECHO, `	"strings"\n`, `	"strings"\n	"sync"\n`),
        beforeGoAnswer("	remember(body)"),
        declare(
          GO_ECHO,
          IN_GO_ECHO,
          `var recent struct {
	sync.Mutex
	count int
	body  []byte
}

// remember keeps the latest body; every eighth is given time to be written down.
func remember(body []byte) {
	recent.Lock()
	defer recent.Unlock()
	recent.count++
	recent.body = append(recent.body[:0], body...)
	if recent.count%8 == 0 {
		time.Sleep(time.Millisecond)
	}
}`,
        ),
      ],
    }),
  },
  sleep: {
    title: "1 request in 200 sleeps 20 ms",
    scenario: "echo",
    answers: ["timer"],
    functions: { "axum-api": ["echo::echo"], "gin-api": ["server.echo"] },
    runner: RUNS_HANDLER,
    steps: regression("one-in-200-by-20ms"),
  },
  call: {
    title: "one more call of another service, before the others",
    scenario: "fanout",
    answers: ["service"],
    functions: {
      "axum-api": ["fanout::check_quota", "fanout::fanout"],
      "gin-api": ["server.service.checkQuota", "server.service.fanOut"],
    },
    runner: RUNS_HANDLER,
    steps: each({
      "axum-api": [
        replace(
          "src/routes/fanout.rs",
          "use crate::upstream::CallError;",
          "use crate::upstream::{CallError, Upstream};",
        ),
        insert(
          "src/routes/fanout.rs",
          "    let upstream = state.upstream()?;",
          "    check_quota(upstream).await?;",
        ),
        declare(
          "src/routes/fanout.rs",
          "pub async fn fanout(",
          `/// Whether there may be more calls.
async fn check_quota(upstream: &Upstream) -> Result<u64, ApiError> {
    let quota = upstream.value(0).await;
    quota.map_err(|_| ApiError::UpstreamUnavailable)
}`,
        ),
      ],
      "gin-api": [
        replace(
          "internal/server/fanout.go",
          "	reply, err := sumUp(s.callAll(c.Request.Context(), calls))",
          `	if err := s.checkQuota(c.Request.Context()); err != nil {
		return err
	}
	reply, err := sumUp(s.callAll(c.Request.Context(), calls))`,
        ),
        declare(
          "internal/server/fanout.go",
          "func (s service) fanOut(",
          `// checkQuota asks whether there may be more calls.
func (s service) checkQuota(ctx context.Context) error {
	_, err := s.upstream.Value(ctx, 0)
	return err
}`,
        ),
      ],
    }),
  },
  leak: {
    title: "2 KB kept of each request",
    scenario: "echo",
    answers: ["memory"],
    functions: {
      "axum-api": ["seen::remember", "axum_api::observe"],
      "gin-api": ["server.remember", GO_MIDDLEWARE],
    },
    runner: RUNS_MIDDLEWARE,
    steps: regression("leak-2KB"),
  },
  table: {
    title: "a table filled at start and kept",
    scenario: "echo",
    answers: ["memory"],
    functions: {
      "axum-api": ["table::TABLE", ...MAIN_IN_RUST],
      "gin-api": ["server.init"],
    },
    runner: RUNS_MAIN,
    steps: regression("rss+5"),
  },
  start: {
    title: "as much work again before listening",
    scenario: "echo",
    answers: ["start"],
    functions: { "axum-api": MAIN_IN_RUST, "gin-api": ["main.run"] },
    runner: RUNS_MAIN,
    steps: regression("start-x2"),
  },
  "read-back": {
    title: "JSON encoded and read back for each request",
    scenario: "echo",
    answers: ["cpu"],
    functions: {
      "axum-api": ["echo::reads_back", ...ECHO_IN_RUST],
      "gin-api": ["server.readsBack", "server.echo"],
    },
    runner: RUNS_HANDLER,
    steps: each({
      "axum-api": [
        insert(
          ECHO,
          PARSED,
          `    if !reads_back(&request) {
        return Err(ApiError::Internal);
    }`,
        ),
        declare(
          ECHO,
          IN_ANSWER,
          `/// Whether JSON gives it again.
fn reads_back<T: Serialize>(request: &T) -> bool {
    let value = serde_json::to_value(request).unwrap_or_default();
    let json = value.to_string();
    serde_json::from_str::<serde_json::Value>(&json).is_ok_and(|read| read == value)
}`,
        ),
      ],
      "gin-api": [
        goImports(GO_ECHO, "encoding/json"),
        beforeGoAnswer(`	if !readsBack(request) {
		return errInternal
	}`),
        declare(
          GO_ECHO,
          IN_GO_ECHO,
          `// readsBack tells whether JSON gives it again.
func readsBack(request echoRequest) bool {
	body, err := json.Marshal(request)
	var read map[string]any
	return err == nil && json.Unmarshal(body, &read) == nil && len(read) == 3
}`,
        ),
      ],
    }),
  },
  sort: {
    title: "pieces of the body sorted for each request",
    scenario: "echo",
    answers: ["cpu"],
    functions: {
      "axum-api": ["echo::distinct", ...ECHO_IN_RUST],
      "gin-api": ["server.distinct", "server.echo"],
    },
    runner: RUNS_HANDLER,
    steps: each({
      "axum-api": [
        insert(
          ECHO,
          PARSED,
          `    if distinct(body) == 0 {
        return Err(ApiError::InvalidEcho);
    }`,
        ),
        declare(
          ECHO,
          IN_ANSWER,
          `/// How many different pieces it has.
fn distinct(body: &[u8]) -> usize {
    let mut pieces: Vec<&[u8]> = body.chunks(4).collect();
    pieces.sort_unstable();
    pieces.dedup();
    pieces.len()
}`,
        ),
      ],
      "gin-api": [
        replace(GO_ECHO, `	"strings"\n`, `	"slices"\n	"strings"\n`),
        beforeGoAnswer(`	if distinct(body) == 0 {
		return errInvalidEcho
	}`),
        declare(
          GO_ECHO,
          IN_GO_ECHO,
          `// distinct is how many different pieces it has.
func distinct(body []byte) int {
	var pieces []string
	for piece := range slices.Chunk(body, 4) {
		pieces = append(pieces, string(piece))
	}
	slices.Sort(pieces)
	return len(slices.Compact(pieces))
}`,
        ),
      ],
    }),
  },
  file: {
    title: "a file read for each request",
    scenario: "echo",
    // The system has it in memory: what it takes is CPU, in system calls for files.
    answers: ["cpu", "disk"],
    functions: {
      "axum-api": ["echo::hosts", ...ECHO_IN_RUST],
      "gin-api": ["server.hosts", "server.echo"],
    },
    runner: RUNS_HANDLER,
    steps: each({
      "axum-api": [
        insert(ECHO, PARSED, "    std::hint::black_box(hosts());"),
        declare(
          ECHO,
          IN_ANSWER,
          `/// Read anew each time, so that they are never old.
fn hosts() -> String {
    std::fs::read_to_string("/etc/hosts").unwrap_or_default()
}`,
        ),
      ],
      "gin-api": [
        replace(GO_ECHO, `	"net/http"\n`, `	"net/http"\n	"os"\n`),
        beforeGoAnswer(`	if _, err := hosts(); err != nil {
		return errInternal
	}`),
        declare(
          GO_ECHO,
          IN_GO_ECHO,
          `// hosts are read anew each time, so that they are never old.
func hosts() ([]byte, error) {
	return os.ReadFile("/etc/hosts")
}`,
        ),
      ],
    }),
  },
};

/** Names of functions, any of which counts as found. */
export const foundAs = ({ functions, runner }: Cost, service: Service): readonly string[] => [
  ...functions[service],
  ...(service === "axum-api" && runner !== undefined ? [runner] : []),
];

export function costEdit(name: string, service: Service): Edit {
  const cost = COSTS[name];
  if (cost === undefined) throw new Error(`no cost is called ${name}`);
  return { service, kind: "cost", name, steps: cost.steps(service) };
}
