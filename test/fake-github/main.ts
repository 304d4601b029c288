// The fake GitHub as a program: `node test/fake-github/main.ts --port 0 --state file.json [--log
// requests.jsonl]`. Says where it listens on one line, ends on SIGTERM or SIGINT, and exits with 1
// if GitHub's description was violated.
import { appendFileSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Seed } from "./seed.ts";
import { startFakeGitHub } from "./server.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    state: { type: "string" },
    log: { type: "string" },
  },
});

const { state, log } = values;
const fake = await startFakeGitHub({
  port: Number(values.port),
  seed: state === undefined ? {} : (JSON.parse(readFileSync(state, "utf8")) as Seed),
  onRequest: (entry) => {
    if (log !== undefined) appendFileSync(log, `${JSON.stringify(entry)}\n`);
  },
});
process.stdout.write(`listening on ${fake.url}\n`);

const end = async (): Promise<void> => {
  const problems = fake.problems();
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  await fake.close();
  process.exit(problems.length === 0 ? 0 : 1);
};
process.once("SIGTERM", () => void end());
process.once("SIGINT", () => void end());
