// A Redis server in memory only, for one run. Unless it is shared, each arm has a key space of its
// own, which begins each launch as the seed left it.
import { connect } from "node:net";
import { UserError } from "../../../core/base/errors.ts";
import type { Places } from "../../../core/config/fill-places.ts";
import type { Isolation } from "../../../core/model/config.ts";
import { ARMS, type Arm } from "../../../core/model/samples.ts";
import { makeTemporaryFolder } from "../../sys/files.ts";
import { runCommand } from "../../sys/process.ts";
import { findFreePort } from "../service/free-port.ts";
import {
  contentsOf,
  type DataSeeds,
  HOST,
  placesAt,
  type RunningDependency,
  templateArms,
} from "./dependency.ts";
import { findRedis } from "./server-program.ts";
import { type DependencyStart, runSeedCommand, startServer } from "./start.ts";

const STOP = { signal: "SIGTERM", graceMs: 5000 } as const;
const SERVER = { ready: null, timeoutMs: 30_000, stop: STOP };
/** Copying a million keys takes seconds. */
const ANSWER_TIMEOUT_MS = 60_000;

/** An arm without a seed begins empty. */
export async function startRedis(
  name: string,
  { seeds, isolation }: { seeds: DataSeeds; isolation: Isolation },
  start: DependencyStart,
): Promise<RunningDependency> {
  const redis = findRedis();
  const startedMs = start.clock.nowMs();
  const program = `Redis ${await readVersion(redis)}`;
  const folder = makeTemporaryFolder();
  const port = await findFreePort();
  const argv = [redis, ...redisArguments(port, folder)];
  const own = { ...SERVER, program, startedMs, argv, folder, port };
  const server = await startServer(name, own, start);
  const templates = templateArms(seeds);
  const templateOf = (arm: Arm): number => ARMS.length + keySpaceOf(templates[arm] ?? "candidate");
  const places = (keySpace: number): Places =>
    placesAt(port, { scheme: "redis", database: String(keySpace) });
  try {
    for (const arm of ARMS) {
      const filled = seeds[arm];
      if (filled?.seed === undefined || templates[arm] !== arm) continue;
      const env = { ...filled.seed.env, REDIS_URL: places(templateOf(arm)).url };
      await runSeedCommand(name, { argv: filled.seed.argv, env, folder: filled.folder }, start);
    }
  } catch (error) {
    await server.stop();
    throw error;
  }
  const isShared = isolation === "shared";
  return {
    ...server,
    facts: () => ({ program, contents: contentsOf(seeds), isolation, settings: {} }),
    places: (arm) => places(isShared ? templateOf(arm) : keySpaceOf(arm)),
    reset: async (arm) => {
      if (!isShared) await refill(name, port, { from: templateOf(arm), to: keySpaceOf(arm) });
    },
    template: { places: () => places(templateOf("candidate")), settle: async () => {} },
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
