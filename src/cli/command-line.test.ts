// What is made of the words after `tailgate`, before any command sees them.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { UserError } from "../core/base/errors.ts";
import { asksForHelp, parseCommandLine } from "./command-line.ts";

test.each([
  { words: "with api -h", asks: true },
  { words: "gate --seed 1 --help", asks: true },
  { words: "with --help -- cargo test", asks: true },
  { words: "with api -- cargo test -h", asks: false },
  { words: "with api -- psql --help", asks: false },
  { words: "gate", asks: false },
])("$words: help is asked for: $asks", ({ words, asks }) => {
  expect(asksForHelp(words.split(" "))).toBe(asks);
});

test("what stands behind -- is the command's own", () => {
  const { positionals, flags } = parseCommandLine(
    "with api --config a.yml -- psql --help -c x".split(" "),
  );
  expect(positionals).toEqual(["api", "psql", "--help", "-c", "x"]);
  expect(flags).toEqual({ config: "a.yml" });
});

test.each([
  { words: ["gat"], says: "unknown command: gat", next: "Did you mean gate?" },
  { words: ["gaet"], says: "unknown command: gaet", next: "Did you mean gate?" },
  { words: ["cal"], says: "unknown command: cal", next: "Did you mean calibrate?" },
  { words: ["-q"], says: "a command comes before -q", next: "tailgate --help lists the commands." },
  { words: ["g"], says: "unknown command: g", next: "tailgate --help lists the commands." },
  {
    words: ["gate", "--sed", "1"],
    says: "tailgate gate: unknown flag: --sed",
    next: "Did you mean --seed?",
  },
  { words: ["gate", "--no-json"], says: "unknown flag: --no-json", next: "--help lists the flags" },
  { words: ["gate", "--measure"], says: "unknown flag", next: "Did you mean --measure-unchanged?" },
  {
    words: ["gate", "-x"],
    says: "unknown flag: -x",
    next: "tailgate gate --help lists the flags.",
  },
  { words: ["gate", "--dry-run"], says: "unknown flag: --dry-run", next: "tailgate plan says" },
  {
    words: ["gate", "main"],
    says: "tailgate gate: unexpected argument: main",
    next: "Did you mean --reference main, or --service main? Usage: tailgate gate [flags]",
  },
  {
    words: ["explain", "api", "main"],
    says: "unexpected argument: main",
    next: "Did you mean --reference main? Usage: tailgate explain <service> [flags]",
  },
  { words: ["plan", "a.yaml"], says: "unexpected argument", next: "Did you mean --config a.yaml?" },
  { words: ["setup", "now"], says: "unexpected argument: now", next: "Usage: tailgate setup" },
])("$words is refused", ({ words, says, next }) => {
  const check = () => parseCommandLine(words);
  expect(check).toThrow(UserError);
  expect(check).toThrow(says);
  expect(check).toThrow(expect.objectContaining({ next: expect.stringContaining(next) }));
});

test("the commands that README shows are understood, and complete", () => {
  const readme = readFileSync(resolve(import.meta.dirname, "../../README.md"), "utf8");
  const shown = [...readme.matchAll(/`tailgate ([a-z][^`<]*)`/g)].map(([, words = ""]) => words);
  expect(shown.length).toBeGreaterThan(8);
  for (const words of shown) {
    const { flags } = parseCommandLine(words.split(" "));
    // Of a service with several, as those of this repository are, one must be named.
    if (words.startsWith("capacity")) expect(flags, words).toHaveProperty("scenario");
  }
});

test.each([
  ["gate -q", true],
  ["judge --quiet x.json", true],
  ["gate", false],
  ["with api -- cargo test -q", false],
])("%s is quiet: %j", (words, isQuiet) => {
  expect(parseCommandLine(words.split(" ")).isQuiet).toBe(isQuiet);
});

test("an empty value is no value", () => {
  const typed = (...words: string[]) => parseCommandLine(["gate", ...words]).flags;
  expect(typed()).toMatchObject({ out: null, seed: null, services: null, resume: false });
  expect(typed("--out", "x", "--service", "a", "--service", "b")).toMatchObject({
    out: "x",
    services: ["a", "b"],
  });
  expect(() => typed("--out", "")).toThrow("--out is empty");
  expect(() => typed("--seed", "")).toThrow("--seed is empty");
});

test.each([
  {
    words: "capacity --from x.json --config a.yml",
    says: "--config can have no effect with --from",
    next: "Leave out --config, or leave out --from.",
  },
  { words: "capacity --from x.json --seed 0", says: "--seed can have no effect with --from" },
  { words: "capacity from --from x.json", says: "the service from can have no effect with --from" },
  {
    words: "calibrate --from x.json --service a",
    says: "--service can have no effect with --from",
  },
  { words: "calibrate --from x.json --wait 1m", says: "--wait can have no effect with --from" },
  { words: "baseline update --from x.json --out y", says: "--out can have no effect with --from" },
  { words: "baseline show --seed 1", says: "--seed can have no effect with show" },
  { words: "judge x.json --explain --json", says: "--explain can have no effect with --json" },
  { words: "doctor --fix --json", says: "--fix can have no effect with --json" },
  {
    words: "try --wait 1m",
    says: "--wait can have no effect without --build",
    next: "Leave out --wait, or add --build.",
  },
])("$words is refused: it would be obeyed in part", ({ words, says, next = "Leave out" }) => {
  const refused = expect.objectContaining({ message: says, next: expect.stringContaining(next) });
  expect(() => parseCommandLine(words.split(" "))).toThrow(refused);
});

test.each([
  "calibrate --from x.json --seed 1 --out y --json",
  "baseline update --from x.json --config a.yml --history h",
  "capacity from --resume",
  "try --wait 1m --build",
])("%s is obeyed", (words) => {
  expect(() => parseCommandLine(words.split(" "))).not.toThrow();
});

test.each([
  { words: ["--seed", "4294967296"], says: "--seed 4294967296: expected a whole number from 0" },
  { words: ["--seed", "1.0"], says: "--seed 1.0: expected a whole number" },
  { words: ["--wait", "0s"], says: "--wait 0s: expected a duration such as 90s or 10m" },
  { words: ["--compare", "last"], says: "--compare last: expected one of auto, base, replay" },
])("gate $words is refused", ({ words, says }) => {
  expect(() => parseCommandLine(["gate", ...words])).toThrow(says);
});

test("a plan is of the reference that a gate would have", () => {
  const { flags } = parseCommandLine("plan --reference v1".split(" "));
  expect(flags).toMatchObject({ reference: "v1" });
});

test("what is typed is what a project is opened with", () => {
  const words = "gate --config a.yml --reference v1 --compare base --time-budget 10m --wait 5m";
  expect(parseCommandLine(`${words} --seed 7 --resume --json`.split(" ")).flags).toEqual({
    config: "a.yml",
    historyFolder: null,
    reference: "v1",
    compare: "base",
    services: null,
    seed: 7,
    timeBudgetMs: 600_000,
    out: null,
    resume: true,
    measureUnchanged: false,
    noExplain: false,
    answerAll: false,
    lockTimeoutMs: 300_000,
    json: true,
  });
});
