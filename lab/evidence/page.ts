// The evidence page, from the stored runs. Pure.
import { median } from "../../src/core/stats/dispersion.ts";
import { hodgesLehmann } from "../../src/core/stats/hodges-lehmann.ts";
import { quantile, type SortedSample, sortSample } from "../../src/core/stats/quantile.ts";
import { renderPeers } from "../peers/page.ts";
import { renderAims } from "./aims.ts";
import { DISTURBANCES } from "./disturbances.ts";
import { isPresent, KINDS } from "./kinds.ts";
import { answeredAt, gatedOf, unsteadinessOf } from "./questions.ts";
import type { StoredRun } from "./runs.ts";
import { change, fixed, machineName, NONE, percent, share, table, upperBound } from "./words.ts";

const INTRO = `# The evidence

How often an unchanged commit is green, how often a planted regression is red, and after how many minutes: every whole gate that was
recorded of this repository's \`tailgate.yml\`, and as *full* of its \`services/tailgate.full.yml\`. Made by \`node lab/evidence/render.ts\` from the files in [runs](runs/). To judge a run
again: \`node lab/evidence/collect.ts --samples RUN > samples.v1.json\`, then \`tailgate judge samples.v1.json\`. (Two gates of commit
916da0c4f5, stored without the lag of their windows, then end otherwise. The stall of that commit was planted into /echo alone, and passed;
all since are of the whole service.)`;

const NOTHING = `No gate has been recorded by the present rule yet.`;

/** Of this page as it was in commit b3e50b4, in docs/: the rule of looks that ADR 17 replaced. */
const BEFORE = `## Before

The rule before [ADR 17](../../docs/adr/0017-bets-in-place-of-looks.md), which tested at planned looks, on the same kind of machine (this page in commit
b3e50b4); nobody disturbed these gates on purpose:

| gates | n | green | red | inconclusive | invalid | minutes | found |
|---|---|---|---|---|---|---|---|
| nothing planted, of everything | 33 | 29 | 0 | 1 | 3 | 7.7 on average | |
| nothing planted, one service and scenario | 4 | 4 | 0 | 0 | 0 | 2.0 on average | |
| +10 % p99, one service and scenario | 30 | | | | | 2.9 until found | 29 of 30 |
| +5 % RSS, one service and scenario | 27 | | | | | 2.9 until found | 27 of 27 |`;

const STATES = ["inconclusive", "invalid"] as const;
const isGreen = ({ verdict }: StoredRun): boolean =>
  verdict.state === "pass" || verdict.state === "improved";
const isRed = ({ verdict }: StoredRun): boolean => verdict.state === "regressed";
const isFound = ({ plant, verdict }: StoredRun): boolean =>
  plant !== null && verdict.regressed.some((id) => id.startsWith(plant.finds));
const isCorrect = (run: StoredRun): boolean => (run.plant === null ? isGreen(run) : isFound(run));

export function renderEvidence(runs: readonly StoredRun[]): string {
  const measured =
    runs.length === 0
      ? [NOTHING]
      : [
          renderGates(runs),
          renderAims(runs, (run) => ({ ...answerOf(run), isCorrect: isCorrect(run) })),
          renderAlarms(runs),
          renderMachines(runs),
          renderPeers(runs),
        ];
  return `${[INTRO, ...measured, BEFORE].filter((section) => section !== "").join("\n\n")}\n`;
}

function renderGates(runs: readonly StoredRun[]): string {
  const groups = Object.keys(KINDS).flatMap((kind) => {
    const own = runs.filter((run) => run.kind === kind);
    const alike = (run: StoredRun) =>
      `${run.disturbance} ${isPresent(run)} ${unsteadinessOf(run).length > 0}`;
    return [...Map.groupBy(own, alike).values()];
  });
  const titles = [
    "kind",
    "planted",
    "gates",
    "green",
    "red",
    ...STATES,
    "correct, 95 % interval",
    "minutes: median, 9 in 10",
    "rounds to the answer, median",
    "measured change, median",
  ];
  return `## Gates

${table(titles, groups.map(rowOf))}

- *Correct*: green where nothing is planted, otherwise red for what was planted (Clopper-Pearson).
- *Minutes*: from the first round to the verdict. Builds and waiting for another gate come on top.
- *Rounds to the answer*: until the first red question, otherwise until the last question was answered.
- *Measured change*: Hodges-Lehmann estimate of the question that finds the plant soonest.
- Where nothing is planted or edited, both arms run the same code of both routes (\`--measure-unchanged\`); otherwise the other service is unchanged and not measured.
- *By other limits*: CPU a request, RSS peak and start-up did not gate, and no margin followed the machine's profile. So it was too for the gates of other rows up to 2026-11-25.
- *In source*: the candidate is another program, by an edit of [lab/plants](../plants/plants.ts); otherwise \`TAILGATE_FAULTS\` of an equal one.
- *neutral*: another program that behaves alike; see [neutral edits](../neutral/README.md).`;
}

