// What the gates of the present limits were asked to show, whether they do, and what stands in the way
// where they do not. Pure.
import { median } from "../../src/core/stats/dispersion.ts";
import { quantile, type SortedSample, sortSample } from "../../src/core/stats/quantile.ts";
import { judge } from "../../src/core/verdict/judge.ts";
import { isPresent, KINDS } from "./kinds.ts";
import { answeredAt, gatedOf, unsteadinessOf } from "./questions.ts";
import type { StoredRun } from "./runs.ts";
import { change, fixed, percent, table } from "./words.ts";

interface Aim {
  /** Of the gates, so many at least are correct, from 0 to 1; where only a red would be wrong, see `reds`. */
  correct?: number;
  /** So many gates at most are red. */
  reds?: number;
  /** Minutes of measuring at most, in the median. */
  minutes?: number;
  /** Minutes that nine in ten gates take at most. */
  nineInTen?: number;
  /** Rounds until the answer at most, in the median. */
  rounds?: number;
}

const PROVEN_SOON: Aim = { correct: 1, minutes: 2 };
const STALL: Aim = { correct: 1, rounds: 30 };
const STALLS = /^stall-.*-in-source$/;

const AIMS: Readonly<Record<string, Aim>> = {
  "aa-calm": { correct: 1, minutes: 1.9, nineInTen: 3.5 },
  neutral: { reds: 1 },
  "new-scenario": { correct: 1 },
  "p99+8-in-source": { correct: 0.95 },
  "cpu+20-in-source": PROVEN_SOON,
  "peak+50-in-source": PROVEN_SOON,
  "start-x2-in-source": PROVEN_SOON,
  "stall-one-in-source": STALL,
  "stall-all-in-source": STALL,
  full: { correct: 1, minutes: 18 },
};

export interface Answer {
  isCorrect: boolean;
  /** Until the first red question, otherwise until the last was answered. */
  rounds: number;
  /** Log ratio of what was planted; null: nothing was. */
  estimate: number | null;
}

export function renderAims(
  runs: readonly StoredRun[],
  answerOf: (run: StoredRun) => Answer,
): string {
  const present = runs.filter(
    (run) => isPresent(run) && run.disturbance === null && run.kind in AIMS,
  );
  const gates = present.map((run) => ({
    run,
    answer: answerOf(run),
    isSteady: unsteadinessOf(run).length === 0,
  }));
  const rows = Object.entries(AIMS).map(([kind, aim]) => {
    const own = gates.filter(({ run }) => run.kind === kind);
    return [kind, ...compared(aim, own, KINDS[kind]?.wanted ?? 0)];
  });
  const steady = gates.filter(({ isSteady }) => isSteady).map(({ run }) => run);
  const causes = [
    whatTakesTime(steady.filter(({ kind }) => kind === "aa-calm")),
    whatPlantsCameTo(gates.filter(({ run }) => run.plant !== null && !STALLS.test(run.kind))),
    whatProfilesGave(gates.filter(({ run }) => run.kind === "p99+8-in-source")),
    whatStallsShow(steady.filter(({ kind }) => STALLS.test(kind))),
    whatWasInvalid(present),
  ];
  return `## What was asked

Of gates by the present limits that nothing disturbed on purpose, with nothing in the environment. Minutes and rounds are of those on
steady cores, ${steady.length} of ${gates.length}: CPU time a request varied by no more than 5 % from round to round
([ADR 38](../../docs/adr/0038-cores-that-vary-unseen.md)).

${table(["kind", "correct: asked, seen", "minutes, median", "nine in ten", "rounds, median", "so far"], rows)}

${causes.filter((cause) => cause !== "").join("\n")}

${whatIsLacking(runs)}Elsewhere: rows whose change contradicts the values beside it, none ([ADR 25](../../docs/adr/0025-one-arithmetic.md)); rounds from three
machines ([ADR 30](../../docs/adr/0030-rounds-from-several-machines.md)); services that compile as they run
([ADR 36](../../docs/adr/0036-launches-that-are-dear.md)).`;
}

