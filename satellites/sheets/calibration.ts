// A runner's profile on a terminal: what it can show, what to change, and why.

import { METRIC_FACTS } from "../../src/core/model/metric.ts";
import { mostFirst } from "../../src/core/model/parts.ts";
import {
  configuredCost,
  gatedMetrics,
  type MarginCost,
  type Profile,
  type ProfileMetric,
  unkept,
} from "../../src/core/model/profile.ts";
import {
  type Block,
  type Column,
  type Facts,
  facts,
  list,
  type Mark,
  note,
  type Section,
  section,
  tableOf,
} from "../../src/core/report/kit/blocks.ts";
import {
  renderTerminalDocument,
  type TerminalOptions,
} from "../../src/core/report/kit/terminal.ts";
import { describeMachine } from "../../src/core/report/provenance.ts";
import { fullName } from "../../src/core/report/words/names.ts";
import { STATE_FACTS } from "../../src/core/report/words/states.ts";
import {
  formatChange,
  formatCount,
  formatDuration,
  formatFraction,
  formatShare,
  NOTHING,
} from "../../src/core/text/format.ts";
import { describeCpuSets } from "../../src/core/text/machine.ts";

const NOISE_NOTE =
  "sd: how far the change between identical builds varies from round to round; .10 is about 10 %. launch, pair: its parts, of the two starts and of one pair of measurements (analysis of variance, outliers limited). Where pairs are the larger part, raise slice.pairs: more of them make a round less noisy.";
const POWER_NOTE =
  "Rounds and time (of its service alone) until a change of that size is detected, with just that as the limit; passes: until an unchanged build passes. Where fewer than 95 of 100 runs get there, the share that do. Simulated: the decision rule on noise as recorded.";

export function renderCalibration(profile: Profile, options: TerminalOptions): string {
  const like = unkept(profile).length === 0 ? "pass" : "inconclusive";
  const mark: Mark = { ...STATE_FACTS[like], word: "CALIBRATED", like };
  const table = (title: string, content: Block, says: string): Section =>
    section(title, content, note(says));
  return renderTerminalDocument(
    {
      mark,
      headline: calibrationHeadline(profile),
      summary: [],
      sections: [
        section("What to do next", list(advice(profile))),
        table("Noise", noiseTable(profile), NOISE_NOTE),
        table("What this runner can show", powerTable(profile), POWER_NOTE),
        section("How it was measured", facts(calibrationFacts(profile))),
      ],
    },
    options,
  );
}

const left = (title: string): Column => ({ title, kind: "text" });
const right = (title: string, dropRank: number): Column => ({ title, kind: "number", dropRank });

export function calibrationHeadline(profile: Profile): string {
  const gated = gatedMetrics(profile);
  const missed = unkept(profile).length;
  const limits = gated.length === 1 ? "the limit" : `all ${gated.length} limits`;
  return missed === 0
    ? `this runner can show ${limits} of the configuration`
    : `this runner cannot show ${missed} of ${gated.length} limits of the configuration: inconclusive is to be expected there`;
}

function noiseTable(profile: Profile): Block {
  return tableOf(
    [
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
    profile.metrics
      .filter(({ level }) => level !== "info")
      .map(({ d, sd, bias, components, ...named }) => [
        fullName(named),
        formatCount(d.length),
        decimals(sd.robust),
        `${decimals(sd.low)}–${decimals(sd.high)}`,
        decimals(sd.plain),
        formatChange(bias.estimate),
        `${bias.low === null ? "−∞" : formatChange(bias.low)} to ${bias.high === null ? "+∞" : formatChange(bias.high)}`,
        components === null ? NOTHING : decimals(components.launch),
        components === null ? NOTHING : decimals(components.slice),
      ]),
  );
}

function decimals(value: number): string {
  return Number.isFinite(value) ? value.toFixed(3).replace(/^0/, "") : NOTHING;
}

const SHOWN: readonly number[] = [0.05, 0.1, 0.2];

/** Rounds and time to detect a change of a margin, and to show that there is none. */
function powerTable(profile: Profile): Block {
  return tableOf(
    [
      left("metric"),
      ...SHOWN.map((margin) => right(`+${formatFraction(margin)}`, 1)),
      right("limit", 0),
      right("+limit", 2),
      right("passes", 0),
      right("shows", 0),
    ],
    gatedMetrics(profile).map((metric) => {
      const configured = configuredCost(metric);
      return [
        fullName(metric),
        ...SHOWN.map((margin) => found(metric.costs.find((cost) => cost.margin === margin)?.worse)),
        formatFraction(metric.limits.margin),
        found(configured?.worse),
        passed(configured?.unchanged),
        metric.proposed === null ? NOTHING : formatFraction(metric.proposed.margin),
      ];
    }),
  );
}

type Side = MarginCost["worse"] | undefined;

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
  return `${formatCount(rounds.median)}, ${(rounds.medianMs / 60_000).toFixed(1)} min`;
}

