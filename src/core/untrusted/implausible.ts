// What a schema cannot say of samples: that they are judged in bounded time, that a name means one
// thing, that nothing is there twice or for the wrong arm, and that what counts may count. Accidents
// look like this. Numbers are believed: those of a file that lies everywhere alike look like any.
import { showValue } from "../base/show-value.ts";
import { MOST_ENTRIES, type Scenario } from "../model/config.ts";
import { isPart, withParts } from "../model/mix.ts";
import {
  ARMS,
  type Round,
  type Samples,
  type ScenarioRound,
  type Slice,
} from "../model/samples.ts";
import { voidReason } from "../slice/validity.ts";

/** More than any honest run has. */
const MAX_COUNTS = { ...MOST_ENTRIES, findings: 100, artifacts: 400, unchanged: 100 };

/** Of one service: more than are looked at, since a run may want more. */
export const MAX_ROUNDS = 400;

/** Longer than any honest name. */
const MAX_NAME_LENGTH = 1000;

/** In words, with the place; null: nothing is wrong. */
export function implausible(samples: Samples): string | null {
  return (
    tooMany(samples) ??
    misnamed(samples) ??
    misplaced(samples) ??
    mistimed(samples) ??
    idle(samples)
  );
}

function tooMany({ config, host: { findings }, artifacts, unchanged = [] }: Samples) {
  const lists = { ...config, findings, artifacts, unchanged };
  for (const what of Object.keys(MAX_COUNTS) as (keyof typeof MAX_COUNTS)[]) {
    const { length } = lists[what];
    if (length > MAX_COUNTS[what])
      return `${length} ${what}, at most ${MAX_COUNTS[what]} are taken`;
  }
  return null;
}

function misnamed({ config, rounds, unchanged = [] }: Samples): string | null {
  const ids = withParts(config.scenarios).map(({ id }) => id);
  const services = config.services.map(({ name }) => name);
  const twice = duplicate(ids) ?? duplicate(services);
  if (twice !== null) return `${showValue(twice)} is configured twice`;
  if ([...ids, ...services].some((name) => name.length > MAX_NAME_LENGTH)) {
    return `a name is longer than ${MAX_NAME_LENGTH} characters`;
  }
  const odd = config.scenarios.find(({ id, service, name }) => id !== `${service}/${name}`);
  if (odd !== undefined) return `the scenario ${showValue(odd.id)} is not named after its service`;
  // They stand around the name of a part.
  const bracketed = config.scenarios
    .flatMap(({ id, mix = [] }) => [id, ...mix.map(({ name }) => name)])
    .find((name) => /[[\]]/.test(name));
  if (bracketed !== undefined) return `${showValue(bracketed)} has brackets in its name`;
  const same = unchanged.map(({ service }) => service);
  const odder =
    duplicate(same) ??
    same.find((name) => !services.includes(name) || rounds.some(({ service }) => service === name));
  return odder == null
    ? null
    : `${showValue(odder)} is unchanged and measured, unknown or named twice`;
}

function misplaced({ config, rounds, run }: Samples): string | null {
  const known = new Map(withParts(config.scenarios).map((one) => [one.id, one]));
  const { errorBudget } = config.policy;
  const again = duplicate(rounds.map(nameOf));
  if (again !== null) return `${again} stands twice`;
  const seen = new Map<string, string>();
  for (const round of rounds) {
    const wrong =
      misplacedIn(round, known, run.compare === "stored") ??
      round.scenarios
        .map((one) => countsWrongly(one, known, errorBudget))
        .find((it) => it !== null);
    if (wrong != null) return `${nameOf(round)}${wrong}`;
    // No two rounds answer alike to a tenth of a microsecond.
    const answers = round.scenarios.flatMap(({ slices }) => slices.map(({ latency }) => latency));
    if (answers.every((latency) => latency === null)) continue;
    const alike = round.scenarios.find(({ slices }) => answeredAlike(slices));
    if (alike !== undefined) {
      return `${nameOf(round)}, ${showValue(alike.scenario)}: both builds' latencies are the same number for number`;
    }
    const numbers = JSON.stringify([round.service, answers, round.launches]);
    const earlier = seen.get(numbers);
    if (earlier !== undefined) return `${nameOf(round)} repeats ${earlier} number for number`;
    seen.set(numbers, nameOf(round));
  }
  return null;
}