function whatIsLacking(runs: readonly StoredRun[]): string {
  const lacking = Object.keys(KINDS).filter((kind) => runs.every((run) => run.kind !== kind));
  return lacking.length === 0 ? "" : `Not measured yet: ${lacking.join(", ")}.\n`;
}

interface Gate {
  run: StoredRun;
  answer: Answer;
  isSteady: boolean;
}

function compared(aim: Aim, own: readonly Gate[], wanted: number): string[] {
  const steady = own.filter(({ isSteady }) => isSteady);
  const minutes = sortSample(steady.map(({ run }) => run.minutes));
  const correct = own.filter(({ answer }) => answer.isCorrect).length;
  const reds = own.filter(({ run }) => run.verdict.state === "regressed").length;
  const seen: [number | undefined, number][] = [
    [aim.minutes, median(minutes)],
    [aim.nineInTen, quantile(minutes, 0.9)],
    [aim.rounds, median(steady.map(({ answer }) => answer.rounds))],
  ];
  const isMissed =
    correct < (aim.correct ?? 0) * own.length ||
    reds > (aim.reds ?? Infinity) ||
    seen.some(([most, value]) => most !== undefined && value > most);
  const few = own.length < wanted ? `${own.length} of ${wanted} gates` : "";
  return [
    aim.correct === undefined
      ? `≤ ${aim.reds} red; ${reds}, and ${correct} green of ${own.length}`
      : `${percent(aim.correct, 0)}; ${correct} of ${own.length}`,
    ...seen.map(([most, value]) => (most === undefined ? "" : `≤ ${most}; ${fixed(value, 1)}`)),
    own.length === 0
      ? "not measured"
      : [isMissed ? "**missed**" : "met", few].filter(Boolean).join(", "),
  ];
}

/** Minutes that unchanged gates would take if some questions were not asked. */
function whatTakesTime(own: readonly StoredRun[]): string {
  if (own.length === 0) return "";
  const judged = own.map((run) => ({ run, gated: answeredOf(run) }));
  const without = (isLeftOut: (id: string) => boolean): string => {
    const minutes = judged.map(({ run, gated }) => {
      const asked = gated.filter(({ id }) => !isLeftOut(id));
      const services = Map.groupBy(asked, ({ service }) => service);
      const rounds = [...services.values()].map((all) => Math.max(...all.map(answeredAt)));
      const total = rounds.reduce((sum, one) => sum + one, 0);
      return (run.minutes * total) / run.samples.rounds.length;
    });
    return fixed(median(minutes), 1);
  };
  const isProcess = (id: string): boolean => id.includes("/process p99");
  const isSlow = (id: string): boolean => id.includes(" slow");
  return `- *Unchanged*: the same rounds without the p99 of \`/process\` would take ${without(isProcess)} minutes in the median, without slowest answers ${without(isSlow)},
  and without either ${without((id) => isProcess(id) || isSlow(id))}.`;
}

/** Of the kinds that a gate missed, by service and machine: whatever the gates answered. */
function whatPlantsCameTo(gates: readonly Gate[]): string {
  const kinds = Map.groupBy(gates, ({ run }) => run.kind);
  const parts = [...kinds].flatMap(([kind, own]) => {
    if (own.every(({ answer }) => answer.isCorrect)) return [];
    const places = Map.groupBy(
      own,
      ({ run: { plant, samples } }) => `${plant?.service} on ${samples.host.fingerprint.cpuModel}`,
    );
    const effects = [...places].map(([place, all]) => {
      const effect = span(sortSample(all.flatMap(({ answer }) => answer.estimate ?? [])));
      const red = all.filter(({ answer }) => answer.isCorrect).length;
      return `${effect} in ${place} (${red} of ${all.length} red)`;
    });
    return [`*${kind}* came to ${effects.join(", ")}`];
  });
  return parts.length === 0
    ? ""
    : `- *Plants* are a fixed amount of work, whose share of the time depends on the machine: ${parts.join("; ")}. Until 2026-11-29, 12:00 UTC, that of /echo in axum-api had three fifths of its present size.`;
}

