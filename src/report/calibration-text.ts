// What a runner's profile says, as tables and sentences: the same in every rendering. Computes nothing.
import { METRIC_FACTS } from "../model/metric.ts";
import type {
  PairsChoice,
  Profile,
  ProfileMetric,
  PromiseCost,
  SlicePlan,
} from "../model/profile.ts";
import type { Fact } from "./facts.ts";
import {
  formatChange,
  formatCount,
  formatDuration,
  formatFraction,
  formatShare,
  NOTHING,
} from "./format.ts";
import { describeCpuSets, describeMachine } from "./machine.ts";

/** Columns of a higher rank are given up first where the table is too wide; 0: never. */
export interface RankedTable {
  columns: readonly { title: string; align: "left" | "right"; dropRank: number }[];
  rows: readonly (readonly string[])[];
}

const left = (title: string) => ({ title, align: "left" as const, dropRank: 0 });
const right = (title: string, dropRank: number) => ({ title, align: "right" as const, dropRank });

export function gatedMetrics({ metrics }: Profile): ProfileMetric[] {
  return metrics.filter(({ costs }) => costs.length > 0);
}

export function configuredCost({ costs, limits }: ProfileMetric): PromiseCost | null {
  return costs.find(({ promise }) => promise === limits.promise) ?? null;
}

/** Gated metrics whose configured promise this runner does not keep. */
export function unkept(profile: Profile): ProfileMetric[] {
  return gatedMetrics(profile).filter((metric) => configuredCost(metric)?.kept !== true);
}

export function headline(profile: Profile): string {
  const gated = gatedMetrics(profile);
  const missed = unkept(profile).length;
  const limits = gated.length === 1 ? "the limit" : `all ${gated.length} limits`;
  return missed === 0
    ? `this runner can show ${limits} of the configuration`
    : `this runner cannot show ${missed} of ${gated.length} limits of the configuration: inconclusive is to be expected there`;
}

/** `sd` is in a round's log ratio: .1 is about 10 %. */
export function noiseTable(profile: Profile): RankedTable {
  return {
    columns: [
      left("metric"),
      right("rounds", 1),
      right("sd", 0),
      right("95 %", 2),
      right("plain", 5),
      right("bias", 0),
      right("95 %", 6),
      right("launch", 3),
      right("pair", 4),
    ],
    rows: profile.metrics
      .filter(({ level }) => level !== "info")
      .map(({ id, d, sd, bias, components }) => [
        id,
        formatCount(d.length),
        decimals(sd.robust),
        `${decimals(sd.low)}–${decimals(sd.high)}`,
        decimals(sd.plain),
        formatChange(bias.estimate),
        `${bias.low === null ? "−∞" : formatChange(bias.low)} to ${bias.high === null ? "+∞" : formatChange(bias.high)}`,
        components === null ? NOTHING : decimals(components.launch),
        components === null ? NOTHING : decimals(components.slice),
      ]),
  };
}

function decimals(value: number): string {
  return Number.isFinite(value) ? value.toFixed(3).replace(/^0/, "") : NOTHING;
}

const SHOWN: readonly number[] = [0.05, 0.1, 0.2];

/** What it takes to promise so much: rounds and time to find a change of just that, and to show that there is none. */
export function powerTable(profile: Profile): RankedTable {
  return {
    columns: [
      left("metric"),
      ...SHOWN.map((promise) => right(`+${formatFraction(promise)}`, 1)),
      right("limit", 0),
      right("+limit", 2),
      right("passes", 0),
      right("shows", 0),
    ],
    rows: gatedMetrics(profile).map((metric) => {
      const configured = configuredCost(metric);
      return [
        metric.id,
        ...SHOWN.map((promise) =>
          found(metric.costs.find((cost) => cost.promise === promise)?.worse),
        ),
        formatFraction(metric.limits.promise),
        found(configured?.worse),
        passed(configured?.unchanged),
        metric.proposed === null ? NOTHING : formatFraction(metric.proposed.promise),
      ];
    }),
  };
}

type Side = PromiseCost["worse"] | undefined;

/** Rounds and time where it happens nearly always, else how often it does. */
function found(side: Side): string {
  return side === undefined ? NOTHING : outcome(side, side.regressed);
}

function passed(side: Side): string {
  return side === undefined ? NOTHING : outcome(side, side.passed);
}

const NEARLY_ALWAYS = 0.95;

function outcome({ rounds }: NonNullable<Side>, share: number): string {
  if (rounds === null) return "never";
  if (share < NEARLY_ALWAYS) return `in ${formatShare(share)}`;
  return `${formatCount(rounds.median)}, ${minutes(rounds.medianMs)}`;
}

function minutes(ms: number): string {
  return `${(ms / 60_000).toFixed(1)} min`;
}

export function sliceTable(profile: Profile): RankedTable {
  return {
    columns: [
      left("scenario"),
      right("slices", 0),
      right("sd", 0),
      right("round", 3),
      right("passes", 0),
      right("soonest pass", 0),
      right("least variance", 0),
      right("var·s", 1),
      right("void", 2),
    ],
    rows: profile.slicePlans.map((plan) => [
      plan.scenario,
      `${plan.now.pairs} × ${formatDuration(plan.durationMs)}`,
      decimals(plan.now.sd),
      formatDuration(plan.now.roundMs),
      time(plan.now),
      `${plan.soonest.pairs} pairs, ${time(plan.soonest)}`,
      `${plan.leastVariance.pairs} pairs, sd ${decimals(plan.leastVariance.sd)}`,
      plan.varianceSeconds.toPrecision(2),
      formatShare(plan.slices === 0 ? 0 : plan.void / plan.slices),
    ]),
  };
}

function time({ passMs }: PairsChoice): string {
  return passMs === null ? "never" : minutes(passMs);
}

