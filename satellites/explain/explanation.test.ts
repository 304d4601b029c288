import { describe, expect, test } from "vitest";
import { ExplanationSchema } from "../../scripts/generate/satellite-schemas.ts";
import { section } from "../../src/core/report/kit/blocks.ts";
import { renderTerminalDocument } from "../../src/core/report/kit/terminal.ts";
import {
  BASE,
  type Costs,
  counted,
  gateChange,
  type Made,
  makeSession,
  own,
} from "../../test/support/profiles.ts";
import { explain } from "./explanation.ts";
import type { Session } from "./model.ts";
import { tellExplanation } from "./words.ts";

const HASH = { "sha.block @hash @echo http.serve": 16 };
const SLOWER = { latencyMs: { p50: 0.3, p99: 5, mean: 0.4 } };
const LATENCY = { gate: [gateChange("latency", 1.14)] };

/** Of what programs read, what the analysis gives. */
const Analysed = ExplanationSchema.omit({
  ...({
    schema: true,
    tool: true,
    sentence: true,
    again: true,
    refused: true,
    notes: true,
  } as const),
});

const causes = (made: Made): string[] => {
  const told = JSON.stringify(explain(makeSession(made)));
  const { cause, also } = Analysed.parse(JSON.parse(told));
  return [cause, ...also].map((one) =>
    one.kind === "waiting" ? one.for : one.kind === "memory" ? one.mapping : one.kind,
  );
};

test("what there is more of is told by names first, then by what threads wait in", () => {
  const check = (made: Made, expected: string[]) => expect(causes(made)).toEqual(expected);

  check({ session: LATENCY }, ["nothing"]);
  check({ change: HASH, session: LATENCY }, ["cpu"]);
  check({ change: HASH, candidate: SLOWER, session: LATENCY }, ["cpu"]);
  check({ candidate: SLOWER, session: LATENCY }, ["unknown"]);
  check({ candidate: SLOWER, session: { gate: [gateChange("memory", 1.2)] } }, ["nothing"]);
  check({ candidate: { ...SLOWER, waits: { timer: 0.12 } }, session: LATENCY }, ["timer"]);
  check({ candidate: { ...SLOWER, waits: { disk: 0.12 } }, session: LATENCY }, ["disk"]);
  check({ candidate: { ...SLOWER, waits: { lock: 0.12 } }, session: LATENCY }, ["unknown"]);
  check({ change: { "@tick": 60 }, candidate: { waits: { timer: 0.3 } }, session: LATENCY }, [
    "cpu",
    "timer",
  ]);
  check(
    { candidate: { mappings: { anonymous: 30e6 } }, session: { gate: [gateChange("memory", 2)] } },
    ["anonymous"],
  );
  check({ candidate: { mappings: { anonymous: 30e6 } }, session: LATENCY }, [
    "nothing",
    "anonymous",
  ]);
  check({ candidate: { start: { ms: 400, cpuMs: 350, stacks: [] } } }, ["start"]);
});

test("much CPU explains a latency that queues made longer, unless something else waits", () => {
  const change = { "@hash @echo http.serve": 24 };
  const gate = [gateChange("latency", 3)];
  expect(causes({ change, candidate: SLOWER, session: { gate } })).toEqual(["cpu"]);
  const waits = { timer: 0.12 };
  expect(causes({ change, candidate: { ...SLOWER, waits }, session: { gate } })).toEqual([
    "timer",
    "cpu",
  ]);
});

test("CPU that is red itself does not explain a latency that rose far more than it", () => {
  const made = { change: HASH, candidate: { ...SLOWER, waits: { timer: 0.9 } } };
  const told = (latency: number) =>
    causes({
      ...made,
      session: { gate: [gateChange("cpu", 1.08), gateChange("latency", latency)] },
    });
  expect(told(1.2)).toEqual(["cpu", "timer"]);
  expect(told(30)).toEqual(["timer", "cpu"]);
});

test("without a gate, what would exceed its usual limit the most comes first", () => {
  const change = { "@hash @echo http.serve": 24 };
  const check = (bytes: number, expected: string[]) =>
    expect(causes({ change, candidate: { mappings: { anonymous: bytes } } })).toEqual(expected);
  check(10.5e6, ["cpu", "anonymous"]);
  check(30e6, ["anonymous", "cpu"]);
});

