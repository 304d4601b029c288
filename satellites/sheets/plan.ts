// What a run would do and how long it would take, as text and as a value.
import type { Config, Dependency, Transport } from "../../src/core/model/config.ts";
import type { PlanFacts } from "../../src/core/model/plan.ts";
import type { Expectation, RunnerFacts } from "../../src/core/model/profile.ts";
import { autoMargins } from "../../src/core/report/words/cautions.ts";
import { describeOneArm } from "../../src/core/report/words/verdict.ts";
import { formatDuration, formatFraction } from "../../src/core/text/format.ts";
import { compilesIn } from "../words/compiles.ts";

export function tellPlan(facts: PlanFacts) {
  const value = planValue(facts);
  return { value, text: renderPlan(value, facts) };
}

type PlanValue = ReturnType<typeof planValue>;

function planValue({ config, dependencies, scenarios, ...facts }: PlanFacts) {
  const { oneArm, hypotheses, earliest, runner } = facts;
  const spokenTo = (wanted: string): string | null =>
    transportWords(config.services.find(({ name }) => name === wanted)?.recipe.transport);
  return {
    /** Started once, before the first round. */
    dependencies: dependencies.map((dependency) => ({
      name: dependency.name,
      what: whatIs(dependency),
      settings: dependency.kind === "postgresql" ? facts.postgresqlSettings : {},
    })),
    scenarios: scenarios.map((scenario) => ({
      id: scenario.id,
      rateRps: scenario.rateRps,
      connections: scenario.connections,
      /** Null: HTTP/1.1 over TCP, without TLS. */
      transport: spokenTo(scenario.service),
      slices: `${scenario.slice.pairs} × ${scenario.slice.durationMs} ms`,
      requestsPerArmRound: scenario.requestsPerArmRound,
    })),
    oneArm,
    hypotheses,
    earliest,
    latestEndMinutes: config.policy.timeBudgetMs / 60_000,
    /** What makes each launch slow. */
    launches: describeCompilers(config, facts.started),
    runner,
  };
}

/** A line for each service whose start compiles it anew: both arms wait for that in each round. */
function describeCompilers({ services }: Config, started: PlanFacts["started"]): string[] {
  return services.flatMap(({ name, recipe }) => {
    const [run, script = ""] = [recipe.run.join(" "), started.get(name)];
    const better = compilesIn(script, name);
    if (better === null) return [];
    const what = script === run ? "" : `is "${script}", which `;
    return better.build === null
      ? [`${name}: "${run}" ${what}watches its files: as run "${better.run}" it does not`]
      : [
          `${name}: "${run}" ${what}compiles at each launch: do that in build ("${better.build}"), and let run start what it makes ("${better.run}")`,
        ];
  });
}

/** `HTTP/2 over TLS`, `HTTP/1.1 over a unix socket`. */
function transportWords(transport: Transport | undefined): string | null {
  if (transport === undefined) return null;
  const { protocol, socket, tls } = transport;
  const over = socket ? " over a unix socket" : tls === null ? "" : " over TLS";
  return `${protocol === "http1" ? "HTTP/1.1" : "HTTP/2"}${over}`;
}

function whatIs(dependency: Dependency): string {
  switch (dependency.kind) {
    case "postgresql": {
      const { schema, dir, isolation = "separate" } = dependency;
      const by = [...schema, ...seedOf(dependency)].join(", ") || "nothing";
      return `PostgreSQL, seeded by ${by} in ${dir}; ${isolation}`;
    }
    case "redis": {
      const by = seedOf(dependency).join("");
      if (dependency.isolation === "shared") return `Redis, seeded by ${by || "nothing"}; shared`;
      return by === ""
        ? "Redis, emptied before each launch"
        : `Redis, seeded by ${by} before each launch`;
    }
    case "program":
      return `program in ${dependency.recipe.dir}, of the candidate's commit`;
  }
}

function seedOf({ seed }: Extract<Dependency, { kind: "postgresql" | "redis" }>): string[] {
  if (seed === undefined) return [];
  return [seed.kind === "service" ? seed.service : seed.command.join(" ")];
}

