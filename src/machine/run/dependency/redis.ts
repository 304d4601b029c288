// A Redis server in memory only, for one run. Unless it is shared, each arm has a key space of its
// own, which begins each launch as the seed left it.
import { connect } from "node:net";
import { UserError } from "../../../core/base/errors.ts";
import type { Places } from "../../../core/config/fill-places.ts";
import type { Isolation } from "../../../core/model/config.ts";
import { ARMS, type Arm } from "../../../core/model/samples.ts";
import { makeTemporaryFolder } from "../../sys/files.ts";
import { janitor } from "../../sys/janitor.ts";
import { runCommand, spawnGroup } from "../../sys/process.ts";
import { findFreePort } from "../service/free-port.ts";
import { waitUntilReady } from "../service/ready.ts";
import { HOST, placesAt, type RunningDependency } from "./dependency.ts";
import { runSeedCommand, type SeedCommand } from "./seed-command.ts";
import { findRedis } from "./server-program.ts";
import { type DependencyStart, secondsSince, throwIfStopped } from "./start.ts";
import { stopChild } from "./stop-child.ts";

const READY = { kind: "tcp", timeoutMs: 30_000 } as const;
/** Copying a million keys takes seconds. */
const ANSWER_TIMEOUT_MS = 60_000;
const STOP_GRACE_MS = 5000;

/** What fills an arm's key space. */
export interface KeySeed {
  /** Absent: a service does, or nothing. */
  seed?: SeedCommand;
  /** Absolute folder that the command runs in. */
  folder: string;
  /** Equal for equal contents. */
  identity: string;
}

interface KeySpacesWanted {
  /** An arm that is absent begins empty. */
  seeds: Partial<Record<Arm, KeySeed>>;
  isolation: Isolation;
}

export async function startRedis(
  name: string,
  { seeds, isolation }: KeySpacesWanted,
  start: DependencyStart,
): Promise<RunningDependency> {
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
  const templates = templatesOf(seeds);
  const places = (keySpace: number): Places =>
    placesAt(port, { scheme: "redis", database: String(keySpace) });
  try {
    for (const arm of ARMS) {
      const own = seeds[arm];
      // Equal seeds fill one key space.
      if (own?.seed === undefined || templates[arm] !== templateOf(arm)) continue;
      const { argv } = own.seed;
      const env = { ...own.seed.env, REDIS_URL: places(templateOf(arm)).url };
      await runSeedCommand(name, { argv, env, folder: own.folder }, start);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const isShared = isolation === "shared";
  return {
    name,
    facts: () => ({
      program: `Redis ${version}`,
      contents: {
        candidate: seeds.candidate?.identity ?? null,
        reference: seeds.reference?.identity ?? null,
      },
      isolation,
      settings: {},
    }),
    pid: child.pid ?? 0,
    places: (arm) => places(isShared ? templates[arm] : keySpaceOf(arm)),
    reset: async (arm) => {
      if (!isShared) await refill(name, port, { from: templates[arm], to: keySpaceOf(arm) });
    },
    template: { places: () => places(templates.candidate), settle: async () => {} },
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

function redisArguments(port: number, folder: string): string[] {
  return [
    ...["--port", String(port), "--bind", HOST, "--dir", folder],
    // Nothing is written to disk: neither snapshots nor a log of changes.
    ...["--save", "", "--appendonly", "no", "--databases", String(2 * ARMS.length)],
  ];
}

function keySpaceOf(arm: Arm): number {
  return ARMS.indexOf(arm);
}

function templateOf(arm: Arm): number {
  return ARMS.length + keySpaceOf(arm);
}

/** Arms of one seed are copied from one key space. */
function templatesOf(seeds: KeySpacesWanted["seeds"]): Record<Arm, number> {
  const isSame = seeds.candidate?.identity === seeds.reference?.identity;
  const candidate = templateOf("candidate");
  return { candidate, reference: isSame ? candidate : templateOf("reference") };
}

/** Copies all keys of one key space into another, on the server. */
const COPY_ALL =
  "redis.call('SELECT', ARGV[1]) local keys = redis.call('KEYS', '*') for _, key in ipairs(keys) do redis.call('COPY', key, key, 'DB', ARGV[2]) end return #keys";

/** Inline commands of Redis' protocol: a line each, and an answer for each. */
function refill(
  name: string,
  port: number,
  { from, to }: { from: number; to: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    let answers = "";
    const fail = (why: string): void => {
      socket.destroy();
      reject(new UserError(`${name}: Redis could not be reset: ${why}`, {}, "invalid"));
    };
    const socket = connect({ host: HOST, port }, () => {
      const lines = [`SELECT ${to}`, "FLUSHDB", `EVAL "${COPY_ALL}" 0 ${from} ${to}`, "QUIT"];
      socket.write(lines.map((line) => `${line}\r\n`).join(""));
    });
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => fail("no answer within 60 s"));
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      answers += text;
    });
    socket.on("error", (error) => fail(error.message));
    socket.on("close", () => {
      if (/^\+OK\r\n\+OK\r\n:\d+\r\n\+OK\r\n$/.test(answers)) resolve();
      else fail(`it answered ${JSON.stringify(answers)}`);
    });
  });
}
