// What a step's output says of its tests.
import { readFileSync } from "node:fs";
import type { Counted } from "./reporter.ts";

export type { Counted };
/** Of everything that was printed; `ok`: it ended with 0. */
export type Count = (output: string, ok: boolean) => Counted;

/** A step that passes or fails as a whole. */
export const asOne: Count = (_, ok) => ({ passed: ok ? 1 : 0, failures: [], skipped: [] });

/** What reporter.ts has written. */
export const vitestCount =
  (file: string): Count =>
  () =>
    JSON.parse(readFileSync(file, "utf8"));

/** A test of the services that lacks a server says so on a line of its own, and passes. */
const SKIPPED = /^\s*skipped: (.*)$/gm;

export const cargoCount: Count = (output) => {
  const results = output.matchAll(/^test (\S+) \.\.\. (ok|FAILED|ignored)(?:, (.*))?$/gm);
  const counted: Counted = { passed: 0, failures: [], skipped: [] };
  for (const [, name = "", result, reason = "ignored"] of results) {
    if (result === "ok") counted.passed++;
    else if (result === "FAILED") counted.failures.push(name);
    else counted.skipped.push({ test: name, reason });
  }
  for (const [, reason = ""] of output.matchAll(SKIPPED)) {
    counted.skipped.push({ test: "cargo test", reason });
  }
  return counted;
};

interface GoEvent {
  Action: string;
  Package?: string;
  ImportPath?: string;
  Test?: string;
  Output?: string;
}

/** Of `go test -json`. */
function goEvents(output: string): GoEvent[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith('{"'))
    .map((line) => JSON.parse(line));
}

const keyOf = ({ Package, ImportPath, Test }: GoEvent): string =>
  `${Package ?? ImportPath ?? ""}${Test === undefined ? "" : `: ${Test}`}`;

function goOutputs(events: readonly GoEvent[]): Map<string, string> {
  const outputs = new Map<string, string>();
  for (const event of events) {
    const key = keyOf(event);
    outputs.set(key, (outputs.get(key) ?? "") + (event.Output ?? ""));
  }
  return outputs;
}

export const goCount: Count = (output) => {
  const events = goEvents(output);
  const outputs = goOutputs(events);
  const counted: Counted = { passed: 0, failures: [], skipped: [] };
  for (const event of events) {
    if (event.Test === undefined) {
      if (event.Action === "build-fail") counted.failures.push(keyOf(event));
    } else if (event.Action === "pass") counted.passed++;
    else if (event.Action === "fail") counted.failures.push(keyOf(event));
    else if (event.Action === "skip") {
      const reason = /_test\.go:\d+: (?:skipped: )?(.*)/.exec(outputs.get(keyOf(event)) ?? "");
      counted.skipped.push({ test: event.Test, reason: reason?.[1] ?? "no reason given" });
    }
  }
  return counted;
};

/** What a person reads of it: the packages, and everything about what failed or was skipped. */
export function goText(output: string): string {
  const events = goEvents(output);
  const told = new Set(events.filter(({ Action }) => /fail$|skip/.test(Action)).map(keyOf));
  const shown = events.filter((event) => event.Test === undefined || told.has(keyOf(event)));
  const plain = output.split("\n").filter((line) => line !== "" && !line.startsWith('{"'));
  return [...plain, shown.map(({ Output = "" }) => Output).join("")].join("\n");
}

/** A script of ours that ends with `N passed, N failed`. */
export const ownCount: Count = (output) => {
  const passed = Number(/^(\d+) passed, \d+ failed$/m.exec(output)?.[1] ?? 0);
  const failures = [...output.matchAll(/^FAILED: (.*)$/gm)].map(([, what = ""]) => what);
  const skipped = [...output.matchAll(SKIPPED)].map(([, reason = ""]) => ({ test: "", reason }));
  return { passed, failures, skipped };
};
