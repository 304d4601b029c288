// A Redis server in memory only, for one run. Each arm has a key space of its own, empty at each
// launch.
import { connect } from "node:net";
import { UserError } from "../../../core/base/errors.ts";
import { ARMS, type Arm } from "../../../core/model/samples.ts";
import { makeTemporaryFolder } from "../../sys/files.ts";
import { janitor } from "../../sys/janitor.ts";
import { runCommand, spawnGroup } from "../../sys/process.ts";
import { findFreePort } from "../service/free-port.ts";
import { waitUntilReady } from "../service/ready.ts";
import { HOST, placesAt, type RunningDependency } from "./dependency.ts";
import { findRedis } from "./server-program.ts";
import { type DependencyStart, secondsSince, throwIfStopped } from "./start.ts";
import { stopChild } from "./stop-child.ts";

const READY = { kind: "tcp", timeoutMs: 30_000 } as const;
const ANSWER_TIMEOUT_MS = 5000;
const STOP_GRACE_MS = 5000;

export async function startRedis(name: string, start: DependencyStart): Promise<RunningDependency> {
  const program = findRedis();
  const startedMs = start.clock.nowMs();
  const version = await readVersion(program);
  const folder = makeTemporaryFolder();
  const port = await findFreePort();
  const child = spawnGroup([program, ...redisArguments(port, folder)], {
    cwd: folder,
    ...(start.cpus === undefined ? {} : { cpus: start.cpus }),
  });
  const stop = async (): Promise<void> => {
    await stopChild(child, "SIGTERM", STOP_GRACE_MS);
    janitor.removePath(folder);
  };
  const readiness = await waitUntilReady({
    ready: READY,
    port,
    lineSeen: () => false,
    gone: () => child.exit() !== null,
    clock: start.clock,
    abort: start.abort,
  });
  if (readiness.kind !== "ready") {
    await stop();
    throwIfStopped(start.abort);
    throw new UserError(`${name}: Redis did not start`, { detail: child.tail().join("\n") });
  }
  start.progress.note(
    `${name}: Redis ${version} on port ${port}, started in ${secondsSince(startedMs, start)}`,
  );
  return {
    name,
    facts: {
      program: `Redis ${version}`,
      contents: { candidate: null, reference: null },
      settings: {},
    },
    pid: child.pid ?? 0,
    places: (arm) => placesAt(port, { scheme: "redis", path: String(keySpaceOf(arm)) }),
    reset: (arm) => flush(name, port, keySpaceOf(arm)),
    exit: child.exit,
    tail: () => child.tail().join("\n"),
    stop,
  };
}

/** `Redis server v=7.0.15 sha=…`; other servers of its protocol say it in their own way. */
async function readVersion(program: string): Promise<string> {
  const said = (await runCommand([program, "--version"])).stdout;
  return /\bv=(\S+)/.exec(said)?.[1] ?? said.slice(0, 80);
}

export function redisArguments(port: number, folder: string): string[] {
  return [
    ...["--port", String(port), "--bind", HOST, "--dir", folder],
    // Nothing is written to disk: neither snapshots nor a log of changes.
    ...["--save", "", "--appendonly", "no", "--databases", String(ARMS.length)],
  ];
}

function keySpaceOf(arm: Arm): number {
  return ARMS.indexOf(arm);
}

/** Inline commands of Redis' protocol: three lines, three answers. */
function flush(name: string, port: number, keySpace: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let answers = "";
    const fail = (why: string): void => {
      socket.destroy();
      reject(new UserError(`${name}: Redis could not be emptied: ${why}`, {}, "invalid"));
    };
    const socket = connect({ host: HOST, port }, () => {
      socket.write(`SELECT ${keySpace}\r\nFLUSHDB\r\nQUIT\r\n`);
    });
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => fail("no answer within 5 s"));
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      answers += text;
    });
    socket.on("error", (error) => fail(error.message));
    socket.on("close", () => {
      if (answers === "+OK\r\n+OK\r\n+OK\r\n") resolve();
      else fail(`it answered ${JSON.stringify(answers)}`);
    });
  });
}
