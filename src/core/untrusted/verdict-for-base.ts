// The verdict on a pull request's samples by the base branch's terms; only the samples' numbers are
// trusted.
import { withAutoMargins } from "../calibration/auto-margin.ts";
import type { Baseline } from "../model/baseline.ts";
import type { Config, Waiver } from "../model/config.ts";
import type { Fault } from "../model/fault.ts";
import type { HistoryRecord } from "../model/history.ts";
import type { Profile } from "../model/profile.ts";
import type { Report } from "../model/report.ts";
import type { Round, Samples, Source } from "../model/samples.ts";
import type { BaseNote } from "../model/verdict.ts";
import { shortCommit } from "../report/provenance.ts";
import { describeNote } from "../report/words/cautions.ts";
import { describeRun } from "../report/words/verdict.ts";
import { MOST_ROUNDS } from "../verdict/futility.ts";
import { newScenarios } from "../verdict/hypotheses.ts";
import { judge } from "../verdict/judge.ts";
import { baselinesFor } from "../verdict/stored.ts";
import { admitWaivers } from "../verdict/waiver-outcome.ts";
import { configForBase } from "./base-config.ts";
import { type Problem, problem } from "./problem.ts";

export interface BaseTerms {
  /** Request bodies are compared by content where it was read with its files, else by path. */
  config: Config;
  baselines: readonly Baseline[];
  /** Of the base branch, for margins that are `auto`; null: it has none. */
  profile: Profile | null;
  history: readonly HistoryRecord[];
  expected: ExpectedCommits;
  /** Of the change's own configuration, read from GitHub; null: a fork brings none. */
  waivers: readonly Waiver[] | null;
  /** ISO 8601, by our own clock: the age of a baseline is counted to here. */
  now: string;
}

/** Full commit ids, from the event or the API and never from the artifact. */
export interface ExpectedCommits {
  /** Commits that may have been measured: the head, and GitHub's merge commit. */
  candidates: readonly string[];
  /** Commits that may be the reference. */
  references: readonly string[];
}

interface BaseVerdict {
  kind: "verdict";
  report: Report;
  /** Services that the job claims to be the same in both arms, where the claim can count. */
  unchanged: NonNullable<Samples["unchanged"]>;
  /** What a reader should know: what is missing, what was overruled. Foreign text. */
  notes: string[];
}

export function verdictForBase(samples: Samples, terms: BaseTerms): BaseVerdict | Problem {
  const { baselines, history, expected, now } = terms;
  // Of the samples only which machine it was, as for stored values; several unlike ones have none.
  const { autoMargins = {} } = samples.config.policy;
  const isMixed = samples.run.merged !== undefined && Object.keys(autoMargins).length === 0;
  const profile = isMixed ? null : terms.profile;
  const base = withAutoMargins(terms.config, profile, samples.host.fingerprint);
  const { candidate } = samples.sources;
  if (!isOneOf(candidate, expected.candidates)) {
    return problem(
      `the samples are of commit ${shortCommit(candidate.commit)}, but the run was for ${expected.candidates.map(shortCommit).join(" or ")}`,
    );
  }
  const strange = unrelatedReference(samples, terms);
  if (strange !== null) return problem(strange);
  const alone = newScenarios(samples);
  const escaped = base.scenarios.find(({ id }) => alone.has(id));
  if (escaped !== undefined) {
    return problem(
      `the samples have no reference for ${escaped.id}, which the base branch's configuration has`,
    );
  }

  const { config, faults, notes } = configForBase(base, samples);
  const ended = samples.run.state !== "running";
  const rounds = firstRounds(samples.rounds, MOST_ROUNDS);
  const unchanged = believable(samples, config, faults);
  const judged: Samples = {
    ...samples,
    config,
    rounds,
    unchanged,
    // A killed run has ended: what is not measured is missing.
    run: { ...samples.run, state: ended ? samples.run.state : "interrupted" },
  };
  const waivers = admitWaivers(base.waivers, terms.waivers);
  const verdict = judge({ samples: judged, baselines, history, now, faults, waivers });
  const allNotes: BaseNote[] = [
    ...notes,
    ...(rounds.length < samples.rounds.length ? [{ code: "more-rounds" as const }] : []),
    ...(ended ? [] : [{ code: "killed" as const }]),
  ];
  return {
    kind: "verdict",
    report: describeRun(judged, verdict),
    unchanged,
    notes: allNotes.map(describeNote),
  };
}

/** Bounds the time that judging takes. */
function firstRounds(rounds: readonly Round[], most: number): Round[] {
  const taken = new Map<string, number>();
  return rounds.filter(({ service }) => {
    const count = (taken.get(service) ?? 0) + 1;
    taken.set(service, count);
    return count <= most;
  });
}

/**
 * That a service is unchanged is the job's claim; it counts only with a reference and without
 * faults.
 */
function believable({ unchanged = [], sources }: Samples, config: Config, faults: Fault[]) {
  if (sources.reference === null || faults.some(({ scenario }) => scenario === null)) return [];
  return unchanged.filter(
    ({ service }) =>
      config.services.some(({ name }) => name === service) &&
      !config.scenarios.some(
        (own) => own.service === service && faults.some(({ scenario }) => scenario === own.id),
      ),
  );
}

/** The pull request could choose a slow reference. */
function unrelatedReference({ run, sources }: Samples, terms: BaseTerms): string | null {
  const { reference } = sources;
  switch (run.compare) {
    case "stored":
      return reference === null ? null : "the samples name a reference that was not measured";
    case "base":
    case "replay": {
      if (reference === null) return `the samples compare by ${run.compare} and name no reference`;
      if (reference.dirty) return "the reference was measured with uncommitted changes";
      const allowed =
        run.compare === "base"
          ? terms.expected.references
          : terms.config.services.flatMap(
              ({ name }) => baselinesFor(name, terms.baselines, terms)[0]?.source.commit ?? [],
            );
      const others = Object.values(sources.references ?? {}).filter((one) => one !== null);
      const strange = [reference, ...others].find((one) => one.dirty || !isOneOf(one, allowed));
      return strange === undefined
        ? null
        : `the samples compare with commit ${shortCommit(strange.commit)}, expected ${allowed.map(shortCommit).join(" or ") || "none"}`;
    }
  }
}

function isOneOf({ commit }: Source, allowed: readonly string[]): boolean {
  return allowed.includes(commit);
}