function rowOf(own: readonly StoredRun[]): string[] {
  const { kind, disturbance } = own[0] as StoredRun;
  const minutes = sortSample(own.map((run) => run.minutes));
  const { title = kind, wanted = 0, since } = KINDS[kind] ?? {};
  const isNow = isPresent(own[0] as StoredRun);
  const right = own.filter(isCorrect).length;
  const answers = own.map(answerOf);
  const changes = answers.flatMap(({ estimate }) => estimate ?? []);
  const disturbed =
    disturbance === null
      ? ""
      : `; beside it ${DISTURBANCES[disturbance]?.title ?? disturbance}${takenBy(own)}`;
  const spreads = sortSample(own.flatMap(unsteadinessOf));
  const unsteady =
    spreads.length === 0
      ? ""
      : `; on cores of unsteady speed: CPU a request varied by ${range(spreads)} from round to round`;
  return [
    kind,
    `${title}${disturbed}${unsteady}${isNow ? "" : `; by other limits, before ${since}`}`,
    disturbance === null && isNow && spreads.length === 0
      ? `${own.length} of ${wanted}`
      : String(own.length),
    String(own.filter(isGreen).length),
    String(own.filter(isRed).length),
    ...STATES.map((state) => String(own.filter(({ verdict }) => verdict.state === state).length)),
    share(right, own.length),
    `${fixed(median(minutes), 1)}, ${fixed(quantile(minutes, 0.9), 1)}`,
    fixed(median(answers.map(({ rounds }) => rounds)), 0),
    changes.length === 0 ? NONE : change(median(changes)),
  ];
}

/** Of the measured CPUs, by everything that was neither ours nor the services'. */
function takenBy(own: readonly StoredRun[]): string {
  const shares = sortSample(own.map(({ samples }) => foreignShare(samples)));
  return `; others took ${range(shares)} of the CPUs`;
}

/** From the least to the most. */
function range(shares: SortedSample): string {
  const ends = new Set([shares[0] ?? 0, shares.at(-1) ?? 0].map((share) => percent(share, 0)));
  return [...ends].join(" to ");
}

function foreignShare({ rounds }: StoredRun["samples"]): number {
  const slices = rounds.flatMap(({ scenarios }) => scenarios.flatMap(({ slices: all }) => all));
  return slices.reduce((sum, { host }) => sum + host.foreign, 0) / slices.length;
}

/** By the rule as it is now. `estimate`: log ratio of what was planted; null: nothing was. */
function answerOf(run: StoredRun): { rounds: number; estimate: number | null } {
  const { plant } = run;
  const gated = gatedOf(run);
  const red = gated.filter(({ state }) => state === "regressed");
  const [found] = gated
    .filter(({ id }) => plant !== null && id.startsWith(plant.finds))
    .sort((a, b) => b.evidence.regress - a.evidence.regress);
  return {
    rounds: red.length > 0 ? Math.min(...red.map(answeredAt)) : Math.max(...gated.map(answeredAt)),
    estimate: found === undefined ? null : hodgesLehmann(found.series.map(({ d }) => d)),
  };
}

function renderAlarms(runs: readonly StoredRun[]): string {
  const unchanged = runs.filter(({ plant }) => plant === null);
  const red = unchanged.filter(isRed);
  const elsewhere = runs.filter(
    ({ plant, verdict }) =>
      plant !== null && verdict.regressed.some((id) => !id.startsWith(plant.service)),
  );
  const equal = unchanged.filter(({ edit }) => edit === undefined);
  const edited = unchanged.filter(({ edit }) => edit !== undefined);
  const groups: [string, readonly StoredRun[]][] = [
    ["calm", equal.filter(({ disturbance }) => disturbance === null)],
    ["disturbed", equal.filter(({ disturbance }) => disturbance !== null)],
    ...Map.groupBy(edited, ({ kind }) => kind),
    ["all", unchanged],
  ];
  const rows = groups.map(([name, own]) => {
    const alarms = own.filter(isRed).length;
    return [name, String(own.length), String(alarms), percent(upperBound(alarms, own.length))];
  });
  const named = red.map(
    ({ name, verdict, disturbance }) =>
      `- \`${name}\`${disturbance === null ? "" : ` (${disturbance})`}: ${verdict.regressed.join(", ")}`,
  );
  const also = elsewhere.map(
    ({ name, verdict }) => `- \`${name}\`: ${verdict.regressed.join(", ")}`,
  );
  return `## False alarms

${table(["gates in which nothing is planted", "n", "red", "upper 95 % bound of the rate"], rows)}

${named.length === 0 ? "No gate was red in which nothing is planted." : `Red although nothing is planted:\n\n${named.join("\n")}`}

${also.length === 0 ? "No planted gate was red for a service in which nothing is planted." : `Red for a service in which nothing is planted:\n\n${also.join("\n")}`}

The bound is Clopper-Pearson, one-sided; 1 % would take 299 gates without an alarm. Below the bound the promise rests on
[the method](../../docs/method.md#the-rule) and on simulations (\`src/core/verdict/*.sim.test.ts\`).`;
}

function renderMachines(runs: readonly StoredRun[]): string {
  const machineOf = ({ samples }: StoredRun) => machineName(samples.host.fingerprint);
  const rows = [...Map.groupBy(runs, machineOf)].map(([machine, own]) => {
    const started = own.map(({ samples }) => samples.run.startedAt.slice(0, 16)).sort();
    const commits = [...new Set(own.map(({ commit }) => commit.slice(0, 10)))];
    const loads = own.map(({ load }) => load);
    return [
      machine,
      String(own.length),
      `${started[0]} to ${started.at(-1)}`,
      commits.join(", "),
      `${fixed(median(loads), 1)}, ${fixed(Math.max(...loads), 1)}`,
    ];
  });
  return `## What was measured

${table(["machine", "gates", "begun, UTC", "commits", "load average before: median, most"], rows)}`;
}
