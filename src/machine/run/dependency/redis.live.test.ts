// A real Redis: what one arm stores the other does not see, and a launch begins with nothing.
import { connect } from "node:net";
import { beforeEach, expect, test } from "vitest";
import { skipUnlessInstalled, testStart } from "../../../../test/support/dependency.ts";
import { readStat } from "../probe/process-tree.ts";
import type { DataSeed } from "./dependency.ts";
import { startRedis } from "./redis.ts";
import { findRedis } from "./server-program.ts";

beforeEach((context) => skipUnlessInstalled(() => findRedis(), "redis-server", context));

const EMPTY = { seeds: {}, isolation: "separate" } as const;

/** Lines of Redis' protocol to the key space that the URL names; its answers. */
function say(url: string, ...lines: readonly string[]): Promise<string[]> {
  const { port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    let answers = "";
    const socket = connect(Number(port), "127.0.0.1", () => {
      socket.write([`SELECT ${pathname.slice(1)}`, ...lines, "QUIT", ""].join("\r\n"));
    });
    socket.setEncoding("utf8").on("data", (text: string) => {
      answers += text;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(answers.split("\r\n").slice(1, -2)));
  });
}

test("each arm has its own keys, and loses only those at its launch", async () => {
  const start = testStart();
  const redis = await startRedis("cache", EMPTY, start);
  try {
    const candidate = redis.places("candidate").url;
    const reference = redis.places("reference").url;
    expect(candidate).toMatch(/^redis:\/\/127\.0\.0\.1:\d+\/0$/);
    expect(redis.places("reference")).toMatchObject({ database: "1" });
    expect(await say(candidate, "SET k 1")).toEqual(["+OK"]);
    expect(await say(reference, "SET k 2")).toEqual(["+OK"]);
    await redis.reset("reference");
    expect(await say(candidate, "GET k")).toEqual(["$1", "1"]);
    expect(await say(reference, "GET k")).toEqual(["$-1"]);
    expect(start.notes).toEqual([
      expect.stringMatching(/^cache: Redis \d+\.\d+\.\d+ on port \d+, started in \d\.\d s$/),
    ]);
  } finally {
    await redis.stop();
  }
  expect(readStat(redis.pid)).toBeNull();
  await expect(redis.reset("candidate")).rejects.toThrow("cache: Redis could not be reset");
});

test("a signal while it starts leaves nothing", async () => {
  await expect(startRedis("cache", EMPTY, testStart(AbortSignal.abort()))).rejects.toThrow(
    "stopped by a signal",
  );
});

/** A command that writes a key through Redis' protocol, by Node alone. */
function seedOf(value: string): DataSeed {
  const script = `const { port, pathname } = new URL(process.env.REDIS_URL);
const socket = require("node:net").connect(Number(port), "127.0.0.1");
socket.write("SELECT " + pathname.slice(1) + "\\r\\nSET k ${value}\\r\\nQUIT\\r\\n");
socket.resume();`;
  const seed = { argv: [process.execPath, "-e", script], env: {} };
  return { files: [], seed, folder: "/", identity: value };
}

test("each launch begins with the keys of the seed", async () => {
  const check = async (seeds: [string, string], values: [string, string]): Promise<void> => {
    const [candidate, reference] = seeds.map(seedOf);
    if (candidate === undefined || reference === undefined) throw new Error("two seeds");
    const wanted = { seeds: { candidate, reference }, isolation: "separate" } as const;
    const redis = await startRedis("cache", wanted, testStart());
    try {
      for (const [i, arm] of (["candidate", "reference"] as const).entries()) {
        const { url } = redis.places(arm);
        for (const written of ["SET k 9", "SET other 9"]) {
          await redis.reset(arm);
          expect(await say(url, "GET k", "GET other")).toEqual(["$1", values[i], "$-1"]);
          await say(url, written);
        }
      }
    } finally {
      await redis.stop();
    }
  };
  await check(["1", "1"], ["1", "1"]);
  await check(["1", "2"], ["1", "2"]);
});

test("what is shared is one key space, which keeps what it has", async () => {
  const seeds = { candidate: seedOf("1"), reference: seedOf("1") };
  const redis = await startRedis("cache", { seeds, isolation: "shared" }, testStart());
  try {
    const { url } = redis.places("candidate");
    expect(redis.places("reference").url).toBe(url);
    expect(await say(url, "GET k", "SET k 2")).toEqual(["$1", "1", "+OK"]);
    await redis.reset("reference");
    expect(await say(url, "GET k")).toEqual(["$1", "2"]);
  } finally {
    await redis.stop();
  }
});
