// The page of neutral edits, from the stored runs. Pure.
import type { JudgedComparison } from "../../src/core/model/verdict.ts";
import { mean, median } from "../../src/core/stats/dispersion.ts";
import { quantile, sortSample } from "../../src/core/stats/quantile.ts";
import { listQuestions } from "../../src/core/verdict/hypotheses.ts";
import { judge } from "../../src/core/verdict/judge.ts";
import { seriesOf } from "../../src/core/verdict/series.ts";
import { methodOf } from "../../src/core/verdict/slow.ts";
import { SERVICES, titleOf } from "../edit.ts";
import { unsteadinessOf } from "../evidence/questions.ts";
import type { StoredRun } from "../evidence/runs.ts";
import { change, NONE, percent, share, table, upperBound } from "../evidence/words.ts";
import { KINDS_OF_EDIT, NEUTRAL_EDITS } from "./edits.ts";

const INTRO = `# Neutral edits

What the gate says of pull requests that change bytes and no behaviour. The candidate of each gate is the commit with an ordinary edit of
one service: [Rust](rust.ts), [Go](go.ts), ${NEUTRAL_EDITS.length} in all, two of each kind in each language. What is loaded does what it did before; but
code and data come to lie elsewhere, which is part of how fast they are and of what memory they take. Such a bias is in every round of a
gate: no test can tell it from a regression, and only the floor of a limit holds it. Edits are never chosen by what they came to.

\`node lab/evidence/collect.ts --for 3h --only neutral\` gates those that are not recorded yet, and keeps each in its batch;
\`node lab/evidence/render.ts\` writes this page. That they build, are formatted and pass the service's tests is a test of the night.`;

const NOTHING = "None has been gated yet.";

/** Beside what gates: each may gate, and each is a program's own. */
const ALSO: readonly string[] = ["cpuPer1k", "rssPeak", "startup"];

/** One gate's answer to one question. */
interface Effect {
  run: StoredRun;
  comparison: JudgedComparison;
  /** Log ratio. */
  estimate: number;
  /** Of the estimate, by the spread of the gate's own rounds; null: of too few rounds. */
  error: number | null;
}

export function renderNeutral(runs: readonly StoredRun[]): string {
  const edited = runs.filter(({ kind }) => kind === "neutral");
  const measured = edited.length === 0 ? [NOTHING] : renderMeasured(edited, runs);
  return `${[INTRO, ...measured].join("\n\n")}\n`;
}

function renderMeasured(edited: readonly StoredRun[], all: readonly StoredRun[]): string[] {
  const unchanged = all.filter(({ kind }) => kind === "aa-calm").filter(isSteady);
  const effects = effectsOf(edited);
  const onSteadyCores = effects.filter(({ run }) => isSteady(run));
  return [
    renderEffects(onSteadyCores, effectsOf(unchanged)),
    renderKinds(edited, effects),
    renderAlarms(edited),
  ];
}

/** Where cores vary, what a gate measures varies with them, and would be taken for an edit's effect. */
const isSteady = (run: StoredRun): boolean => unsteadinessOf(run).length === 0;

const effectsOf = (runs: readonly StoredRun[]): Effect[] =>
  runs.flatMap((run) =>
    judge({ samples: run.samples, baselines: [] })
      .comparisons.filter(({ level, metric }) => level === "gate" || ALSO.includes(metric))
      .flatMap((comparison) => {
        const { estimate, sd, rounds } = comparison;
        const error = sd === null ? null : sd / Math.sqrt(rounds);
        return estimate === null ? [] : [{ run, comparison, estimate, error }];
      }),
  );

function renderEffects(effects: readonly Effect[], unchanged: readonly Effect[]): string {
  const rows = [...Map.groupBy(effects, ({ comparison }) => comparison.id)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, own]) => {
      const estimates = own.map(({ estimate }) => estimate);
      const sorted = sortSample(estimates);
      const errors = own.flatMap(({ error }) => error ?? []);
      const others = unchanged.filter(({ comparison }) => comparison.id === id);
      return [
        id,
        String(own.length),
        ...[0, 0.1].map((p) => change(quantile(sorted, p))),
        change(median(estimates)),
        ...[0.9, 1].map((p) => change(quantile(sorted, p))),
        spread(estimates),
        errors.length === 0 ? NONE : percent(median(errors)),
        spread(others.map(({ estimate }) => estimate)),
        spanOf(own.map(({ comparison }) => comparison.margin)),
        spanOf(own.map(({ comparison }) => comparison.floor)),
        String(own.filter(({ comparison }) => isRed(comparison)).length),
      ];
    });
  const titles = [
    "question",
    "gates",
    "least",
    "1 in 10",
    "median",
    "9 in 10",
    "most",
    "sd",
    "of it noise, median",
    "sd, unchanged",
    "margin",
    "floor",
    "red",
  ];
  return `## Effects

${table(titles, rows)}

- *Effects*: change of the candidate, as estimated by each gate on [steady cores](../../docs/adr/0038-cores-that-vary-unseen.md) under the
  present rule; *sd* in log ratio.
- *Of it noise*: standard error of one gate's estimate, by the spread of its rounds. *Unchanged*: the same sd over calm gates of equal
  programs on such cores, of another count of rounds. What an edit itself makes is the rest of the variance.
- *Red*: by the present rule, also of questions that do not gate.${shownLow([...effects, ...unchanged])}`;
}

