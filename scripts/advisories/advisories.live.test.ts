// The script as it is started, with programs in place of npm, cargo, go and curl.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../test/support/files.ts";
import { PYTHON_PINS } from "./questions.ts";

const SCRIPT = resolve(import.meta.dirname, "../advisories.ts");
const ANSWERS = {
  npm: { auditReportVersion: 2, vulnerabilities: {} },
  cargo: { vulnerabilities: { list: [] }, warnings: {} },
  go: { version: "2.1.0", runs: [{ tool: { driver: { name: "govulncheck" } }, results: [] }] },
  curl: { results: PYTHON_PINS.map(() => ({})) },
};
const FOUND = {
  list: [{ advisory: { id: "RUSTSEC-2026-0001" }, package: { name: "hyper", version: "1.2.3" } }],
};

function ask(answers: Record<string, object>, status = 0): { code: number | null; told: string } {
  const folder = makeFolder();
  for (const [program, answer] of Object.entries({ ...ANSWERS, ...answers })) {
    const text = `#!/bin/sh\ncat <<'END'\n${JSON.stringify(answer)}\nEND\nexit ${status}\n`;
    writeFileSync(join(folder, program), text, { mode: 0o755 });
  }
  const { status: code, stderr } = spawnSync(process.execPath, [SCRIPT], {
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
    encoding: "utf8",
  });
  return { code, told: stderr };
}

test.each([
  ["nothing is found", {}, 0, 0, /^$/],
  [
    "something is found",
    { cargo: { ...ANSWERS.cargo, vulnerabilities: FOUND } },
    1,
    1,
    /^RUSTSEC-2026-0001: hyper 1\.2\.3\..*\n$/,
  ],
  [
    "a registry does not answer",
    { npm: { message: "405 Method Not Allowed" } },
    1,
    1,
    /^\.: npm audit --json gave no answer\.\n/,
  ],
  [
    "a tool of CI is vulnerable",
    { curl: { results: PYTHON_PINS.map(() => ({ vulns: [{ id: "PYSEC-2026-12" }] })) } },
    0,
    1,
    new RegExp(`^(PYSEC-2026-12: \\S+ \\S+\\. Update.*\\n){${PYTHON_PINS.length}}$`),
  ],
  ["tools end with 1 though nothing is found", {}, 1, 0, /^$/],
] as const)("%s", (_, answers, status, code, told) => {
  expect(ask(answers, status)).toEqual({ code, told: expect.stringMatching(told) });
});
