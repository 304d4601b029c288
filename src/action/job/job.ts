// What every mode is given, and what it answers with. No mode knows the toolkit, the network or the
// order of a gate's stages.
import type { Environment } from "../../app/settings.ts";
import type { GitHub } from "../../github/port.ts";
import type { Event } from "../inputs/parse-event.ts";
import type { Inputs } from "../inputs/parse-inputs.ts";
import type { RunContext } from "../inputs/run-context.ts";
import type { Runner } from "../runner/runner.ts";
import type { UseCases } from "./use-cases.ts";

export interface Job {
  inputs: Inputs;
  event: Event;
  context: RunContext;
  runner: Runner;
  environment: Environment;
  useCases: UseCases;
  /** Null when the workflow gives no token. */
  github: GitHub | null;
  /** Another repository, `owner/name`, by the same token. */
  connectTo(repository: string): Promise<GitHub>;
}

/** How the step ends. `cancelled` fails it too, in case that the runner has not already. */
export interface Conclusion {
  state: "success" | "failure" | "cancelled";
  /** One line for the log and the `headline` output. */
  headline: string;
}

export const CANCELLED: Conclusion = {
  state: "cancelled",
  headline: "CANCELLED: the job was stopped, and there is no verdict",
};
