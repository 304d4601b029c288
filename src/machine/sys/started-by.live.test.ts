// Machines without prlimit, or where a sandbox does not let it, in a process of its own: what was found
// is remembered.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../../test/support/files.ts";
import { runCommand } from "./process.ts";

const MARK = "123456789012345678";
const SHOW = `
const { marked } = await import(process.argv[1]);
console.log(JSON.stringify(marked([process.execPath, "server.js"], "${MARK}", {})));
`;

/** `prlimit`: what it does; null: it is not there. */
async function markedWith(prlimit: string | null): Promise<string[]> {
  const folder = makeFolder();
  if (prlimit !== null) {
    writeFileSync(join(folder, "prlimit"), `#!/bin/sh\n${prlimit}\n`, { mode: 0o755 });
  }
  const url = new URL("started-by.ts", import.meta.url).href;
  const argv = [process.execPath, "--input-type=module", "--eval", SHOW, url];
  const { stdout, stderr } = await runCommand(argv, { env: { PATH: folder } });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

test("a program is started by prlimit where that sets the limit", async () => {
  const [prlimit, ...rest] = await markedWith('PATH=/usr/bin:/bin exec prlimit "$@"');
  expect(prlimit).toMatch(/\/prlimit$/);
  expect(rest).toEqual([`--locks=${MARK}:${MARK}`, "--", process.execPath, "server.js"]);
});

test.each([
  ["refused", "exit 1"],
  ["said to be set, and is not", 'shift 2; exec "$@"'],
])("a program is started as it is where the limit is %s", async (_, prlimit) => {
  expect(await markedWith(prlimit)).toEqual([process.execPath, "server.js"]);
});

test("without prlimit a shell sets the limit, or nothing is put before the program", async () => {
  const [program, ...rest] = await markedWith(null);
  const limits = 'ulimit -x "$0" && while read -r line; do echo "$line"; done < /proc/self/limits';
  const { stdout } = await runCommand(["/bin/sh", "-c", limits, MARK]);
  if (!stdout.includes(MARK)) expect([program, ...rest]).toEqual([process.execPath, "server.js"]);
  else expect([program, rest.at(-1)]).toEqual(["/bin/sh", "server.js"]);
});
