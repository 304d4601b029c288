// The shards' samples as those of one run; what a file has once, such as the host, is the first
// shard's. See docs/adr/0030.
import { asWritten } from "../base/as-written.ts";
import { UserError } from "../base/errors.ts";
import { type Config, ConfigSchema } from "../model/config.ts";
import type { Finding } from "../model/host.ts";
import { type RunEnd, RunEndSchema, referenceOf, type Samples } from "../model/samples.ts";
import { joined } from "../model/workload.ts";

export interface ShardSamples {
  name: string;
  samples: Samples;
}

export interface MergedShards {
  samples: Samples;
  /** Whether all machines are alike, which a comparison with stored values needs. */
  machines: "alike" | "different";
}

/**
 * The same in whatever order they are given. Refuses shards of different runs. A service that no
 * shard measured stays in `config`, and is judged as not measured.
 */
export function mergeShards(given: readonly ShardSamples[], config: Config): MergedShards {
  const shards = given.toSorted((a, b) => partOf(a).index - partOf(b).index);
  const [first, ...others] = shards;
  if (first === undefined) {
    throw new UserError("there is no shard to merge", {
      next: "Put what each shard measured into one folder, in a folder of its own.",
    });
  }
  const { of } = partOf(first);
  for (const other of others) refuseStranger(first, other);
  for (const shard of shards) refuseOtherConfiguration(shard, config);
  refuseTwice(shards);

  const all = shards.map((shard) => shard.samples);
  // Where nothing was measured no generator was looked for.
  const measured = all.filter(({ rounds }) => rounds.length > 0);
  const samples = measured[0] ?? first.samples;
  const fingerprints = new Set(
    (measured.length > 0 ? measured : all).map(({ host }) => JSON.stringify(host.fingerprint)),
  );
  const { rounds, continuedAfter } = inOrder(all);
  // A build that is not reproducible may be the same on one machine and not on another.
  const unchanged = uniqueBy(
    all.flatMap((one) => one.unchanged ?? []),
    ({ service }) => service,
  ).filter(({ service }) => !rounds.some((round) => round.service === service));
  const present = shards.map((shard) => partOf(shard).index);
  const lost = Array.from({ length: of }, (_, i) => i + 1).filter((i) => !present.includes(i));
  const machines = fingerprints.size === 1 ? "alike" : "different";
  // A profile is of one kind of machine, and each shard has its own services'.
  const auto = machines === "alike" ? all.map((one) => one.config.policy.autoMargins) : [];
  const policy = { ...config.policy, autoMargins: Object.assign({}, ...auto) };
  if (machines === "different" && samples.run.compare === "stored") {
    throw invalid("the shards were measured on different machines", {
      next: "Stored values are of one kind of machine: use one class of runner, or `compare: base`.",
    });
  }
  return {
    machines,
    samples: {
      ...samples,
      config: { ...config, policy, compare: samples.config.compare },
      run: {
        ...samples.run,
        startedAt: all.map(({ run }) => run.startedAt).sort()[0] ?? samples.run.startedAt,
        // They ran at the same time.
        measuredMs: Math.max(...all.map(({ run }) => run.measuredMs)),
        state: stateOf(all),
        ended: worstEnd(all),
        continuedAfter,
        shard: undefined,
        merged: { of, lost },
      },
      host: { ...samples.host, findings: findingsOf(all, fingerprints.size) },
      sources: sourcesOf(samples.sources, all),
      cpuSets: { ...samples.cpuSets, disjoint: all.every(({ cpuSets }) => cpuSets.disjoint) },
      artifacts: uniqueBy(
        all.flatMap(({ artifacts }) => artifacts),
        ({ arm, service, key, sha256 }) => [arm, service, key, sha256].join(),
      ),
      unchanged: unchanged.length === 0 ? undefined : unchanged,
      oneArm: joined(all.flatMap(({ oneArm = [] }) => oneArm)),
      dependencies: uniqueBy(
        all.flatMap(({ dependencies }) => dependencies ?? []),
        ({ name }) => name,
      ),
      rounds,
    },
  };
}

function partOf({ name, samples }: ShardSamples): NonNullable<Samples["run"]["shard"]> {
  const { shard } = samples.run;
  if (shard !== undefined) return shard;
  throw invalid(`${name} is no shard of a run`, {
    next: "Measure each shard as such: --shard 1/3.",
  });
}

/**
 * Fixed before any data: by session, then by index. Whether there is a round follows from what comes
 * before it, since a shard goes on by its own rounds, and all that are resumed by all sessions before.
 */
