// Bisects lines of 64 commits that it makes in a clone, unattended, for as long as it is told. Each is the
// clone's own command, from source, and is kept when it has ended. Nothing else may run on the machine.
//
//   node lab/bisect/collect.ts --for 1h [--runs 1]
import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readHost } from "../../src/machine/host/host.ts";
import { type Edit, editInto, identityOf, readTexts, titleOf } from "../edit.ts";
import { chooseTask, type Task } from "../evidence/kinds.ts";
import { MachineSchema } from "../evidence/runs.ts";
import { collect, type Place } from "../evidence/unattended.ts";
import { headOf, linkPackages, type Ran, runProgram } from "../evidence/working-copy.ts";
import { timeName } from "../lines.ts";
import { BISECTED, drawLine } from "./line.ts";
import {
  BISECTED_RUNS,
  type BisectedRun,
  parseFound,
  readBisected,
  storeBisected,
} from "./runs.ts";

/** Of the command's own limit. */
const MOST = "30m";

const { values } = parseArgs({
  options: { for: { type: "string" }, runs: { type: "string", default: "1000" } },
});

if (values.for === undefined) {
  console.error("usage: node lab/bisect/collect.ts --for 1h");
  process.exitCode = 2;
} else {
  await collect(
    { duration: values.for, most: Number(values.runs), only: [] },
    {
      kinds: Object.keys(BISECTED),
      folder: BISECTED_RUNS,
      choose: (left) => {
        const answered = readBisected(BISECTED_RUNS).filter(({ found }) => found !== null);
        return chooseTask(answered, { ...left, besideWork: false }, BISECTED);
      },
      measure: bisectAndKeep,
    },
  );
}

async function bisectAndKeep({ kind, nth }: Task, { clone, batch, abort }: Place): Promise<void> {
  const edit = BISECTED[kind]?.edit(nth) as Edit;
  const began = new Date();
  const sources = {
    "axum-api": readTexts(clone, "axum-api"),
    "gin-api": readTexts(clone, "gin-api"),
  };
  const { commits, place } = drawLine(edit, sources);
  console.error(`\n== ${kind} ${nth + 1} ${titleOf(edit)}, at ${place}`);
  linkPackages(clone);
  const good = headOf(clone);
  try {
    for (const one of commits) commitTo(clone, one);
    const program = join(clone, "src/entry/cli.ts");
    const which = ["--service", edit.service, "--scenario", "echo", "--for", MOST];
    const args = [program, "bisect", `${good}..HEAD`, ...which, "--json"];
    const ran = await runProgram(clone, args, abort);
    if (abort.aborted) return;
    const run: BisectedRun = {
      name: `${timeName(began)}-${kind}`,
      kind,
      edit: identityOf(edit),
      place,
      touching: commits.filter((one) => one?.service === edit.service).length,
      commit: good,
      machine: MachineSchema.parse(readHost({ generator: "oha" }).fingerprint),
      minutes: Number(ran.minutes.toFixed(2)),
      exitCode: ran.exitCode,
      ...answerOf(ran),
    };
    storeBisected(batch, run);
    if (run.found === null) throw new Error(`no answer, exit code ${run.exitCode}`);
    console.error(`== ${run.name}: ${run.found.state} ${run.found.suspects[0]?.subject ?? ""}`);
  } finally {
    git(clone, "reset", "--quiet", "--hard", good);
    git(clone, "clean", "--quiet", "--force", "-d", "services", "docs");
  }
}

function git(cwd: string, ...args: string[]): void {
  execFileSync("git", args, { cwd });
}

function commitTo(clone: string, edit: Edit | null): void {
  if (edit === null) appendFileSync(join(clone, "docs/notes.md"), "A remark.\n");
  else editInto(clone, edit);
  git(clone, "add", "services", "docs");
  const author = ["-c", "user.name=Tailgate", "-c", "user.email=tailgate@localhost"];
  const subject = edit === null ? "Note a remark" : titleOf(edit);
  git(clone, ...author, "commit", "--quiet", "--no-verify", "-m", subject);
}

function answerOf({ stdout, tail }: Ran): Pick<BisectedRun, "found" | "failure"> {
  try {
    return { found: parseFound(stdout), failure: [] };
  } catch {
    return { found: null, failure: tail };
  }
}