/** Worth a line: a fifth sooner. */
const WORTHWHILE = 0.8;
const MOST_LINES = 12;

/** What to change, most important first. */
export function advice(profile: Profile): string[] {
  const lines = [
    ...describeBudget(profile),
    ...unkept(profile).map(describeUnkept),
    ...gatedMetrics(profile).flatMap(describeFloor),
    ...gatedMetrics(profile).flatMap(describeBias),
    ...profile.slicePlans.flatMap((plan) => describePairs(plan)),
    ...describeLengths(profile.slicePlans),
  ];
  const more = lines.length - MOST_LINES;
  return more > 0 ? [...lines.slice(0, MOST_LINES), `and ${more} more`] : lines;
}

/** Only where it stands in the way of something. */
function describeBudget(profile: Profile): string[] {
  const { roomForRounds, lastLook, timeBudgetMs } = profile.gate;
  if (roomForRounds >= lastLook || unkept(profile).length === 0) return [];
  return [
    `the time budget of ${formatDuration(timeBudgetMs)} has room for ${formatCount(roomForRounds)} rounds of everything, and the last look is after ${formatCount(lastLook)}: a longer one shows more.`,
  ];
}

function describeUnkept(metric: ProfileMetric): string {
  const cost = configuredCost(metric);
  const misses =
    cost === null
      ? "was not simulated"
      : `is found broken in ${formatShare(cost.worse.regressed)} of runs, and seen kept in ${formatShare(cost.unchanged.passed)} when nothing changed (95 % is wanted)`;
  const instead =
    metric.proposed === null
      ? "No promise up to 200 % does better: gate something steadier"
      : `Promise ${formatFraction(metric.proposed.promise)} with a floor of ${formatFraction(metric.proposed.floor)}`;
  return `${metric.id}: a promise of ${formatFraction(metric.limits.promise)} ${misses}. ${instead}, or make the machine quieter: tailgate doctor.`;
}

function describeFloor({ id, limits, metric }: ProfileMetric): string[] {
  if (limits.floor < limits.promise) return [];
  return [
    `${id}: nothing below ${formatFraction(limits.floor)} blocks, because of the absolute floor, and ${formatFraction(limits.promise)} is promised. A lower absoluteFloor for ${METRIC_FACTS[metric].label} would let it block.`,
  ];
}

function describeBias({ id, bias }: ProfileMetric): string[] {
  const { low, high } = bias;
  if ((low ?? Number.NEGATIVE_INFINITY) <= 0 && (high ?? Number.POSITIVE_INFINITY) >= 0) return [];
  return [
    `${id}: identical arms differ by ${formatChange(bias.estimate)}, and their 95 % interval leaves 0 out. One in twenty does so by chance; if the next calibration repeats it, the arms are not treated alike.`,
  ];
}

function describePairs({ scenario, now, soonest }: SlicePlan): string[] {
  if (soonest.passMs === null) return [];
  if (now.passMs !== null && soonest.passMs > WORTHWHILE * now.passMs) return [];
  const instead = now.passMs === null ? "never" : minutes(now.passMs);
  return [
    `${scenario}: ${soonest.pairs} slice pairs instead of ${now.pairs} would pass in ${minutes(soonest.passMs)} instead of ${instead}.`,
  ];
}

/** Among lengths of slices that carried the same load. */
function describeLengths(plans: readonly SlicePlan[]): string[] {
  return plans.flatMap((plan) => {
    const rivals = plans.filter(({ scenario }) => plan.alternatives.includes(scenario));
    const best = rivals.every(({ varianceSeconds }) => varianceSeconds >= plan.varianceSeconds);
    if (rivals.length === 0 || !best) return [];
    const others = rivals.map(
      (rival) => `${formatDuration(rival.durationMs)} ${rival.varianceSeconds.toPrecision(2)}`,
    );
    return [
      `${plan.scenario}: slices of ${formatDuration(plan.durationMs)} had the least variance per second, ${plan.varianceSeconds.toPrecision(2)} (${others.join(", ")}). So few rounds know a variance to a factor of two.`,
    ];
  });
}

export function calibrationFacts(profile: Profile): Fact[] {
  const { fingerprint, cpuSets, slices, gate, run } = profile;
  const rules = Object.entries(slices.byRule).sort(([, a], [, b]) => b - a);
  return [
    {
      label: "machine",
      text: `${describeMachine(fingerprint)}, class ${profile.runnerClass}`,
    },
    {
      label: "CPU sets",
      text: describeCpuSets(cpuSets),
    },
    {
      label: "rounds",
      text: profile.services
        .map(({ service, rounds, roundMs }) => `${service} ${rounds} of ${formatDuration(roundMs)}`)
        .join(", "),
    },
    {
      label: "slices",
      text: `${formatCount(slices.measured)}, of which ${formatCount(slices.void)} void (${formatShare(slices.measured === 0 ? 0 : slices.void / slices.measured)})`,
    },
    ...rules.map(([rule, n]) => ({
      label: "void",
      text: `${rule} ${formatCount(n)}: ${slices.examples[rule] ?? ""}`,
    })),
    { label: "gate", text: describeGate(gate) },
    {
      label: "code",
      text: `${run.commit.slice(0, 10)} in both arms, run ${run.id}, ${formatDuration(run.measuredMs)} measured`,
    },
  ];
}

function describeGate({ passed, medianMs, ninthMs, timeBudgetMs }: Profile["gate"]): string {
  if (medianMs === null || ninthMs === null) return "nothing is gated";
  return `when nothing changed it passes in ${formatShare(passed)} of runs, after ${formatDuration(medianMs)} (median; nine in ten within ${formatDuration(ninthMs)}; budget ${formatDuration(timeBudgetMs)})`;
}
