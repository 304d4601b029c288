// What else the machine does during some gates in which nothing is planted. Each is started before
// the gate and dies with this process, however that ends: its groups are the janitor's.
import { join } from "node:path";
import { spawnGroup } from "../../src/machine/sys/process.ts";
import { ROOT } from "./working-copy.ts";

export interface Disturbance {
  /** As the page states it. */
  title: string;
  /** Command lines to start; empty: nothing here starts it. */
  commands: string[][];
}

/** What people do on the machine, which nothing here starts. */
export const WORK = "work";

const DISTURB = join(ROOT, "lab/evidence/disturb.ts");
const CPUS = ["0", "1"];

export const DISTURBANCES: Readonly<Record<string, Disturbance>> = {
  compiler: {
    title: "a compiler a third of the time, at nice 0",
    commands: [[process.execPath, DISTURB, "compiler"]],
  },
  hogs: {
    title: "real-time hogs of 200 to 900 ms every 12 s, on both CPUs (chrt -f 10)",
    commands: CPUS.map((cpu) => {
      const pinned = ["taskset", "--cpu-list", cpu];
      return ["chrt", "--fifo", "10", ...pinned, process.execPath, DISTURB, "hog"];
    }),
  },
  // Two gates were let round the machine's lock, which keeps a second gate waiting.
  "other-gate": { title: "another gate, which measures all the time", commands: [] },
  [WORK]: {
    title: "people at work on this project: compilers, linters and test suites",
    commands: [],
  },
};

const TURNS = ["compiler", "hogs"] as const;

/** That of the `nth` disturbed gate, from 0. */
export const disturbanceOf = (nth: number): string => TURNS[nth % 2 === 0 ? 0 : 1];

/** Disposing ends it. Throws when a part of it has ended by itself, and so did not disturb. */
export function startDisturbance(name: string): Disposable & { check(): void } {
  const disturbance = DISTURBANCES[name];
  if (disturbance === undefined) throw new Error(`no disturbance is called ${name}`);
  const children = disturbance.commands.map((argv) => spawnGroup(argv, { cwd: ROOT }));
  return {
    check() {
      const ended = children.find((child) => child.exit() !== null);
      if (ended !== undefined) {
        throw new Error(`the disturbance ${name} ended by itself:\n${ended.tail().join("\n")}`);
      }
    },
    [Symbol.dispose]() {
      // Not SIGTERM: what is being killed must not go on disturbing the next gate.
      for (const child of children) child.signal("SIGKILL");
    },
  };
}
