// docs/examples/compose/stack/container.sh with a stand-in for Docker that writes down what it is
// asked for: what is started is removed, however it ends.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { signalGroup } from "../../src/machine/sys/process.ts";
import { makeFolder } from "../support/files.ts";

const SCRIPT = resolve(import.meta.dirname, "../../docs/examples/compose/stack/container.sh");
const DOCKER = `#!/bin/sh
case "$*" in *" wait "*) exec sleep "$STAYS_UP_SECONDS" ;; esac
echo "$*" >> "$CALLS"
case "$*" in *" up "*) exit "$UP_ENDS" ;; esac
`;

interface Case {
  /** How `up --wait` ends. */
  up?: number;
  /** How long the container lasts; default: for longer than any test. */
  lastsSeconds?: number;
  /** Sent when it has said that it is healthy. */
  signal?: NodeJS.Signals;
  /** Whether it ends as a program that has failed. */
  fails: boolean;
}

const DOWN = "down --volumes --timeout 5";
const CALLS = [DOWN, "up --wait db", DOWN];

test.each<[string, Case]>([
  ["the gate ends", { signal: "SIGTERM", fails: false }],
  ["somebody interrupts it", { signal: "SIGINT", fails: false }],
  ["the container ends", { lastsSeconds: 0, fails: false }],
  ["it is not healthy in time", { up: 1, fails: true }],
])("what was started is removed when %s", async (_, one) => {
  const { up = 0, lastsSeconds = 600, signal, fails } = one;
  const folder = makeFolder();
  writeFileSync(join(folder, "docker"), DOCKER, { mode: 0o755 });
  const child = spawn("sh", [SCRIPT, "db"], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: `${folder}:${process.env.PATH}`,
      CALLS: join(folder, "calls"),
      UP_ENDS: String(up),
      STAYS_UP_SECONDS: String(lastsSeconds),
    },
  });
  const ended = once(child, "exit");
  // What `wait` is waiting for does not end with the container of a stand-in.
  onTestFinished(() => signalGroup(child.pid ?? 0, "SIGKILL"));
  if (signal !== undefined) {
    const [line] = await once(child.stdout, "data");
    expect(String(line)).toBe("db: the gate may begin\n");
    // As the gate does: to all that it started.
    signalGroup(child.pid ?? 0, signal);
  }
  const [code] = await ended;
  expect(code === 0).toBe(!fails);
  const asked = readFileSync(join(folder, "calls"), "utf8").trim().split("\n");
  expect(asked).toEqual(CALLS.map((words) => `compose --project-name tailgate-db ${words}`));
});
