// The page of what `explain` says, from the stored runs. Pure.
import { shortName } from "../../satellites/explain/own.ts";
import { median } from "../../src/core/stats/dispersion.ts";
import { quantile, sortSample } from "../../src/core/stats/quantile.ts";
import { SERVICES, titleOf } from "../edit.ts";
import { fixed, machineName, NONE, percent, share, table, upperBound } from "../evidence/words.ts";
import { type Answer, COSTS } from "../plants/costs.ts";
import { EXPLAINED, languageOf } from "./kinds.ts";
import { type AnsweredRun, type ExplainedRun, isAnswered } from "./runs.ts";
import { answerOf, namesAny, type Score, saysAny, scoreRun } from "./score.ts";

const SOON = 3;

const PLANTED = ["planted", "beside-compiler"] as const;
const EQUAL = ["unchanged", "neutral"] as const;

const intro = (runs: readonly ExplainedRun[]): string => `# What explain says

What \`tailgate explain\` says of programs in which a [cost](../plants/costs.ts) was put, of equal programs, and of
[edits that change no behaviour](../neutral/README.md): ${runs.length} runs, of which ${runs.filter(isAnswered).length} gave an answer; those that did
not are listed at the end, and count in no other table. Each is the command by itself, without a gate before it that would say what is red.
Made by \`node lab/evidence/render.ts\` from the files in [runs](runs/); \`node lab/explain/collect.ts\` measures more.`;

