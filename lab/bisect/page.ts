// The page of real bisections, from the stored runs. Pure.
import { sum } from "../../satellites/explain/fold.ts";
import { titleOf } from "../edit.ts";
import { change, fixed, machineName, NONE, share, table } from "../evidence/words.ts";
import { languageOf } from "../explain/kinds.ts";
import { COSTS } from "../plants/costs.ts";
import { COMMITS } from "./line.ts";
import type { BisectedRun } from "./runs.ts";

/** What came of one. `undecided`: nothing was named. */
export type Outcome = "right" | "right, one of several" | "wrong" | "undecided";

const intro = (runs: readonly BisectedRun[]): string => `# Bisections

\`tailgate bisect\` of lines of ${COMMITS} commits, made in a clone: [edits that change no behaviour](../neutral/README.md) of both reference
services and texts of the documentation, in a drawn order, and one [cost](../plants/costs.ts) at a drawn place. ${runs.length} runs; each asks for the
service's \`/echo\`, for half an hour at most; equal sources that were built before come from the cache.
Made by \`node lab/evidence/render.ts\` from the files in [runs](runs/); \`node lab/bisect/collect.ts\` measures more.`;

/** Null: nothing was run. */
export function renderBisected(runs: readonly BisectedRun[]): string | null {
  if (runs.length === 0) return null;
  return `${[intro(runs), renderAnswers(runs), renderMachines(runs)].join("\n\n")}\n`;
}

/** Null: it gave no answer. */
export function outcomeOf({ found, place }: BisectedRun): Outcome | null {
  if (found === null) return null;
  const { state, suspects, commits } = found;
  if (state !== "found" && state !== "one-of") return "undecided";
  if (!suspects.some(({ id }) => id === commits[place]?.id)) return "wrong";
  return state === "found" ? "right" : "right, one of several";
}

function renderAnswers(runs: readonly BisectedRun[]): string {
  const rows = runs.map((run) => {
    const { edit, place, touching, found, minutes } = run;
    const seen = found?.seen ?? [];
    const rounds = sum(seen.map((one) => (typeof one.rounds === "number" ? one.rounds : 0)));
    const built = seen.filter(({ kind }) => kind === "built").length;
    const skipped = seen.filter(({ kind }) => kind === "skipped").length;
    return [
      COSTS[edit.name]?.title ?? titleOf(edit),
      languageOf(edit.service),
      `${place}, ${touching}`,
      outcomeOf(run) ?? "no answer",
      found?.question ?? NONE,
      [found?.change, found?.step].map((one) => (one == null ? NONE : change(one))).join(", "),
      `${built}, ${skipped}`,
      String(rounds),
      fixed(minutes, 1),
    ];
  });
  const titles = [
    "a cost",
    "language",
    `place of ${COMMITS}, commits that touch the service`,
    "answer",
    "shown by",
    "of the bad commit, of the named one",
    "built, skipped",
    "rounds",
    "minutes",
  ];
  const answers = runs.map(outcomeOf).filter((one) => one !== null);
  const wrong = answers.filter((one) => one === "wrong").length;
  const right = answers.filter((one) => one.startsWith("right")).length;
  return `## Answers

${table(titles, rows)}

Right: ${share(right, answers.length)}; wrong: ${share(wrong, answers.length)}. Of [simulated ones](../../docs/bisect.md) there are more.`;
}

const renderMachines = (runs: readonly BisectedRun[]): string => {
  const lines = [...Map.groupBy(runs, ({ machine }) => machineName(machine))].map(
    ([machine, own]) => {
      const commits = [...new Set(own.map(({ commit }) => commit.slice(0, 10)))].join(", ");
      return `- ${machine}: ${own.length}, by the program of ${commits}`;
    },
  );
  return `## Machines\n\n${lines.join("\n")}`;
};
