// When a gate can be answered at the earliest, and a refusal of one that has no time for it.
import { UserError } from "../../core/base/errors.ts";
import { DURATION } from "../../core/config/units.ts";
import type { Config, Scenario } from "../../core/model/config.ts";
import { wholeId } from "../../core/model/mix.ts";
import type { RoundTime, TimeToAnswer } from "../../core/model/plan.ts";
import { loadTimeMs, roundTime } from "../../core/plan/round-time.ts";
import { fewestRounds, ruleOf } from "../../core/verdict/decide.ts";
import { gatedOf, type Hypothesis, listQuestions } from "../../core/verdict/hypotheses.ts";
import { ROUNDS_OF_NEW } from "../../core/verdict/judge.ts";
import { methodOf } from "../../core/verdict/slow.ts";

const MINUTE_MS = 60_000;
/** What is no clearer than its margin takes about twice the fewest rounds. */
const ROOM = 2;

/** One service whose questions are all answered alike, as soon as they can be. */
interface Part extends RoundTime {
  turnMs: number;
  pass: number;
  regress: number;
}

/** Ids of scenarios of which there is nothing to compare. */
type Fresh = ReadonlySet<string>;

/** The questions that may block: of what is new there is nothing but limits. */
export function blockingOf(
  { scenarios }: Config,
  fresh: Fresh,
  questions: readonly Hypothesis[],
): Hypothesis[] {
  const idsOf = ({ service, scenario, among }: Hypothesis): readonly string[] =>
    scenario !== null
      ? [wholeId(scenario)]
      : (among ?? scenarios.flatMap((one) => (one.service === service ? one.id : [])));
  return gatedOf(questions).filter(({ against, ...one }) => {
    const [ids, isOfAny] = [idsOf(one), one.among !== undefined];
    const isNew = isOfAny ? ids.some((id) => fresh.has(id)) : ids.every((id) => fresh.has(id));
    return against === "limit" || !isNew;
  });
}

/** `shards`: over which the rounds are divided. `waitMs`: for a service's start; 0: not known. */
interface Run {
  fresh?: Fresh;
  shards?: number;
  waitMs?: (service: string) => number;
}

/** Null: nothing is gated. */
export function timeToAnswer(config: Config, run: Run = {}): TimeToAnswer | null {
  const parts = partsOf(config, run);
  if (parts.length === 0) return null;
  // A service that has passed takes no more turns.
  const total = (of: (part: Part) => number): number =>
    parts.reduce((sum, part) => sum + of(part), 0);
  const canFail = parts.filter(({ regress }) => regress < Infinity);
  if (canFail.length === 0) return null;
  const regressMs = canFail.map((red) =>
    total((part) => part.turnMs * (part === red ? red.regress : Math.min(part.pass, red.regress))),
  );
  return {
    rounds: {
      pass: Math.max(...parts.map(({ pass }) => pass)),
      regress: Math.max(...canFail.map(({ regress }) => regress)),
    },
    turn: { loadMs: total(({ loadMs }) => loadMs), otherMs: total(({ otherMs }) => otherMs) },
    minutes: {
      pass: total(({ pass, turnMs }) => pass * turnMs) / MINUTE_MS,
      regress: Math.max(...regressMs) / MINUTE_MS,
    },
  };
}

/** The services of which anything is gated, or is new and loaded for its values. */
function partsOf(config: Config, { fresh = new Set(), shards = 1, waitMs = () => 0 }: Run): Part[] {
  const gated = blockingOf(config, fresh, listQuestions(config));
  return config.services.flatMap((service) => {
    const fewest = gated
      .filter((hypothesis) => hypothesis.service === service.name)
      .map((hypothesis) => {
        const rule = ruleOf(hypothesis.policy, config.policy, gated.length);
        return fewestRounds(rule, methodOf(hypothesis, rule));
      });
    const scenarios = config.scenarios.filter((scenario) => scenario.service === service.name);
    const shared = scenarios.filter(({ id }) => !fresh.has(id));
    const fewestOfNew = shared.length < scenarios.length ? ROUNDS_OF_NEW : 0;
    if (fewest.length + fewestOfNew === 0) return [];
    // What is new loads one of the two arms.
    const [all, both] = [scenarios, shared].map((those) => roundTime(service, those));
    const mean = (of: keyof RoundTime): number => ((all?.[of] ?? 0) + (both?.[of] ?? 0)) / 2;
    const turn = { loadMs: mean("loadMs"), otherMs: mean("otherMs") + 2 * waitMs(service.name) };
    const pass = Math.ceil(Math.max(fewestOfNew, ...fewest.map(({ pass }) => pass)) / shards);
    const regress = Math.ceil(Math.min(...fewest.map(({ regress }) => regress)) / shards);
    return { ...turn, turnMs: turn.loadMs + turn.otherMs, pass, regress };
  });
}

/**
 * Throws where a verdict cannot come within the time budget, however fast services start. `detail`:
 * what is shown beside it.
 */
export function refuseTooLittleTime(
  config: Config,
  { detail, shards }: Pick<Run, "shards"> & { detail?: string } = {},
): void {
  const time = timeToAnswer(config, { shards });
  const budget = config.policy.timeBudgetMs / MINUTE_MS;
  if (time === null) return;
  const { rounds, minutes, turn } = time;
  const late = minutes.pass > minutes.regress ? "pass" : "regress";
  if (minutes[late] <= budget) return;
  const what = late === "pass" ? "a pass" : "a regression";
  const shorter = `, or shorten \`slice\` of the scenario ${longest(config.scenarios)}, which takes most of it`;
  const enough = DURATION.format(Math.ceil(ROOM * minutes[late]) * MINUTE_MS);
  throw new UserError(
    `${rounds[late]} rounds, the fewest for ${what}, take ${minutes[late].toFixed(1)} minutes, more than the time budget of ${DURATION.format(config.policy.timeBudgetMs)}`,
    {
      detail,
      next: `In tailgate.yml write \`policy: { timeBudget: ${enough} }\`${turn.loadMs < turn.otherMs ? "" : shorter}.`,
    },
  );
}

function longest(scenarios: readonly Scenario[]): string {
  const msOf = new Map<string, number>();
  for (const one of scenarios) msOf.set(one.name, (msOf.get(one.name) ?? 0) + loadTimeMs(one));
  return [...msOf].reduce((most, next) => (next[1] > most[1] ? next : most), ["", 0])[0];
}