function renderDependencies({ dependencies }: PlanValue): string[] {
  if (dependencies.length === 0) return [];
  const width = Math.max(...dependencies.map(({ name }) => name.length));
  return [
    "Dependencies (started once, before the first round)",
    ...dependencies.flatMap(({ name, what, settings }) => {
      const shown = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
      const line = `  ${name.padEnd(width)}  ${what}`;
      return shown.length === 0 ? [line] : [line, `  ${" ".repeat(width)}  ${shown.join(" ")}`];
    }),
    "",
  ];
}

const BESIDE =
  "  (what the reference does not answer is loaded alone; what changed is asked for as each commit has it)";

function renderPlan(plan: PlanValue, { config, names }: PlanFacts): string {
  const width = Math.max(...plan.scenarios.map(({ id }) => id.length));
  const margins = autoMargins(config);
  const nameOf = (id: string): string => names.get(id) ?? id;
  const beside = describeOneArm(plan.oneArm);
  return [
    ...renderTime(plan),
    ...plan.launches,
    "",
    ...renderDependencies(plan),
    "Scenarios (each loads both builds in turn, for each round)",
    ...plan.scenarios.map(
      (scenario) =>
        `  ${scenario.id.padEnd(width)}  ${scenario.rateRps}/s over ${scenario.connections} connections${scenario.transport === null ? "" : ` (${scenario.transport})`}, ${scenario.slices}, ${scenario.requestsPerArmRound} requests a build`,
    ),
    "",
    ...(beside === "" ? [] : [`Beside the reference: ${beside}`, BESIDE, ""]),
    `Gated questions: ${plan.hypotheses.length}, sharing a false-alarm chance of ${config.policy.alpha * 100} %`,
    ...plan.hypotheses.map((id) => `  ${margins.get(id) ?? nameOf(id)}`),
    ...describeExpectations(plan.runner, nameOf),
  ].join("\n");
}

/** The answer, and then what it comes from. */
function renderTime({ earliest, latestEndMinutes, runner }: PlanValue): string[] {
  const usual = runner === null || runner.unusable !== null ? null : runner.gateMs;
  const most = `${latestEndMinutes.toFixed(0)} minutes; builds come on top, and slow starts that no run here has seen`;
  const often = usual === null ? [] : [`About ${formatDuration(usual)} when nothing changed`];
  if (earliest === null) return [...often, `At most ${most}`];
  const { rounds, turn, minutes } = earliest;
  const seconds = (ms: number): string => (ms / 1000).toFixed(1);
  const after = (end: "pass" | "regress"): string =>
    `after ${minutes[end].toFixed(1)} minutes (${rounds[end]} rounds)`;
  return [
    ...often,
    `A pass at the earliest ${after("pass")}, a regression ${after("regress")}; at most ${most}`,
    `One round of everything: ${seconds(turn.loadMs)} s of load, ${seconds(turn.otherMs)} s beside it`,
  ];
}

/**
 * What each gated metric takes when nothing changed, and what cannot be shown. `nameOf`: a
 * hypothesis, by its id.
 */
export function describeExpectations(
  runner: RunnerFacts | null,
  nameOf: (id: string) => string,
): string[] {
  if (runner === null) {
    return [
      "",
      "This class of runner is not calibrated: tailgate calibrate measures what it can show",
    ];
  }
  const when = `Calibrated ${runner.calibratedAt.slice(0, 10)} over ${runner.rounds} rounds`;
  if (runner.unusable !== null)
    return ["", `${when}, which does not count here: ${runner.unusable}`];
  const width = Math.max(...runner.expectations.map(({ id }) => nameOf(id).length));
  return [
    "",
    when,
    ...runner.expectations.map(
      (expected) => `  ${nameOf(expected.id).padEnd(width)}  ${describeExpectation(expected)}`,
    ),
  ];
}

function describeExpectation({ sd, rounds, passMs, margin, kept }: Expectation): string {
  const noise = `sd ${sd.toFixed(3)}`;
  if (!kept) {
    const instead = margin === null ? "" : `; it can show ${formatFraction(margin)}`;
    return `${noise}, closer than this runner can show: expect inconclusive${instead}`;
  }
  if (rounds === null || passMs === null) return `${noise}, within what this runner can show`;
  return `${noise}, passes after ${rounds} rounds (${formatDuration(passMs)} of its service)`;
}
