//! The built program on a real socket: ready line, bounds, signals, exit codes, and the faults of a process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);
const TIMED: &str = "GET /process?input=a&for=100ms HTTP/1.1\r\nhost: x\r\n\r\n";
const HEALTH: &str = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";

fn command(variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_axum-api"));
    command
        .env_clear()
        .env("ADDR", "127.0.0.1:0")
        .envs(variables.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

struct Service {
    child: Child,
    stdout: BufReader<ChildStdout>,
    addr: String,
}

impl Service {
    fn start(variables: &[(&str, &str)]) -> Self {
        let mut child = command(variables).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let addr = line.strip_prefix("listening on http://").expect(&line);
        let addr = addr.trim_end().to_owned();
        Self {
            child,
            stdout,
            addr,
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.addr).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    fn ask(&self, path: &str) -> String {
        let mut stream = self.connect();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn metric(&self, name: &str) -> f64 {
        let text = self.ask("/metrics");
        let value = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.unwrap().parse().unwrap()
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill")
            .args(["-s", name, &pid])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// Exit code, the rest of standard output, and standard error.
    fn ended(mut self) -> (i32, String, String) {
        let code = wait(&mut self.child);
        let mut out = String::new();
        self.stdout.read_to_string(&mut out).unwrap();
        (code, out, stderr(&mut self.child))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn wait(child: &mut Child) -> i32 {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code().expect("ended by a signal");
        }
        assert!(started.elapsed() < PATIENCE, "the program did not end");
        sleep(Duration::from_millis(2));
    }
}

fn stderr(child: &mut Child) -> String {
    let mut text = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    text
}

fn read_head(stream: &mut TcpStream) -> String {
    let mut answer = [0; 4096];
    let length = stream.read(&mut answer).unwrap();
    String::from_utf8_lossy(&answer[..length]).into_owned()
}

/// An address that a listener, kept alive by the caller, has taken.
fn taken() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap().to_string();
    (listener, addr)
}

#[test]
fn stops_at_once_when_idle() {
    for signal in ["TERM", "INT"] {
        let service = Service::start(&[]);
        let _silent = service.connect();
        let mut idle = service.connect();
        idle.write_all(HEALTH.as_bytes()).unwrap();
        assert!(read_head(&mut idle).starts_with("HTTP/1.1 200 "));
        let started = Instant::now();
        service.signal(signal);
        assert_eq!(service.ended(), (0, String::new(), String::new()));
        assert!(started.elapsed() < Duration::from_secs(1), "{signal}");
    }
}

#[test]
fn a_request_in_flight_is_answered_before_the_end() {
    let service = Service::start(&[]);
    let mut busy = service.connect();
    busy.write_all(TIMED.as_bytes()).unwrap();
    sleep(Duration::from_millis(30));
    service.signal("TERM");
    assert!(read_head(&mut busy).starts_with("HTTP/1.1 200 "));
    assert_eq!(service.ended().0, 0);
}

#[test]
fn the_grace_ends() {
    let service = Service::start(&[
        ("SHUTDOWN_GRACE_MS", "100"),
        ("TAILGATE_FAULTS", "latency_us=10000000"),
    ]);
    let mut busy = service.connect();
    busy.write_all(TIMED.as_bytes()).unwrap();
    sleep(Duration::from_millis(30));
    let started = Instant::now();
    service.signal("TERM");
    let (code, _, errors) = service.ended();
    assert_eq!(code, 0);
    assert!(errors.contains("cut off"), "{errors}");
    assert!(started.elapsed() < Duration::from_secs(2));
}

#[test]
fn a_body_that_does_not_arrive_is_given_up() {
    let service = Service::start(&[("REQUEST_TIMEOUT_MS", "100")]);
    let mut slow = service.connect();
    slow.write_all(
        b"POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{",
    )
    .unwrap();
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    let message = "the request body did not arrive in time";
    let body = format!(r#"{{"error":{{"code":"request_timeout","message":"{message}"}}}}"#);
    assert!(answer.ends_with(&body), "{answer}");
}

#[test]
fn a_bad_environment_is_refused_in_one_line() {
    for (name, value) in [
        ("ADDR", "nonsense"),
        ("TOKIO_WORKER_THREADS", "0"),
        ("TAILGATE_FAULTS", "lag=1"),
        ("DATABASE_URL", "nonsense"),
        ("REDIS_URL", "nonsense"),
        ("UPSTREAM_URL", "nonsense"),
    ] {
        let mut child = command(&[(name, value)]).spawn().unwrap();
        assert_eq!(wait(&mut child), 2);
        let errors = stderr(&mut child);
        assert!(errors.starts_with(&format!("axum-api: {name}")), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
}

#[test]
fn an_empty_value_counts_as_not_set() {
    let service = Service::start(&[("BLOCKING_THREADS", ""), ("REDIS_URL", "")]);
    assert!(service.ask("/healthz").starts_with("HTTP/1.1 200 "));
}

#[test]
fn starts_while_what_it_depends_on_is_down() {
    let service = Service::start(&[
        ("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none"),
        ("DATABASE_TIMEOUT_MS", "50"),
        ("REDIS_URL", "redis://127.0.0.1:1/0"),
        ("UPSTREAM_URL", "http://127.0.0.1:1"),
    ]);
    for path in ["/healthz", "/users/1", "/users/1?cache=true", "/fanout"] {
        let answer = service.ask(path);
        assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    }
    service.signal("TERM");
    assert_eq!(service.ended(), (0, String::new(), String::new()));
}

#[test]
fn without_the_blocking_pool_the_answer_is_the_same() {
    let digests = ["0", "1"].map(|pool| {
        let service = Service::start(&[("PROCESS_BLOCKING_POOL", pool)]);
        let answer = service.ask("/process?input=a");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        answer.lines().last().unwrap().to_owned()
    });
    assert_eq!(digests[0], digests[1]);
}

#[test]
fn a_taken_port_is_told_in_one_line() {
    let (_listener, addr) = taken();
    let mut child = command(&[("ADDR", &addr)]).spawn().unwrap();
    assert_eq!(wait(&mut child), 1);
    let errors = stderr(&mut child);
    let start = format!("axum-api: cannot listen on {addr}: ");
    assert!(errors.starts_with(&start), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
}

#[test]
fn faults_are_announced_and_crash_on_the_nth_request() {
    let service = Service::start(&[("TAILGATE_FAULTS", "crash_after=3")]);
    assert!(service.ask("/process").starts_with("HTTP/1.1 422 "));
    assert!(service.ask("/process").starts_with("HTTP/1.1 422 "));
    assert!(service.ask("/healthz").starts_with("HTTP/1.1 200 "));
    let mut last = service.connect();
    last.write_all(TIMED.as_bytes()).unwrap();
    let (code, _, errors) = service.ended();
    assert_eq!(code, 70);
    assert_eq!(errors, "FAULTS ACTIVE: crash_after=3\n");
}

#[test]
fn memory_is_kept_in_total_and_per_request() {
    const MIB: f64 = 1024.0 * 1024.0;
    let spec = "keep_bytes=33554432,keep_bytes_per_request=1048576";
    let service = Service::start(&[("TAILGATE_FAULTS", spec)]);
    let before = service.metric("process_resident_memory_bytes");
    assert!(before >= 32.0 * MIB, "{before}");
    for _ in 0..16 {
        service.ask("/process");
    }
    let after = service.metric("process_resident_memory_bytes");
    assert!(after - before >= 15.0 * MIB, "{before} {after}");
}

#[test]
fn a_start_can_be_delayed_and_the_delay_stopped() {
    let started = Instant::now();
    let service = Service::start(&[("TAILGATE_FAULTS", "start_delay_ms=200")]);
    assert!(started.elapsed() >= Duration::from_millis(200));
    drop(service);

    let mut child = command(&[("TAILGATE_FAULTS", "start_delay_ms=60000")])
        .spawn()
        .unwrap();
    let mut announced = [0];
    child
        .stderr
        .as_mut()
        .unwrap()
        .read_exact(&mut announced)
        .unwrap();
    let pid = child.id().to_string();
    Command::new("kill")
        .args(["-s", "TERM", &pid])
        .status()
        .unwrap();
    assert_eq!(wait(&mut child), 0);
}
