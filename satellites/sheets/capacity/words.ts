// A capacity in words: the headline, what a reader has to know before believing it, and its cost.
import type {
  CapacityCaution,
  CapacityFacts,
  CapacityResult,
} from "../../../src/core/capacity/model.ts";
import { END_WORDS } from "../../../src/core/report/words/faults.ts";
import { formatRate } from "../../words/rate.ts";
import { costRows } from "./cost.ts";

type Limit = CapacityResult["launches"][number]["limit"];

export function describeCapacity(facts: CapacityFacts): CapacityResult {
  const { perCore, cost } = facts;
  return {
    ...facts,
    cost: { parameters: cost, rows: perCore === null ? [] : costRows(perCore, cost) },
    headline: headlineOf(facts),
    warnings: facts.cautions.map(describeCaution),
  };
}

function headlineOf({ scenario, settings, state, capacity, launches, run }: CapacityFacts): string {
  const within = `with a p99 of at most ${settings.objectiveUs / 1000} ms`;
  const limits = launches.filter((one) => one.state === "ended" && one.limit !== "service");
  const rate = formatRate(capacity?.estimate ?? null);
  switch (state) {
    case "found":
      return `${scenario.id} sustains ${rate} ${within}`;
    case "at-least":
      return `${scenario.id} sustains at least ${rate} ${within}, ${limitWords(limits.map(({ limit }) => limit))}`;
    case "below":
      return `${scenario.id} does not sustain ${rate} ${within}`;
    case "invalid": {
      const failed = launches.find((launch) => launch.state === "failed");
      if (failed !== undefined) return `no capacity of ${scenario.id}: ${failed.note}`;
      const disturbed = limits.find(({ limit }) => limit === "host");
      return disturbed === undefined
        ? `no capacity of ${scenario.id}: no launch was measured to its end (${END_WORDS[run.ended]})`
        : `no capacity of ${scenario.id}: the machine was disturbed (${disturbed.note})`;
    }
  }
}

function limitWords(limits: readonly Limit[]): string {
  if (limits.includes("generator")) return "limited by the generator";
  return limits.includes("host") ? "limited by a disturbed machine" : "the highest rate tried";
}

function describeCaution(caution: CapacityCaution): string {
  switch (caution.code) {
    case "launches": {
      const { counted, of, failed, ended } = caution;
      return `${counted} of ${of} launches count: ${failed > 0 ? `${failed} failed` : END_WORDS[ended]}`;
    }
    case "failure":
      return `${caution.text}\n${caution.detail}`.trimEnd();
    case "few-launches":
      return caution.launches === 1
        ? "one launch says nothing about others: an interval of 95 % takes 6 launches"
        : `the interval holds the median of launches with a chance of ${Math.floor(caution.level * 100)} % only: 95 % take 6 launches, and there are ${caution.launches}`;
    case "limited":
      return `in ${caution.limits.length} of ${caution.of} launches the search was ${limitWords(caution.limits)}: these count as "at least"`;
    case "idle-cpus":
      return `the service used only ${Math.round(caution.busyShare * 100)} % of its CPUs at its highest sustained rate: what holds it back is what it waits for (a dependency, a lock) or the ${caution.connections} connections of the scenario, and cores do not mend that`;
    case "short-slice": {
      const { sliceMs, objectiveUs } = caution;
      return `a try of ${sliceMs / 1000} s is short for an objective of ${objectiveUs / 1000} ms: a queue that grows for one try can stay within it at up to ${Math.round((objectiveUs / sliceMs / 1000) * 100)} % above capacity`;
    }
    case "shared-cpus":
      return "service and generator share a CPU: the capacity is that of both together";
  }
}
