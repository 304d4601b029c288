// What the kernel asks of this satellite: the loop "take the next step, keep what it showed", and what
// was found in the end.
import type { BisectKernel, BisectResult } from "../../src/core/model/bisect.ts";
import { believe, type Ending, nextStep, type Step } from "./next-step.ts";
import { type BisectRecord, type Seen, seenIn } from "./record.ts";
import { shortId, tell } from "./tell.ts";

export { chooseQuestions, chooseService, linesIn, parseRange } from "./ask.ts";

/** Less is not worth showing. */
const LEAST_CHANCE = 0.01;

/** Only one named commit is an answer. */
const LACKS = {
  found: null,
  "one-of": "undecided",
  undecided: "undecided",
  "no-change": "usage",
  invalid: "invalid",
} as const;

const OUT_OF_TIME = { state: "undecided", why: "the time is over; --resume goes on" } as const;

type Doing = Exclude<Step, { kind: "end" }>;
/** How it stands, and what is named. */
type Standing = Omit<Ending, "state"> & Pick<BisectRecord, "state">;

/** Throws what building and measuring throws: what was seen until then is kept. */
export async function bisect(kernel: BisectKernel): Promise<BisectResult> {
  const seen: Seen[] = kernel.earlier === null ? [] : seenIn(kernel.earlier, kernel.identity);
  const keep = (standing: Standing): BisectRecord => {
    const record = recordOf(kernel, seen, standing);
    kernel.keep(JSON.stringify(record));
    return record;
  };
  for (;;) {
    const step = nextStep(kernel, seen);
    if (step.kind !== "end" && kernel.leftMs() > 0) {
      seen.push(await take(kernel, step, seen));
      keep({ state: "running", why: "" });
      continue;
    }
    const ending = step.kind === "end" ? step : OUT_OF_TIME;
    const value = keep(ending);
    return { lack: LACKS[ending.state], value, text: tell(value, kernel) };
  }
}

async function take(kernel: BisectKernel, step: Doing, seen: readonly Seen[]): Promise<Seen> {
  const idOf = (at: number): string => kernel.commits[at]?.id ?? "";
  if (step.kind === "build") {
    const { at } = step;
    const made = await kernel.build(idOf(at));
    if ("unusable" in made) return { kind: "skipped", at, why: made.unusable };
    return { kind: "built", at, key: made.key };
  }
  const { from, to, measured, rounds, purpose, question } = step;
  const [first, second] = [shortId(idOf(from)), shortId(idOf(to))];
  kernel.note(`${second} against ${first}: ${measured} rounds were measured, ${rounds} more`);
  const { scenario = null } = questionNamed(kernel, question) ?? {};
  const result = await kernel.measure([idOf(from), idOf(to)], rounds, scenario);
  if ("unusable" in result) {
    const isFirst = result.commit === idOf(from) && !wasMeasured(seen, from);
    return { kind: "skipped", at: isFirst ? from : to, why: result.unusable };
  }
  return { kind: "rounds", purpose, from, to, rounds, d: result.d };
}

/** Then it can be: what fails once more is no property of it alone. */
const wasMeasured = (seen: readonly Seen[], at: number): boolean =>
  seen.some((one) => one.kind === "rounds" && (one.from === at || one.to === at));

const questionNamed = ({ questions }: BisectKernel, wanted: string | null) =>
  questions.find(({ id }) => id === wanted);

function recordOf(
  kernel: BisectKernel,
  seen: readonly Seen[],
  { state, why, named }: Standing,
): BisectRecord {
  const { tool, identity, estimate } = kernel;
  const commits = kernel.commits.map(({ id, subject }) => ({ id, subject }));
  const record: BisectRecord = {
    ...{ schema: "tailgate.bisect.v1", tool, identity, state, why },
    ...{ question: null, change: null, step: null, suspects: [], again: null },
    ...{ commits, seen: [...seen] },
  };
  const belief = believe(kernel, seen);
  if (belief === null || belief === "same") return record;
  const { question, change, chances } = belief;
  const suspects = commits
    .map((commit, at) => ({ ...commit, at, chance: chances[at - 1] ?? 0 }))
    .filter(({ at, chance }) => named?.stretch.places.includes(at) ?? chance >= LEAST_CHANCE)
    .map(({ at, ...suspect }) => suspect)
    .sort((a, b) => b.chance - a.chance);
  const shown = { ...record, question, change: change.size, suspects };
  if (named === undefined) return shown;
  const { stretch, d } = named;
  const [from, to] = [stretch.from, stretch.to].map((at) => shortId(commits[at]?.id ?? ""));
  const asked = questionNamed(kernel, question);
  const scenario = asked?.scenario ?? kernel.scenario;
  const only = scenario === null ? `--service ${asked?.service}` : `--scenario ${scenario}`;
  return {
    ...shown,
    // Where only one was possible, what showed the change is of it.
    step: d.length === 0 ? change.size : estimate(d),
    again: `tailgate bisect ${from}..${to} ${only} --metric ${asked?.policy.metric}`,
  };
}