function inOrder(
  all: readonly Samples[],
): Pick<Samples, "rounds"> & Pick<Samples["run"], "continuedAfter"> {
  const sorted = all
    .flatMap(({ run: { continuedAfter: starts = [] }, rounds }) =>
      rounds.map((round, k) => ({ round, session: starts.filter((start) => start <= k).length })),
    )
    .sort((a, b) => a.session - b.session || a.round.index - b.round.index);
  const continuedAfter = sorted.flatMap(({ session }, k) =>
    session > (sorted[k - 1]?.session ?? session) ? k : [],
  );
  return { rounds: sorted.map(({ round }) => round), continuedAfter };
}

/** Replayed, each service has the commit of its own baseline as its reference. */
function sourcesOf(first: Samples["sources"], all: readonly Samples[]): Samples["sources"] {
  const { candidate, reference } = first;
  const others = all.flatMap(({ config, sources }) =>
    config.services.flatMap(({ name }) => {
      const own = referenceOf(sources, name);
      return own?.commit === reference?.commit ? [] : [[name, own] as const];
    }),
  );
  const references = others.length === 0 ? undefined : Object.fromEntries(others);
  return { candidate, reference, references };
}

function stateOf(all: readonly Samples[]): Samples["run"]["state"] {
  const states = new Set(all.map(({ run }) => run.state));
  if (states.has("failed")) return "failed";
  // A file that says "running" is of a run that was killed.
  return states.has("interrupted") || states.has("running") ? "interrupted" : "complete";
}

function worstEnd(all: readonly Samples[]): RunEnd {
  const ends = RunEndSchema.options;
  return ends[Math.max(...all.map(({ run }) => ends.indexOf(run.ended)))] ?? "failed";
}

function findingsOf(all: readonly Samples[], machines: number): Finding[] {
  const found = all.flatMap(({ host }) => host.findings);
  const text = `The run was measured in ${all.length} shards${machines === 1 ? " on machines of one kind" : `, on ${machines} kinds of machines; each round compares the builds on one of them, and the first one's facts are shown`}.`;
  const note: Finding = { id: "shards", level: "note", text, fix: null };
  return [note, ...uniqueBy(found, JSON.stringify)];
}

function uniqueBy<T>(facts: readonly T[], keyOf: (one: T) => string): T[] {
  return [...new Map(facts.map((one) => [keyOf(one), one])).values()];
}

function refuseStranger(first: ShardSamples, other: ShardSamples): void {
  const facts = ({ samples }: ShardSamples): Record<string, string> => ({
    "version of tailgate": samples.tool,
    "class of runner": samples.config.runner.class,
    "number of shards": String(samples.run.shard?.of),
    candidate: samples.sources.candidate.commit,
    "way to compare": samples.run.compare,
    reference: referenceFact(samples),
  });
  const others = facts(other);
  for (const [what, ours] of Object.entries(facts(first))) {
    if (ours === others[what]) continue;
    throw invalid(
      `the shards ${first.name} and ${other.name} are not of one run: the ${what} differs`,
      {
        detail: `${ours} and ${others[what]}`,
        next: "Give every shard the same inputs and the same checkout.",
      },
    );
  }
}

function referenceFact({ run, sources: { reference } }: Samples): string {
  if (reference === null) return "none";
  return run.compare === "replay" ? "of its baseline" : reference.commit;
}

/** Alpha is a shard's own share, and margins its machine's; all else must agree. */
function refuseOtherConfiguration({ name, samples }: ShardSamples, config: Config): void {
  const names = samples.config.services.map((service) => service.name);
  if (judgedBy(samples.config, names) === judgedBy(config, names)) return;
  throw invalid(`the shard ${name} was measured with another configuration than this checkout's`, {
    next: "Check out the same commit in the job that merges as in the shards.",
  });
}

function judgedBy(config: Config, services: readonly string[]): string {
  const { policy: whole, scenarios, ...rest } = asWritten(ConfigSchema, config);
  const { autoMargins: _, ...policy } = whole;
  return JSON.stringify([
    rest.services.filter(({ name }) => services.includes(name)),
    scenarios.filter(({ service }) => services.includes(service)),
    { ...policy, alpha: 0, timeBudgetMs: 0 },
  ]);
}

function refuseTwice(shards: readonly ShardSamples[]): void {
  for (const [k, shard] of shards.entries()) {
    const earlier = shards[k - 1];
    if (earlier === undefined || partOf(earlier).index !== partOf(shard).index) continue;
    throw invalid(`${earlier.name} and ${shard.name} are both shard ${partOf(shard).index}`, {
      next: "Upload every shard's artifact under a name of its own, and download only those of this run.",
    });
  }
}

function invalid(message: string, text: { detail?: string; next: string }): UserError {
  return new UserError(message, text, "invalid");
}
