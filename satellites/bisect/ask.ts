// What a person asks a bisection: which commits, which service, which metrics.
import { UserError } from "../../src/core/base/errors.ts";
import { suggestOneOf } from "../../src/core/base/nearest.ts";
import type { BisectOptions, BisectQuestion } from "../../src/core/model/bisect.ts";
import type { Config } from "../../src/core/model/config.ts";

const METRICS = ["p99", "rss", "cpuPer1k"];

/** A good and a bad commit; two dots without a bad one end at HEAD. */
export function parseRange(range: string): [string, string] {
  const [good = "", bad = "", more] = range.split("..");
  const isRange = good !== "" && range.includes("..") && more === undefined;
  // Three dots are another range of git's.
  if (isRange && !bad.startsWith(".")) return [good, bad || "HEAD"];
  throw new UserError(`tailgate bisect ${range}: expected a good and a bad commit`, {
    next: "Such as: tailgate bisect v1.2..main",
  });
}

/** One service, with the scenarios that are asked for. */
export function chooseService(
  { services, scenarios: all }: Pick<Config, "services" | "scenarios">,
  { scenario }: Pick<BisectOptions, "scenario">,
) {
  const scenarios = all.filter(
    ({ id, name }) => scenario === null || id === scenario || name === scenario,
  );
  const [service, another] = services.filter(({ name }) =>
    scenarios.some((one) => one.service === name),
  );
  const known = all.map(({ id }) => id);
  if (service === undefined) {
    const next = suggestOneOf(scenario ?? "", known);
    throw new UserError(`--scenario ${scenario}: there is no such scenario`, { next });
  }
  if (another === undefined) return { service, scenarios };
  throw new UserError("tailgate bisect is of one service at a time", {
    next: `Name it by --service, or by one of its scenarios: --scenario ${known.join(", ")}.`,
  });
}

/** Of a p99 that is estimated in two ways the first, which is the typical one where it can be. */
export function chooseQuestions<Q extends BisectQuestion>(
  all: readonly Q[],
  { metric }: Pick<BisectOptions, "metric">,
): Q[] {
  const wanted = all.filter(({ policy }) =>
    metric === null ? METRICS.includes(policy.metric) : policy.metric === metric,
  );
  const alike = Map.groupBy(wanted, ({ scenario, policy }) => `${scenario} ${policy.metric}`);
  if (alike.size === 0) {
    const next = "What can become worse is what a gate fails for: metrics with level: gate.";
    throw new UserError(`no ${metric ?? METRICS.join(", ")} is gated here`, { next });
  }
  return [...alike.values()].flatMap((some) => some.slice(0, 1));
}

/** Of files that are a service's own, in what `git diff-tree --numstat -z` prints. */
export function linesIn(numstat: string, isOwn: (path: string) => boolean): number {
  const files = numstat.split("\0").map((line) => line.split("\t"));
  const own = files.filter(([, , path]) => path !== undefined && isOwn(path));
  // Of a binary file it prints dashes.
  return own.reduce((sum, [more, less]) => sum + (Number(more) + Number(less) || 1), 0);
}
