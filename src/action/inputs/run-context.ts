// Which workflow run this is, as the runner's environment says.
import { UserError } from "../../core/base/errors.ts";

export interface RunContext {
  /** `owner/name`. */
  repository: string;
  /** Its page. */
  repositoryUrl: string;
  apiUrl: string;
  /** Of the workflow run that this step is part of. */
  runId: number;
  attempt: number;
  /** Its page. */
  runUrl: string;
  /** Folder of checkouts. */
  workspace: string;
  eventName: string;
  /**
   * What the workflow runs on, `refs/heads/main` for instance; empty where the runner does not say.
   */
  ref: string;
  /** File with the event's payload. */
  eventPath: string;
}

export function readRunContext(env: NodeJS.ProcessEnv): RunContext {
  const text = (name: string): string => {
    const value = env[name];
    if (value === undefined || value === "") {
      throw new UserError(`${name} is not set: this is no step of a GitHub workflow`, {
        next: "At a desk, use the command line: tailgate gate.",
      });
    }
    return value;
  };
  const number = (name: string): number => {
    const value = Number(text(name));
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new UserError(`${name} is ${JSON.stringify(env[name])}, expected a whole number`);
    }
    return value;
  };
  const repository = text("GITHUB_REPOSITORY");
  const runId = number("GITHUB_RUN_ID");
  const repositoryUrl = `${env.GITHUB_SERVER_URL ?? "https://github.com"}/${repository}`;
  return {
    repository,
    repositoryUrl,
    apiUrl: env.GITHUB_API_URL ?? "https://api.github.com",
    runId,
    attempt: env.GITHUB_RUN_ATTEMPT === undefined ? 1 : number("GITHUB_RUN_ATTEMPT"),
    runUrl: `${repositoryUrl}/actions/runs/${runId}`,
    workspace: text("GITHUB_WORKSPACE"),
    eventName: text("GITHUB_EVENT_NAME"),
    ref: env.GITHUB_REF ?? "",
    eventPath: text("GITHUB_EVENT_PATH"),
  };
}
