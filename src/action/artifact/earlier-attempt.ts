// What the attempt before this one measured: the artifact that it handed over in this very workflow
// run, put where the gate goes on with it if it fits. Never another run's: only this run's artifacts
// are asked for, and one that says it is of another is left alone.
import { FILES, placeFor } from "../../app/documents/reports.ts";
import { writeSamples } from "../../app/documents/samples.ts";
import type { Project } from "../../app/project/project.ts";
import type { Samples } from "../../core/model/samples.ts";
import { plainLine } from "../../core/text/escape.ts";
import { type Problem, problem } from "../../core/untrusted/problem.ts";
import { type GitHub, GitHubError } from "../../github/port.ts";
import type { Job } from "../job/job.ts";
import { fetchArtifact, newestNamed } from "./fetch-artifact.ts";

type EarlierAttempt =
  | { kind: "none" }
  | { kind: "found"; attempt: number; samples: Samples }
  /** There may be one, and it could not be had: one sentence. */
  | { kind: "lost"; why: string };

interface Continued {
  /** With what the attempt before measured in its place, where it can be had. */
  project: Project;
  /** What became of it, in one sentence that it also logs; empty: nothing is to be said. */
  tell(run: Pick<Samples["run"], "continuedAfter">): string;
}

export async function continueEarlier(job: Job, project: Project): Promise<Continued> {
  const earlier = await find(job);
  const tell: Continued["tell"] = (run) => {
    const sentence = describe(earlier, run);
    if (sentence !== "") job.runner.log(sentence);
    return sentence;
  };
  if (earlier.kind !== "found") return { project, tell };
  writeSamples(placeFor(FILES.samples, project), earlier.samples);
  return { project: { ...project, resume: "if-it-fits" }, tell };
}

/** Of a first attempt there is none, nor where the workflow wants none. */
async function find({ inputs, context, github }: Job): Promise<EarlierAttempt> {
  const { runId, attempt } = context;
  if (attempt === 1 || !inputs.continues) return { kind: "none" };
  if (github === null) return { kind: "lost", why: "there is no token to ask for it with" };
  try {
    const read = await newestBefore({ runId, attempt }, inputs.artifactName, github);
    return read.kind === "found" ? read : { kind: "lost", why: plainLine(read.text) };
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
    const why =
      thrown.reason === "permission"
        ? "the token may not read artifacts; `actions: read` under the job's `permissions:` lets an attempt go on where the one before ended"
        : plainLine(thrown.message);
    return { kind: "lost", why };
  }
}

async function newestBefore(
  { runId, attempt }: { runId: number; attempt: number },
  name: string,
  github: GitHub,
): Promise<Extract<EarlierAttempt, { kind: "found" }> | Problem> {
  for (const artifact of newestNamed(await github.artifactsOf(runId), name)) {
    if (artifact.expired) continue;
    const read = await fetchArtifact(artifact, github);
    if (read.kind === "problem") return read;
    const { run } = read.manifest;
    if (run.id === runId && run.attempt < attempt) {
      return { kind: "found", attempt: run.attempt, samples: read.samples };
    }
  }
  return problem(`no earlier attempt of this run handed over an artifact named ${name}`);
}

function describe(
  earlier: EarlierAttempt,
  { continuedAfter = [] }: Pick<Samples["run"], "continuedAfter">,
): string {
  switch (earlier.kind) {
    case "none":
      return "";
    case "lost":
      return `Measured anew: ${earlier.why}.`;
    case "found": {
      const { attempt, samples } = earlier;
      const sessions = (samples.run.continuedAfter ?? []).length;
      const rounds = samples.rounds.length;
      return continuedAfter.length > sessions && continuedAfter[sessions] === rounds
        ? `Continued from attempt ${attempt}: ${rounds} rounds.`
        : `Measured anew: what attempt ${attempt} measured cannot be gone on with; the log says why.`;
    }
  }
}
