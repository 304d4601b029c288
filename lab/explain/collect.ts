// Measures what `tailgate explain` says, unattended, for as long as it is told: of the kinds in kinds.ts
// the one that has the smallest share of its runs. Each run is the clone's own command, from source, and
// is kept when it has ended, with an answer or without. One without is left out by this call, which then
// exits with 1, and is not counted. Stopping at any time loses one run, and leaves nothing behind.
// Nothing else may run on the machine meanwhile. What is profiled for other than 60 seconds is a trial of
// the collector itself, and is not kept.
//
//   node lab/explain/collect.ts --for 90m [--runs 1] [--only planted --only neutral …] [--seconds 15]
//   node lab/explain/collect.ts --status
import { existsSync, readFileSync, rmSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readHost } from "../../src/machine/host/host.ts";
import { type Edit, editInto, identityOf, type Service, titleOf } from "../edit.ts";
import { chooseTask, type Task } from "../evidence/kinds.ts";
import { MachineSchema } from "../evidence/runs.ts";
import { collect, type Place, whileChanged } from "../evidence/unattended.ts";
import {
  changeIn,
  headOf,
  linkPackages,
  outputOf,
  type Ran,
  runProgram,
  withOtherTimeout,
} from "../evidence/working-copy.ts";
import { timeName } from "../lines.ts";
import { COSTS, foundAs } from "../plants/costs.ts";
import { EXPLAINED, type ExplainedKind, loadOf } from "./kinds.ts";
import { rankPlainly, readPprof } from "./plain.ts";
import {
  EXPLAINED_RUNS,
  type ExplainedRun,
  isAnswered,
  parseSaid,
  readExplained,
  storeExplained,
} from "./runs.ts";

/** A run that takes longer hangs: a first build in Rust takes five minutes beside a compiler. */
const MOST_MS = 1_200_000;

const SECONDS = "60";

const { values } = parseArgs({
  options: {
    for: { type: "string" },
    runs: { type: "string", default: "1000" },
    only: { type: "string", multiple: true, default: [] },
    seconds: { type: "string", default: SECONDS },
    status: { type: "boolean", default: false },
  },
});

const answered = () => readExplained(EXPLAINED_RUNS).filter(isAnswered);

if (values.status) {
  printStatus();
} else if (values.for === undefined) {
  console.error("usage: node lab/explain/collect.ts --for 90m | --status");
  process.exitCode = 2;
} else {
  await collect(
    { duration: values.for, most: Number(values.runs), only: values.only },
    {
      kinds: Object.keys(EXPLAINED),
      folder: EXPLAINED_RUNS,
      choose: (left) => chooseTask(answered(), { ...left, besideWork: false }, EXPLAINED),
      measure: explainAndKeep,
    },
  );
}

async function explainAndKeep({ kind, nth }: Task, place: Place): Promise<void> {
  const { clone, batch, abort } = place;
  const { edit: editOf, isDisturbed } = EXPLAINED[kind] as ExplainedKind;
  const edit = editOf(nth);
  const { config, scenario } = loadOf(edit);
  const disturbance = isDisturbed ? "compiler" : null;
  const [load = 0] = loadavg();
  const began = new Date();
  console.error(
    `\n== ${[kind, nth + 1, titleOf(edit), disturbance].filter((one) => one).join(" ")}`,
  );
  linkPackages(clone);
  rmSync(outputOf(clone, ""), { recursive: true, force: true });
  const late = AbortSignal.any([abort, AbortSignal.timeout(MOST_MS)]);
  const program = join(clone, "src/entry/cli.ts");
  const which = ["--config", config, "--scenario", scenario, "--reference", "HEAD"];
  const args = ["explain", edit.service, ...which, "--seconds", values.seconds, "--json"];
  const ran = await whileChanged(
    place,
    { change: () => changeTo(edit, config, clone), disturbance },
    () => runProgram(clone, [program, ...args], late),
  );
  if (abort.aborted) return;
  const run: ExplainedRun = {
    name: `${timeName(began)}-${kind}`,
    kind,
    edit: identityOf(edit),
    scenario,
    disturbance,
    commit: headOf(clone),
    machine: MachineSchema.parse(readHost({ generator: "oha" }).fingerprint),
    minutes: Number(ran.minutes.toFixed(2)),
    exitCode: ran.exitCode,
    load: Number(load.toFixed(2)),
    ...answerOf(ran),
    plain: plainRanks(edit.service, clone),
  };
  if (values.seconds === SECONDS) storeExplained(batch, run);
  if (!isAnswered(run))
    throw new Error(run.said?.refused?.why ?? `no answer, exit code ${run.exitCode}`);
  console.error(`== ${run.name}: ${run.said.sentence}`);
}

function changeTo(edit: Edit, config: string, clone: string): void {
  if (edit.kind === "unchanged")
    changeIn(clone, config, (text) => withOtherTimeout(text, edit.service));
  else editInto(clone, edit);
}

function answerOf({ exitCode, stdout, tail }: Ran): Pick<ExplainedRun, "said" | "failure"> {
  if (exitCode !== 0) return { said: null, failure: tail };
  try {
    return { said: parseSaid(stdout), failure: [] };
  } catch (error) {
    return { said: null, failure: [(error as Error).message] };
  }
}

/** By the files that the command leaves beside its answer; none where perf was refused. */
function plainRanks(service: Service, clone: string): ExplainedRun["plain"] {
  const [reference = "", candidate = ""] = ["reference", "candidate"].map((arm) =>
    outputOf(clone, `${arm}.pprof`),
  );
  if (!existsSync(reference) || !existsSync(candidate)) return [];
  const also = Object.values(COSTS).flatMap((cost) => foundAs(cost, service));
  const samples = [reference, candidate].map((path) => readPprof(readFileSync(path)));
  const [before = [], after = []] = samples;
  return rankPlainly({ service, also }, before, after);
}

function printStatus(): void {
  const runs = readExplained(EXPLAINED_RUNS);
  for (const [kind, { wanted }] of Object.entries(EXPLAINED)) {
    const own = runs.filter((run) => run.kind === kind);
    const without = own.filter((run) => !isAnswered(run)).length;
    const told = without === 0 ? "" : `; ${without} without an answer`;
    console.log(`${kind}: ${own.length - without} of ${wanted}${told}`);
  }
}