/** Of one arm alone it cannot be said. */
function answeredAlike(slices: readonly Slice[]): boolean {
  const [own, other] = ARMS.map((arm) =>
    slices.filter((slice) => slice.arm === arm).map(({ latency }) => latency),
  );
  const isMeasured = other?.some((latency) => latency !== null);
  return isMeasured === true && JSON.stringify(own) === JSON.stringify(other);
}

/** One machine measures one round after the other; of several that were joined each has its own clock. */
function mistimed({ rounds, run }: Samples): string | null {
  let earlier: Round | undefined;
  for (const round of rounds) {
    const { startedAtMs, endedAtMs, scenarios } = round;
    const isLoaded = scenarios.some(({ slices }) => slices.length > 0);
    if (endedAtMs < startedAtMs || (isLoaded && endedAtMs === startedAtMs)) {
      return `${nameOf(round)} ends when it begins, or before`;
    }
    if (run.merged === undefined && earlier !== undefined && startedAtMs < earlier.endedAtMs) {
      return `${nameOf(round)} begins before ${nameOf(earlier)} ends`;
    }
    earlier = round;
  }
  return null;
}

/** Where every service is the same in both arms nothing is measured, and the run is complete. */
function idle({ config, rounds, run, artifacts, unchanged = [] }: Samples): string | null {
  const isAll = rounds.length === 0 && unchanged.length === config.services.length;
  if (isAll && (run.measuredMs > 0 || run.ended !== "answered")) {
    return `every service is unchanged, but the run took ${run.measuredMs} ms and ended: ${run.ended}`;
  }
  const built = unchanged.find(({ service, by }) => {
    const [own, other] = ARMS.map((arm) =>
      artifacts.flatMap((one) => (one.arm === arm && one.service === service ? one.sha256 : [])),
    );
    return by === "artifact" && !own?.some((sha256) => other?.includes(sha256));
  });
  return built === undefined
    ? null
    : `${showValue(built.service)} is unchanged by its artifacts, and they are not the same`;
}

function nameOf({ index, service }: Round): string {
  return `round ${index} of ${showValue(service)}`;
}

/** `alone`: the candidate was measured without a reference. */
function misplacedIn(
  { scenarios, launches }: Round,
  known: ReadonlyMap<string, Scenario>,
  alone: boolean,
): string | null {
  const others = alone
    ? " has a reference, but the run measured the candidate alone"
    : " has no reference, but the run measured one";
  const ids = scenarios.map(({ scenario }) => scenario);
  const again = duplicate(ids);
  if (again !== null) return ` has the scenario ${showValue(again)} twice`;
  const stranger = ids.find((id) => !known.has(id));
  if (stranger !== undefined) {
    return ` has the scenario ${showValue(stranger)}, which is not configured`;
  }
  // What is new has none; the base branch's scenarios are not (see verdict-for-base.ts).
  const isNew = scenarios.length > 0 && scenarios.every(({ arms }) => arms.reference === null);
  if (launches !== null && (launches.reference === null) !== (alone || isNew)) return others;
  for (const { scenario, arms, slices } of scenarios) {
    const here = `, ${showValue(scenario)}`;
    const isAlone = arms.reference === null;
    const isOfOther = isAlone && slices.some(({ arm }) => arm === "reference");
    if ((alone && !isAlone) || isOfOther) return `${here}${others}`;
    const tries = slices.map(
      ({ pair, attempt, arm }) => `pair ${pair}, try ${attempt} of the ${arm}`,
    );
    const twice = duplicate(tries);
    if (twice !== null) return `${here}: ${twice} stands twice`;
  }
  return null;
}

/** Slices that count although the rule for what counts says no. The parts of a mix count together. */
function countsWrongly(
  { scenario: id, slices }: ScenarioRound,
  known: ReadonlyMap<string, Scenario>,
  errorBudget: number,
): string | null {
  const scenario = known.get(id);
  if (scenario === undefined || isPart(id)) return null;
  for (const [k, slice] of slices.entries()) {
    const reason = slice.void === null ? voidReason(slice, scenario, errorBudget) : null;
    if (reason !== null) {
      return `, ${showValue(id)}, slices[${k}] (${slice.arm}) counts although ${reason.detail}`;
    }
  }
  return null;
}

function duplicate(names: readonly string[]): string | null {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size) ?? null;
}