test("what is new is named though all else took less, as it may on a noisy machine", () => {
  const less = Object.entries(BASE).map(([stack, cost]) => [stack, -0.08 * cost]);
  const change = { ...Object.fromEntries(less), "@hash @echo http.serve": 12 };
  const { rows, moved } = explain(makeSession({ change }));
  expect(rows.map((row) => row.function)).toEqual([own("hash")]);
  expect(moved).toEqual([]);
});

test("a little CPU does not explain a long wait", () => {
  const change = { "@remember @echo http.serve": 3 };
  const gate = [gateChange("latency", 3)];
  expect(causes({ change, candidate: SLOWER, session: { gate } })).toEqual(["unknown"]);
  expect(explain(makeSession({ change, session: { gate } })).share).toBeLessThan(0.03);
  expect(causes({ change, session: { gate: [gateChange("cpu", 1.02)] } })).toEqual(["cpu"]);
});

describe("exact counts", () => {
  const check = (
    before: Record<string, number>,
    after: Record<string, number>,
    expected: string[],
  ) => {
    const syscalls = counted(before, after);
    expect(causes({ candidate: SLOWER, session: { ...LATENCY, syscalls } })).toEqual(expected);
  };

  test("of system calls say for what", () => {
    check({ write: 11, read: 23.1 }, { write: 12, read: 25.1 }, ["service"]);
    check({ writev: 11, recvfrom: 11 }, { writev: 12, recvfrom: 12 }, ["service"]);
    // Of tokio, which woke its own threads less often.
    check({ writev: 11, recvfrom: 11, write: 9 }, { writev: 12, recvfrom: 12, write: 1 }, [
      "service",
    ]);
    check({ write: 1 }, { write: 2 }, ["unknown"]);
    check({ read: 1, fsync: 0 }, { read: 1, fsync: 1 }, ["disk"]);
    check({ read: 20 }, { read: 22 }, ["unknown"]);
  });

  test("of sleeps say that it waits for a timer, but in Go, whose runtime sleeps as it pleases", () => {
    const syscalls = counted({ clock_nanosleep: 0 }, { clock_nanosleep: 1 });
    const told = (session: Partial<Session>) =>
      causes({ candidate: SLOWER, session: { ...LATENCY, syscalls, ...session } });
    expect(told({ own: { kind: "path", roots: ["/srv"] } })).toEqual(["timer"]);
    expect(told({})).toEqual(["unknown"]);
  });

  test("of system calls come before the CPU that they take", () => {
    const change = { "@hash @echo http.serve": 24 };
    const syscalls = counted({ write: 11, read: 11 }, { write: 12, read: 12 });
    expect(causes({ change, session: { ...LATENCY, syscalls } })).toEqual(["service", "cpu"]);
  });
});

test("memory and start are named by the functions whose pages and samples they are", () => {
  const faults = {
    reference: { "runtime.mallocgc @main": 100 },
    candidate: { "runtime.mallocgc @main": 100, "runtime.mallocgc @table @main": 3000 },
  };
  const memory = explain(
    makeSession({
      faults,
      candidate: { mappings: { anonymous: 22e6 } },
      session: { gate: [{ kind: "memory", reference: 16e6, candidate: 28e6, red: true }] },
    }),
  );
  expect(memory).toMatchObject({
    unit: "memory",
    rows: [{ function: own("table"), calledBy: own("main"), before: 0 }],
  });
  expect(memory.share).toBeCloseTo((3000 * 4096) / 12e6, 1);
});

test("of memory what rose beyond what all did comes first, however many pages each launch had of it", () => {
  const pages = (arm: Costs) => ({ "runtime.mallocgc @main": 100, ...arm });
  const kept = { "runtime.mallocgc @keep @main": 60 };
  const faults = {
    reference: pages({ "runtime.mallocgc @read @main": 400, "runtime.mallocgc @write @main": 200 }),
    candidate: pages({
      ...{ "runtime.mallocgc @read @main": 720, "runtime.mallocgc @write @main": 350 },
      ...kept,
    }),
  };
  const mappings = { mappings: { anonymous: 22e6 } };
  const functions = (session: Session): string[] =>
    explain(session).rows.map((row) => row.function);
  const told = makeSession({ faults, candidate: mappings });
  expect(functions(told)).toEqual([own("keep"), own("read"), own("write")]);
  // It comes upon few new pages in most launches, and upon most of them in some.
  const lumpy = told.launches.map((launch) => ({
    ...launch,
    faults: launch.faults.map((stack) => {
      const isKept = stack.frames.some(({ name }) => name === own("keep"));
      return isKept ? { ...stack, weight: launch.round % 4 === 0 ? 800 : 8 } : stack;
    }),
  }));
  const [first] = explain({ ...told, launches: lumpy }).rows;
  expect(first).toMatchObject({ function: own("keep"), before: 0, interval: null });
});