function span(logRatios: SortedSample): string {
  const [least, most] = [logRatios[0] ?? Number.NaN, logRatios.at(-1) ?? Number.NaN].map(change);
  return least === most ? `${most}` : `${least} to ${most}`;
}

/** By the default margin a pass is right for what `margin: auto` is to find. */
function whatProfilesGave(gates: readonly Gate[]): string {
  if (gates.length === 0) return "";
  const [profiled = [], others = []] = [true, false].map((isProfiled) =>
    gates.filter(({ run }) => (run.samples.config.policy.autoMargins !== undefined) === isProfiled),
  );
  const redOf = (own: readonly Gate[]): string =>
    `${own.filter(({ answer }) => answer.isCorrect).length} of ${own.length}`;
  return `- *Profile*: of *p99+8-in-source* ${redOf(profiled)} are red with a profile of their machine, for which 95 % was asked, and ${redOf(others)}
  without one, by the default margin of 10 %, under which +8 % may pass. [Simulations](../../docs/adr/0032-margins-by-profile.md) find 71 to 99 % with one.`;
}

/** By what fault, as its code says. */
function whatWasInvalid(runs: readonly StoredRun[]): string {
  const parts = runs
    .filter(({ verdict }) => verdict.state === "invalid")
    .map((run) => {
      const faults = judge({ samples: run.samples, baselines: [] }).faults.map(
        ({ kind, scenario }) => `${kind} ${scenario}`,
      );
      return `*${run.kind}*, ${faults.join(", ")} on ${run.samples.host.fingerprint.cpuModel}`;
    });
  return parts.length === 0 ? "" : `- *Invalid*: ${parts.join("; ")}.`;
}

/** A planted stall lasts 150 ms; on steady cores no other answer took so long. */
const STALLED_US = 60_000;

function whatStallsShow(own: readonly StoredRun[]): string {
  if (own.length === 0) return "";
  const shown = own.map((run) => {
    const stalled = run.samples.rounds.flatMap((round, nth) =>
      round.scenarios.some(({ slices }) =>
        slices.some(({ arm, latency }) => arm === "candidate" && (latency?.max ?? 0) > STALLED_US),
      )
        ? [nth + 1]
        : [],
    );
    const { alpha } = run.samples.config.policy;
    const needed = gatedOf(run).length / alpha;
    const doublings = Math.ceil(Math.log2(needed));
    const share = stalled.length / run.samples.rounds.length;
    return {
      kind: run.kind,
      doublings,
      share,
      bySigns: Math.log(needed) / growthOfSigns(share),
      soonest: stalled[doublings - 1] ?? Infinity,
    };
  });
  const parts = [...Map.groupBy(shown, ({ kind }) => kind)].map(([kind, all]) => {
    const part = percent(median(all.map(({ share }) => share)), 0);
    const doublings = median(all.map((one) => one.doublings));
    const soonest = median(all.map((one) => one.soonest));
    const when = Number.isFinite(soonest) ? `by round ${soonest}` : "in no gate";
    const bySigns = Math.round(median(all.map((one) => one.bySigns)));
    return `*${kind}* showed it in ${part} of the rounds, and ${doublings} times ${when} (by signs: ${bySigns} rounds)`;
  });
  return `- *Stalls*: a round can at most double the evidence, since equal builds might as well have swapped places, and only a round with a
  stall doubles it. A red needs evidence of the number of questions / α. In the median ${parts.join("; ")}.
  No exact test can be red sooner. None can stake all either, since a round without a stall is as often against the candidate as for it:
  *by signs* is what the best bet on which arm was slower takes. The rule bets by how much slower too.`;
}

/**
 * Natural logarithm by which the best bet on the sign of a round grows in the mean (Kelly 1956). A
 * round of `share` has a stall and is against the candidate; the others are either, evenly.
 */
function growthOfSigns(share: number): number {
  const p = (1 + share) / 2;
  const plogp = (x: number): number => (x === 0 ? 0 : x * Math.log(x));
  return Math.LN2 + plogp(p) + plogp(1 - p);
}

/** Wrong answers aside, which no round answers before the last. */
const answeredOf = (run: StoredRun) => gatedOf(run).filter(({ metric }) => metric !== "errors");