/** Null: nothing was run. */
export function renderExplained(runs: readonly ExplainedRun[]): string | null {
  if (runs.length === 0) return null;
  const answered = runs.filter(isAnswered);
  const scores = answered.flatMap((run) => scoreRun(run) ?? []);
  const sections = [
    intro(runs),
    renderRight(scores),
    renderCosts(scores),
    renderFalse(answered),
    renderRuns(runs),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

const isSoon = (place: number | null): boolean => place !== null && place <= SOON;

function renderRight(scores: readonly Score[]): string {
  const rows = PLANTED.flatMap((kind) =>
    SERVICES.flatMap((service) => {
      const own = scores.filter(({ run }) => run.kind === kind && run.edit.service === service);
      if (own.length === 0) return [];
      const soon = (by: keyof Score["places"], ...planted: Answer[]): string => {
        const some = own.filter((one) => planted.includes(one.planted));
        return share(some.filter(({ places }) => isSoon(places[by])).length, some.length);
      };
      return [
        [
          EXPLAINED[kind]?.title ?? kind,
          languageOf(service),
          String(own.length),
          share(own.filter(({ isRight }) => isRight).length, own.length),
          share(own.filter(({ isAmong }) => isAmong).length, own.length),
          soon("explain", "cpu", "memory"),
          soon("byName", "cpu", "memory"),
          soon("explain", "cpu"),
          soon("flat", "cpu"),
          soon("cumulative", "cpu"),
        ],
      ];
    }),
  );
  if (rows.length === 0) return "";
  const titles = [
    "planted",
    "language",
    "runs",
    "said first, and right",
    "right, first or beside",
    "function among the first three: of CPU and memory",
    "by its own name",
    "of CPU alone",
    "flat list: of CPU",
    "cumulative list: of CPU",
  ];
  return `## Right

${table(titles, rows)}

- *Right*: there is more of what was planted: of CPU, of memory, of waiting for what it waits for, or a slower start.
- *Function*: the planted one, or one in which a compiler may have put it: of its callers in the service, or, in Rust, of the library that runs
  them; a row counts by its function, and by what it says calls that or has most of it. *By its own name*: the row's function is the planted one.
- *Lists*: of the same CPU samples, all functions by how much they rose, as profilers sort a difference: *flat* by what each took itself,
  *cumulative* with all that it called. Whichever of the same functions stands highest counts.
- Shares with Clopper and Pearson's interval at 95 %.`;
}

function renderCosts(scores: readonly Score[]): string {
  if (scores.length === 0) return "";
  const tables = PLANTED.flatMap((kind) => {
    const rows = costRows(scores.filter(({ run }) => run.kind === kind));
    const titles = ["language", "right", "said", "place", "flat list", "cumulative list"];
    return rows.length === 0 ? [] : [table([EXPLAINED[kind]?.title ?? kind, ...titles], rows)];
  });
  return `## By cost

What was said first in each run, and at which place the planted function is: in the rows, and in each list. ${NONE}: it is not there.

${tables.join("\n\n")}`;
}

/** One for each cost and service that has a run. */
const costRows = (scores: readonly Score[]): string[][] =>
  Object.entries(COSTS).flatMap(([name, { title, answers }]) =>
    SERVICES.flatMap((service) => {
      const own = scores.filter(
        ({ run: { edit } }) => edit.name === name && edit.service === service,
      );
      const places = (by: keyof Score["places"]): string =>
        own.map((one) => one.places[by] ?? NONE).join(", ");
      const said = own.map((one) => one.said).join(", ");
      const right = answers.join(" or ");
      const listed = [places("explain"), places("flat"), places("cumulative")];
      return own.length === 0 ? [] : [[title, languageOf(service), right, said, ...listed]];
    }),
  );

function renderFalse(answered: readonly AnsweredRun[]): string {
  const equal = answered.filter(({ kind }) => EQUAL.some((one) => one === kind));
  if (equal.length === 0) return "";
  const bounded = (k: number, n: number): string => `${k}, at most ${percent(upperBound(k, n))}`;
  const rowOf = (title: string, language: string, own: readonly AnsweredRun[]): string[][] =>
    own.length === 0
      ? []
      : [
          [
            title,
            language,
            String(own.length),
            bounded(own.filter(namesAny).length, own.length),
            bounded(own.filter(saysAny).length, own.length),
          ],
        ];
  const rows = EQUAL.flatMap((kind) => {
    const own = equal.filter((run) => run.kind === kind);
    const title = EXPLAINED[kind]?.title ?? kind;
    return [
      ...SERVICES.flatMap((service) =>
        rowOf(
          title,
          languageOf(service),
          own.filter(({ edit }) => edit.service === service),
        ),
      ),
      ...rowOf(title, "both", own),
    ];
  });
  const named = equal
    .filter((run) => namesAny(run) || saysAny(run))
    .map((run) => {
      const functions = run.said.rows.map((row) => `\`${shortName(row.function)}\``);
      const said = [answerOf(run.said.cause), ...functions].join(", ");
      return `- \`${run.name}\`, ${titleOf(run.edit)}: ${said}`;
    });
  return `## Nothing to find

${table(["changed", "language", "runs", "named a function", "said anything"], rows)}

${named.length === 0 ? "Nothing was said of any." : named.join("\n")}

The bound is Clopper and Pearson's, one-sided at 95 %. *Nothing*: both builds are one program, started alike.`;
}

function renderRuns(runs: readonly ExplainedRun[]): string {
  const rows = [...Map.groupBy(runs, ({ machine }) => machineName(machine))].map(
    ([machine, own]) => {
      const names = own.map(({ name }) => name.slice(0, name.indexOf("Z") + 1)).sort();
      const commits = [...new Set(own.map(({ commit }) => commit.slice(0, 10)))];
      const loads = own.map(({ load }) => load);
      const minutes = sortSample(own.map((run) => run.minutes));
      const rounds = own.filter(isAnswered).map(({ said }) => said.rounds);
      return [
        machine,
        String(own.length),
        `${names[0]} to ${names.at(-1)}`,
        commits.join(", "),
        `${fixed(median(loads), 1)}, ${fixed(Math.max(...loads), 1)}`,
        `${fixed(60 * median(minutes), 0)}, ${fixed(60 * quantile(minutes, 0.9), 0)}`,
        `${fixed(median(rounds), 0)}, ${fixed(Math.min(...rounds), 0)}`,
      ];
    },
  );
  const titles = [
    "machine",
    "runs",
    "begun, UTC",
    "commits",
    "load average before: median, most",
    "seconds of the command, builds included: median, 9 in 10",
    "rounds of an answer: median, fewest",
  ];
  const without = runs
    .filter((run) => !isAnswered(run))
    .map(
      ({ name, edit, exitCode }) =>
        `- \`${name}\`, ${titleOf(edit)}: exit code ${exitCode ?? NONE}`,
    );
  return `## What was measured

${table(titles, rows)}

${without.length === 0 ? "Every run gave an answer." : `Without an answer:\n\n${without.join("\n")}`}`;
}
