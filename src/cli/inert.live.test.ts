// What others wrote, as the real command shows it: on a terminal it is text, and in the log of
// GitHub's runner no command, wherever it stood.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { makeCommitted } from "../../test/support/build.ts";
import { fakeLoad, QUIET_HOST } from "../../test/support/project.ts";
import { makeSamples } from "../../test/support/samples.ts";
import { harmOnScreen } from "../../test/support/screen.ts";

const MAIN = resolve(import.meta.dirname, "../entry/cli.ts");

/** A title, a cleared screen, text turned round, a colour by one byte, an end of line. */
const ATTACK = "a\u001b]0;t\u0007\u001b[2J\u202e\u009b31m ##[error]pwned";
const LINES = `${ATTACK}\r\n  ::stop-commands::x\n::error::pwned`;
const ENDLESS = "pwned ".repeat(150_000);

/** What a shell prints of it, byte for byte. */
const printf = (text: string): string =>
  `printf '${[...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}\\n'`;

const config = (service: string): string => `version: 1
services:
  api: ${service}
scenarios:
  hello: { request: GET /, rate: 1000/s }
`;

interface Case {
  files: Readonly<Record<string, string>>;
  words: readonly string[];
  subject?: string;
  says?: string;
}

const SAMPLES = makeSamples({ rounds: 8, noise: 0.02 });

const withKey = (value: unknown, key: string): string =>
  JSON.stringify({ ...(value as object), [key]: 1 });

const CASES: Readonly<Record<string, Case>> = {
  "a key of samples": {
    files: { "s.json": withKey(SAMPLES, LINES) },
    words: ["judge", "s.json"],
  },
  "a subject in samples": {
    files: {
      "s.json": JSON.stringify({
        ...SAMPLES,
        sources: {
          ...SAMPLES.sources,
          candidate: { ...SAMPLES.sources.candidate, subject: ATTACK },
        },
      }),
    },
    words: ["judge", "s.json"],
  },
  "a key of samples without end": {
    files: { "s.json": withKey(SAMPLES, ENDLESS) },
    words: ["judge", "s.json"],
  },
  "keys of a report": {
    files: { "r.json": withKey({ schema: "tailgate.report.v1" }, LINES) },
    words: ["report", "r.json"],
  },
  "text that is no JSON": {
    files: { "r.json": LINES },
    words: ["report", "r.json"],
    says: "r.json is not JSON",
  },
  "keys of the configuration": {
    files: {
      "tailgate.yml": `${config("{ run: ./api }")}${JSON.stringify(LINES)}: 1\n"${"x".repeat(100)}pwned": 2\n`,
    },
    words: ["plan"],
  },
  "YAML that is none": {
    files: { "tailgate.yml": "%pwned\u202e 1\n---\nversion: 1\n" },
    words: ["plan"],
  },
  "a field of a baseline": {
    files: {
      "s.json": JSON.stringify(SAMPLES),
      "b/test/api.json": withKey({ schema: "tailgate.baseline.v1" }, LINES),
    },
    words: ["judge", "s.json", "--baselines", "b"],
  },
  "a line of a history": {
    files: { "history/2026-10.jsonl": JSON.stringify({ schema: LINES }) },
    words: ["history"],
  },
  "the name of a file": { files: {}, words: ["judge", `${ATTACK}.json`] },
  "what a service prints before it fails": {
    files: {
      "tailgate.yml": config("{ run: 'sh run.sh {port}' }"),
      "run.sh": `${printf(LINES)}\nexit 1\n`,
    },
    words: ["try", "--json"],
  },
  "the subject of a commit, and what a build prints before it fails": {
    files: {
      "tailgate.yml": config("{ build: sh run.sh, artifact: x, run: '{artifact} {port}' }"),
      "run.sh": `${printf(LINES)}\n${printf(LINES)} >&2\nexit 1\n`,
    },
    words: ["gate", "--reference", "HEAD", "--measure-unchanged"],
    subject: `${ATTACK} ::error::pwned`,
  },
};

function run({ files, words, subject }: Case, env: Record<string, string>) {
  const root = makeCommitted(files, subject);
  return spawnSync(process.execPath, ["--require", QUIET_HOST, MAIN, ...words], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...fakeLoad(root), ...env },
  });
}

/** Commands of ours to the runner. */
const withoutOurs = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !/^::(?:group::[\w ]+|endgroup::)$/.test(line))
    .join("\n");

describe.each([
  ["a pipe", {}],
  ["GitHub's log", { GITHUB_ACTIONS: "true" }],
])("in %s", (_, env) => {
  test.each(Object.keys(CASES))("%s is shown, and inert", (name) => {
    const one = CASES[name] as Case;
    const { status, stdout, stderr } = run(one, { GITHUB_ACTIONS: "", ...env });
    expect(stdout + stderr).toContain(one.says ?? "pwned");
    expect(status, stderr).not.toBe(70);
    for (const text of [stdout, stderr].map(withoutOurs)) {
      expect(harmOnScreen(text), text.slice(0, 2000)).toBeNull();
      expect(text.length).toBeLessThan(50_000);
    }
  });
});
