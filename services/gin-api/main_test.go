package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The program on a real socket: ready line, bounds, signals, exit codes, and the faults of a process.

const (
	// actAsProgram makes the test binary be the program, so that nothing has to be built first.
	actAsProgram = "GIN_API_TEST_ACTS_AS_PROGRAM"

	patience = 20 * time.Second
	// underWay is more than a request takes to be read on a busy machine.
	underWay = 200 * time.Millisecond
	timed    = "GET /process?input=a&for=100ms HTTP/1.1\r\nhost: x\r\n\r\n"
	health   = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"
)

func TestMain(m *testing.M) {
	if os.Getenv(actAsProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

type program struct {
	cmd    *exec.Cmd
	stdout *bufio.Reader
	stderr bytes.Buffer
	addr   string
}

func launch(t *testing.T, variables ...string) *program {
	t.Helper()
	p := &program{cmd: exec.Command(os.Args[0])}
	// The race detector would have the program sleep for a second before its end.
	p.cmd.Env = append([]string{actAsProgram + "=1", "ADDR=127.0.0.1:0", "GORACE=atexit_sleep_ms=0"}, variables...)
	p.cmd.Stderr = &p.stderr
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdout = bufio.NewReader(stdout)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// Also the bound of everything below: a killed program fails the test.
	kill := time.AfterFunc(patience, func() { p.cmd.Process.Kill() })
	t.Cleanup(func() {
		kill.Stop()
		p.cmd.Process.Kill()
		p.cmd.Wait()
	})
	return p
}

func start(t *testing.T, variables ...string) *program {
	t.Helper()
	p := launch(t, variables...)
	line, _ := p.stdout.ReadString('\n')
	addr, found := strings.CutPrefix(line, "listening on http://")
	if !found {
		t.Fatalf("not ready: %q", line)
	}
	p.addr = strings.TrimSuffix(addr, "\n")
	return p
}

// ended is the exit code, the rest of standard output, and standard error.
func (p *program) ended() (int, string, string) {
	rest, _ := io.ReadAll(p.stdout)
	p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode(), string(rest), p.stderr.String()
}

func (p *program) connect(t *testing.T, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", p.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

func (p *program) ask(t *testing.T, path string) string {
	t.Helper()
	conn := p.connect(t, "GET "+path+" HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

func (p *program) metric(t *testing.T, name string) float64 {
	t.Helper()
	for line := range strings.Lines(p.ask(t, "/metrics")) {
		if text, found := strings.CutPrefix(line, name+" "); found {
			value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil {
				t.Fatal(err)
			}
			return value
		}
	}
	t.Fatalf("no %s", name)
	return 0
}

func expectStart(t *testing.T, got, wanted string) {
	t.Helper()
	if !strings.HasPrefix(got, wanted) {
		t.Fatalf("got %q, which does not start with %q", got, wanted)
	}
}

func expectAnswer(t *testing.T, conn net.Conn, status int) {
	t.Helper()
	line, _ := bufio.NewReader(conn).ReadString('\n')
	expectStart(t, line, fmt.Sprintf("HTTP/1.1 %d ", status))
}

func TestStopsAtOnceWhenIdle(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		p := start(t)
		p.connect(t, "") // never says anything
		expectAnswer(t, p.connect(t, health), 200)
		started := time.Now()
		p.cmd.Process.Signal(sig)
		code, out, errors := p.ended()
		if code != 0 || out != "" || errors != "" || time.Since(started) > time.Second {
			t.Errorf("%v: %d %q %q after %v", sig, code, out, errors, time.Since(started))
		}
	}
}

func TestARequestInFlightIsAnsweredBeforeTheEnd(t *testing.T) {
	p := start(t, "TAILGATE_FAULTS=latency_us=500000")
	busy := p.connect(t, timed)
	time.Sleep(underWay)
	p.cmd.Process.Signal(syscall.SIGTERM)
	expectAnswer(t, busy, 200)
	if code, _, _ := p.ended(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestTheGraceEnds(t *testing.T) {
	p := start(t, "SHUTDOWN_GRACE_MS=100", "TAILGATE_FAULTS=latency_us=10000000")
	p.connect(t, timed)
	time.Sleep(underWay)
	started := time.Now()
	p.cmd.Process.Signal(syscall.SIGTERM)
	code, _, errors := p.ended()
	if code != 0 || !strings.Contains(errors, "cut off") || time.Since(started) > 2*time.Second {
		t.Errorf("%d %q after %v", code, errors, time.Since(started))
	}
}

func TestABodyThatDoesNotArriveIsGivenUp(t *testing.T) {
	p := start(t, "REQUEST_TIMEOUT_MS=100")
	slow := p.connect(t,
		"POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{")
	answer, _ := io.ReadAll(slow)
	expectStart(t, string(answer), "HTTP/1.1 408 ")
	const body = `{"error":{"code":"request_timeout","message":"the request body did not arrive in time"}}`
	if !strings.HasSuffix(string(answer), body) {
		t.Errorf("%s", answer)
	}
}

func TestABadEnvironmentIsRefusedInOneLine(t *testing.T) {
	for _, variable := range []string{
		"ADDR=nonsense", "GOMAXPROCS=0", "TAILGATE_FAULTS=lag=1", "DATABASE_URL=secret", "REDIS_URL=secret",
		"UPSTREAM_URL=secret", "DATABASE_POOL=0",
	} {
		code, _, errors := launch(t, variable).ended()
		name, _, _ := strings.Cut(variable, "=")
		expectStart(t, errors, "gin-api: "+name)
		if code != 2 || strings.Count(errors, "\n") != 1 || strings.Contains(errors, "secret") {
			t.Errorf("%s: %d %q", variable, code, errors)
		}
	}
}

func TestATakenPortIsToldInOneLine(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	addr := listener.Addr().String()
	code, _, errors := launch(t, "ADDR="+addr).ended()
	expectStart(t, errors, "gin-api: cannot listen on "+addr+": ")
	if code != 1 || strings.Count(errors, "\n") != 1 {
		t.Errorf("%d %q", code, errors)
	}
}

func TestFaultsAreAnnouncedAndCrashOnTheNthRequest(t *testing.T) {
	p := start(t, "TAILGATE_FAULTS=crash_after=3")
	expectStart(t, p.ask(t, "/process"), "HTTP/1.1 422 ")
	expectStart(t, p.ask(t, "/process"), "HTTP/1.1 422 ")
	expectStart(t, p.ask(t, "/healthz"), "HTTP/1.1 200 ")
	p.connect(t, timed)
	code, _, errors := p.ended()
	if code != 70 || errors != "FAULTS ACTIVE: crash_after=3\n" {
		t.Errorf("%d %q", code, errors)
	}
}

func TestMemoryIsKeptInTotalAndPerRequest(t *testing.T) {
	const mib = 1 << 20
	p := start(t, "TAILGATE_FAULTS=keep_bytes=33554432,keep_bytes_per_request=1048576")
	before := p.metric(t, "process_resident_memory_bytes")
	if before < 32*mib {
		t.Errorf("%f at start", before)
	}
	for range 16 {
		p.ask(t, "/process")
	}
	after := p.metric(t, "process_resident_memory_bytes")
	if after-before < 15*mib {
		t.Errorf("from %f to %f", before, after)
	}
}

func TestAStartCanBeDelayedAndTheDelayStopped(t *testing.T) {
	started := time.Now()
	start(t, "TAILGATE_FAULTS=start_delay_ms=200")
	if took := time.Since(started); took < 200*time.Millisecond {
		t.Errorf("ready after %v", took)
	}
	p := launch(t, "TAILGATE_FAULTS=start_delay_ms=60000")
	time.Sleep(500 * time.Millisecond)
	p.cmd.Process.Signal(syscall.SIGTERM)
	if code, _, errors := p.ended(); code != 0 {
		t.Errorf("%d %q", code, errors)
	}
}

func TestMetricsOfTheRuntime(t *testing.T) {
	text := start(t).ask(t, "/metrics")
	for _, name := range []string{
		"go_sched_pauses_total_gc_seconds_bucket", "go_gc_heap_allocs_bytes_total", "go_gc_heap_live_bytes",
		"go_memory_classes_heap_objects_bytes",
	} {
		if !strings.Contains(text, "\n"+name) {
			t.Errorf("no %s", name)
		}
	}
}
