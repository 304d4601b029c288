// The rounds of a prepared run, whatever its arms are: the rotation, with the machine behind it.
import { UserError } from "../../core/base/errors.ts";
import { DURATION } from "../../core/config/units.ts";
import type { Baseline } from "../../core/model/baseline.ts";
import type { Config, Recipe, Scenario, Service } from "../../core/model/config.ts";
import { policiesOf, serviceNamed } from "../../core/model/config.ts";
import { sharingConnections } from "../../core/model/load-rules.ts";
import type { Metric } from "../../core/model/metric.ts";
import { type Answer, ARMS, type Arm, type Round, type Samples } from "../../core/model/samples.ts";
import { answerSize } from "../../core/report/words/faults.ts";
import { plainLine } from "../../core/text/escape.ts";
import { runRound } from "../../machine/run/round.ts";
import { Unshared } from "../../machine/run/round-context.ts";
import type { ServiceTarget } from "../../machine/run/service/launch.ts";
import type { RunPlace } from "../machine/prepared-run.ts";
import type { Environment } from "../settings.ts";
import { type Rotation, rotate } from "./rotation.ts";
import { describeTurn } from "./turn.ts";

/** The samples are as begun, or as an earlier session left them. */
interface RoundsRequest
  extends Pick<Rotation, "goal" | "samples" | "baselines" | "history" | "keep"> {
  place: RunPlace;
  targets(service: string): Partial<Record<Arm, ServiceTarget>>;
  /** What the reference's configuration has otherwise, by id; null: nothing of this name. */
  own: ReadonlyMap<string, Scenario | null>;
}

export async function measureRounds(
  { place, targets, own, ...asked }: RoundsRequest,
  { clock, abort, progress }: Environment,
): Promise<Samples> {
  const { goal, samples, baselines } = asked;
  const { config } = samples;
  const runStartMs = clock.nowMs() - samples.run.measuredMs;
  const killed = new Set<string>();
  const unshared = new Unshared(own, samples.rounds);
  const elapsedMs = (): number => clock.nowMs() - runStartMs;
  return await rotate({
    ...asked,
    abort,
    elapsedMs,
    onTurn: (state) => progress.note(describeTurn(state, elapsedMs(), goal)),
    runOne: async (plan, scenarios) => {
      const service = serviceNamed(config, plan.service);
      const round = await runRound(plan, {
        ...place,
        targets: targets(plan.service),
        scheme: service.scheme,
        memoryRequests: service.memory?.requests,
        settlesIdle: settlesIdle(config, service, scenarios),
        scenarios,
        unshared,
        errorBudget: config.policy.errorBudget,
        runStartMs,
        timeBudgetMs: config.policy.timeBudgetMs,
        onAnswers: (scenario, answers) => {
          const line = describeFirst(scenario, answers);
          if (line !== null) progress.note(place.secrets.mask(line));
        },
        onKilled: (stop) => {
          if (!killed.has(plan.service)) progress.note(describeKilled(plan.service, stop));
          killed.add(plan.service);
        },
      });
      refuseWrongRequest(round, samples, baselines);
      return round;
    },
  });
}

/** Null: no answer was kept, as where paths are drawn from a pattern. */
export function describeFirst(
  scenario: string,
  answers: Partial<Record<Arm, Answer>>,
): string | null {
  const seen = ARMS.flatMap((arm) => {
    const answer = answers[arm];
    return answer === undefined
      ? []
      : [{ arm, words: plainLine(`${answer.status}, ${answerSize(answer)}`) }];
  });
  const [first, second] = seen;
  if (first === undefined) return null;
  const words =
    first.words === second?.words
      ? `${first.words} from both builds`
      : seen.map(({ arm, words }) => `${words} from the ${arm}`).join("; ");
  return `${scenario}: ${words}`;
}

export function describeKilled(service: string, { signal, graceMs }: Recipe["stop"]): string {
  const other = signal === "SIGTERM" ? "SIGINT" : "SIGTERM";
  return `${service} did not end within ${DURATION.format(graceMs)} of ${signal} and was killed; every stop waits that long: let it end at ${signal}, or write \`stop: { signal: ${other} }\` or \`stop: { grace: 100ms }\` in tailgate.yml`;
}

/** `status`: of a wrong first answer; absent: there was none. */
export function adviseOnAnswer(scenario: string, status?: number | null): string {
  if (status === 429) {
    return "The service limits requests: lift its limit for the measurement, by `env` of the service in tailgate.yml.";
  }
  if (status == null || status === 503) {
    return "The service was not ready for this request: name in `ready` a path that it answers with 2xx once it serves, or give it longer by `ready.timeout`.";
  }
  return `Correct \`request\` of the scenario ${scenario} in tailgate.yml, or set its \`expect\` to ${status} if that is right.`;
}

/** Whether anybody judges idle memory, by itself or in what connections cost. */
function settlesIdle({ policy }: Config, service: Service, scenarios: readonly Scenario[]) {
  const policies = policiesOf(policy.metrics, service);
  const isJudged = (wanted: Metric): boolean =>
    policies.some(
      ({ metric, level, max }) => metric === wanted && (level !== "info" || max !== undefined),
    );
  return (
    isJudged("rssIdle") || (isJudged("rssPerConnection") && sharingConnections(scenarios) !== null)
  );
}

/**
 * A first answer that is wrong in the reference too, or that no reference ever gave, is a wrong
 * request, as is one that the change wrote itself. Where the candidate's alone is wrong, and what it
 * is compared with was right, the change broke it: that is the verdict's to say.
 */
function refuseWrongRequest(
  { index, scenarios, ...round }: Round,
  { config, sources, run }: Samples,
  baselines: readonly Baseline[],
): void {
  const isFirst = index < (run.shard?.parts ?? 1);
  const moved = scenarios.filter((one) => isFirst && one.referenceAsked !== undefined);
  const failure = round.failure ?? moved.find((one) => one.failure?.kind === "answer")?.failure;
  if (failure?.kind !== "answer") return;
  const entry = scenarios.find(({ scenario }) => scenario === failure.scenario);
  const hasStored = sources.reference === null && baselines.length > 0;
  const isCompared = hasStored || entry?.arms.reference != null;
  const isMoved = moved.some((one) => one === entry);
  if (failure.arm === "candidate" && isCompared && !isMoved) return;
  const name = config.scenarios.find(({ id }) => id === failure.scenario)?.name ?? "";
  const status = entry?.answers?.[failure.arm ?? "candidate"]?.status;
  const { text, detail } = failure;
  throw new UserError(text, { detail, next: adviseOnAnswer(name, status) });
}