const MOST_LINES = 12;

export function advice(profile: Profile): string[] {
  const lines = [
    ...describeBudget(profile),
    ...unkept(profile).map(describeUnkept),
    ...gatedMetrics(profile).flatMap(describeFloor),
    ...gatedMetrics(profile).flatMap(describeBias),
  ];
  const more = lines.length - MOST_LINES;
  return more > 0 ? [...lines.slice(0, MOST_LINES), `And ${more} more.`] : lines;
}

/** Only where a limit is missed. */
function describeBudget(profile: Profile): string[] {
  const { roomForRounds, timeBudgetMs } = profile.gate;
  if (unkept(profile).length === 0) return [];
  return [
    `The time budget of ${formatDuration(timeBudgetMs)} has room for ${formatCount(roomForRounds)} rounds of everything: a longer one shows more.`,
  ];
}

function describeUnkept(metric: ProfileMetric): string {
  const cost = configuredCost(metric);
  const misses =
    cost === null
      ? "was not simulated"
      : `is detected in ${formatShare(cost.worse.regressed)} of runs, and an unchanged build passes in ${formatShare(cost.unchanged.passed)} (95 % wanted)`;
  const instead =
    metric.proposed === null
      ? "No limit up to 200 % does better: gate something steadier"
      : `Set margin to ${formatFraction(metric.proposed.margin)} and floor to ${formatFraction(metric.proposed.floor)}`;
  return `A change of ${formatFraction(metric.limits.margin)} in ${fullName(metric)} ${misses}. ${instead}, or make the machine quieter: tailgate doctor.`;
}

function describeFloor({ limits, ...named }: ProfileMetric): string[] {
  if (limits.floor < limits.margin) return [];
  return [
    `No change of ${fullName(named)} below ${formatFraction(limits.floor)} can fail, because of the absolute floor. Lower absoluteFloor for ${METRIC_FACTS[named.metric].label} to let it fail.`,
  ];
}

function describeBias({ bias, ...named }: ProfileMetric): string[] {
  const { low, high } = bias;
  if ((low ?? Number.NEGATIVE_INFINITY) <= 0 && (high ?? Number.POSITIVE_INFINITY) >= 0) return [];
  return [
    `Identical builds differ by ${formatChange(bias.estimate)} in ${fullName(named)}, and their 95 % interval leaves 0 out. One in twenty does so by chance; if the next calibration repeats it, the two are not treated alike.`,
  ];
}

function calibrationFacts(profile: Profile): Facts {
  const { fingerprint, cpuSets, slices, gate, run } = profile;
  return {
    machine: `${describeMachine(fingerprint)}, class ${profile.runnerClass}`,
    "CPU sets": describeCpuSets(cpuSets),
    rounds: profile.services
      .map(({ service, rounds, roundMs }) => `${service} ${rounds} of ${formatDuration(roundMs)}`)
      .join(", "),
    measurements: `${formatCount(slices.measured)}, of which ${formatCount(slices.void)} discarded (${formatShare(slices.measured === 0 ? 0 : slices.void / slices.measured)})`,
    ...Object.fromEntries(
      mostFirst(slices.byRule).map(([rule, n]) => [
        rule,
        `${formatCount(n)} discarded: ${slices.examples[rule] ?? ""}`,
      ]),
    ),
    disturbed: mostFirst(slices.disturbed)
      .map(([rule, n]) => `${rule} ${formatCount(n)}`)
      .join(", "),
    gate: describeGate(gate),
    code: `${run.commit.slice(0, 10)} as both builds, run ${run.id}, ${formatDuration(run.measuredMs)} measured`,
  };
}

function describeGate({ passed, medianMs, p90Ms, timeBudgetMs }: Profile["gate"]): string {
  if (medianMs === null || p90Ms === null) return "nothing is gated";
  return `when nothing changed it passes in ${formatShare(passed)} of runs, after ${formatDuration(medianMs)} (median; nine in ten within ${formatDuration(p90Ms)}; budget ${formatDuration(timeBudgetMs)})`;
}