test("whether a change wrote lines of a function is said where it can be known", () => {
  const diff = [
    "+++ b/server/echo.go",
    "@@ -0,0 +1,2 @@",
    "+func hash(body []byte) string {",
    "+}",
  ].join("\n");
  const changed = (text: string) =>
    explain(makeSession({ change: HASH, session: { diff: text } })).rows[0]?.changedHere;
  expect(changed(diff)).toEqual([{ file: "server/echo.go", from: 1, to: 2 }]);
  expect(changed(diff.replace("hash", "other"))).toBe(null);
  expect(changed("")).toBe(null);
});

test("a function of a script ends where the next one that was seen begins", () => {
  const lines: Readonly<Record<string, number>> = { [own("hash")]: 9, [own("echo")]: 20 };
  const hunkAt = (line: number): string => `@@ -${line} +${line} @@\n+  changed();`;
  const changed = (...at: number[]) => {
    const session = makeSession({ change: HASH });
    const launches = session.launches.map((launch) => ({
      ...launch,
      stacks: launch.stacks.map(({ frames, weight }) => ({
        frames: frames.map((one) => ({
          ...one,
          file: "/srv/api.mjs",
          line: lines[one.name] ?? null,
        })),
        weight,
      })),
    }));
    const diff = ["+++ b/api.mjs", ...at.map(hunkAt)].join("\n");
    return explain({ ...session, launches, diff }).rows[0]?.changedHere;
  };
  expect(changed(2, 13, 25)).toEqual([{ file: "api.mjs", from: 13, to: 13 }]);
  expect(changed(2, 25)).toEqual([]);
});

test("five rows are told, and how many there are beyond", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g"];
  const change = Object.fromEntries(names.map((name) => [`@${name} @echo http.serve`, 20]));
  const { rows, more } = explain(makeSession({ change }));
  expect([rows.length, more]).toEqual([5, 2]);
  const other = explain(makeSession({ change, session: { gate: [gateChange("memory", 1.2)] } }));
  expect([other.cause.kind, other.rows, other.more]).toEqual(["nothing", [], 0]);
});

test("a start is named by its own samples", () => {
  const frame = { name: own("table"), module: "shop", file: null, line: null };
  const start = { ms: 400, cpuMs: 350, stacks: [{ frames: [frame], weight: 1500 }] };
  const { unit, rows } = explain(
    makeSession({
      faults: { reference: {}, candidate: { "@other @main": 3000 } },
      candidate: { start },
      session: { gate: [gateChange("start", 20)] },
    }),
  );
  expect([unit, rows.map((row) => row.function)]).toEqual(["start", [own("table")]]);
});

describe("as people read it", () => {
  const check = (name: string, made: Made) =>
    test(name, () => {
      const blocks = tellExplanation(explain(makeSession(made)));
      const document = {
        mark: null,
        headline: "",
        summary: [],
        sections: [section("", ...blocks)],
      };
      const text = renderTerminalDocument(document, { width: 100, color: "never" });
      expect(text).toMatchSnapshot();
    });

  check("more CPU", {
    change: { ...HASH, "@stamp @echo http.serve": 12, "@echo http.serve": -12 },
    session: LATENCY,
  });
  check("waiting for another service", {
    candidate: SLOWER,
    session: {
      ...LATENCY,
      syscalls: counted({ write: 11, read: 23.1 }, { write: 12, read: 25.1 }),
    },
  });
  check("more memory", {
    faults: { reference: {}, candidate: { "runtime.mallocgc @table @main": 3000 } },
    candidate: { mappings: { anonymous: 22e6 } },
    session: { gate: [{ kind: "memory", reference: 16e6, candidate: 28e6, red: true }] },
  });
  check("a slower start", { candidate: { start: { ms: 400, cpuMs: 350, stacks: [] } } });
  check("nothing", { session: LATENCY });
  check("nothing, of too few rounds", { session: LATENCY, rounds: 3 });
});