/** What the rounds after the answer add to what a pass shows. */
function shownLow(effects: readonly Effect[]): string {
  const passed = effects.filter(({ comparison: { state } }) =>
    ["pass", "improved"].includes(state),
  );
  const parts = [...Map.groupBy(passed, ({ comparison }) => comparison.metric)]
    .map(([name, own]): [string, number[]] => [name, own.flatMap(hiddenIn)])
    .filter(([, hidden]) => hidden.length > 0)
    .map(([name, hidden]) => `${name} ${change(mean(hidden))} (${hidden.length})`);
  return parts.length === 0
    ? ""
    : `
- *Passes are shown a little low*: a pass comes when values happen to be low. Over all calm rounds of the same gates, those after the answer
  too, the mean change (of so many passes) moves by: ${parts.join(", ")}.`;
}

function hiddenIn({ run: { samples }, comparison, estimate }: Effect): number[] {
  const { id, margin, trail } = comparison;
  const hypothesis = listQuestions(samples.config).find((one) => one.id === id);
  if (hypothesis === undefined) return [];
  const values = seriesOf(hypothesis, samples.rounds);
  if (values.length === trail.length) return [];
  const calm = values.flatMap((value) => (value.calm ? [value.d] : []));
  return [methodOf(hypothesis, { margin }).estimate(calm) - estimate];
}

/** Least to most, as whole percent. */
function spanOf(shares: readonly number[]): string {
  const [least, most] = [Math.min(...shares), Math.max(...shares)].map((one) => percent(one, 0));
  return least === most ? `${most}` : `${least} to ${most}`;
}

/** Standard deviation. */
function spread(values: readonly number[]): string {
  if (values.length < 2) return NONE;
  const centre = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return percent(Math.sqrt(squares / (values.length - 1)));
}

const isGreen = ({ verdict }: StoredRun): boolean =>
  verdict.state === "pass" || verdict.state === "improved";
const isRed = ({ state }: { state: string }): boolean => state === "regressed";

function renderKinds(edited: readonly StoredRun[], effects: readonly Effect[]): string {
  const rows = Object.entries(KINDS_OF_EDIT).flatMap(([kind, title]) =>
    SERVICES.map((service) => {
      const own = edited.filter(({ edit }) => edit?.kind === kind && edit.service === service);
      const green = own.filter(isGreen).length;
      const red = own.filter(({ verdict }) => isRed(verdict)).length;
      const seen = (scenario: string | null, metric: string): string =>
        effects
          .filter(({ run }) => own.includes(run))
          .filter(({ comparison: of }) => of.scenario === scenario && of.metric === metric)
          .map(({ estimate }) => change(estimate))
          .join(", ") || NONE;
      return [
        title,
        service,
        ...[own.length, green, red, own.length - green - red].map(String),
        ...[
          seen(`${service}/echo`, "p99"),
          seen(`${service}/process`, "p99"),
          seen(null, "rss"),
          seen(null, "cpuPer1k"),
        ],
      ];
    }),
  );
  const titles = ["edit", "service", "gates", "green", "red", "neither"];
  return `## Kinds of edit

${table([...titles, "p99 of /echo", "p99 of /process", "RSS", "CPU a request"], rows)}

Greens and reds are what the program said at the time.`;
}

function renderAlarms(edited: readonly StoredRun[]): string {
  const red = edited.filter(({ verdict }) => isRed(verdict));
  const unsteady = edited.filter((run) => !isSteady(run)).length;
  const named = red.map(
    ({ name, edit, verdict }) =>
      `- \`${name}\`, ${edit === undefined ? "" : titleOf(edit)}: ${verdict.regressed.join(", ")}`,
  );
  const bound = percent(upperBound(red.length, edited.length));
  return `## Reds

Of all gates: ${share(red.length, edited.length)}; one-sided upper bound at 95 %: ${bound}. ${unsteady} of these gates ran on cores of unsteady speed.

${named.length === 0 ? "No neutral edit was red." : named.join("\n")}`;
}
