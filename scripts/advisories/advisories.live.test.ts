// The script as it is started, with programs in place of npm, cargo and go.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../test/support/files.ts";

const SCRIPT = resolve(import.meta.dirname, "../advisories.ts");
const ANSWERS = {
  npm: { auditReportVersion: 2, vulnerabilities: {} },
  cargo: { vulnerabilities: { list: [] }, warnings: {} },
  go: { version: "2.1.0", runs: [{ tool: { driver: { name: "govulncheck" } }, results: [] }] },
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
  ["tools end with 1 though nothing is found", {}, 1, 0, /^$/],
] as const)("%s", (_, answers, status, code, told) => {
  expect(ask(answers, status)).toEqual({ code, told: expect.stringMatching(told) });
});
