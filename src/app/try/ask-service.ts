// Asks a running service what its scenarios ask for, once, and whatever else is to be known of it.
import { UserError } from "../../core/base/errors.ts";
import type { Scenario } from "../../core/model/config.ts";
import { splitIntoParts } from "../../core/model/mix.ts";
import type { TriedScenario, TriedService, TryOptions } from "../../core/model/try.ts";
import type { LoadResult } from "../../core/slice/load.ts";
import type { Secrets } from "../../core/text/secrets.ts";
import {
  type Asked,
  answeredByLoad,
  ask,
  askUntilServed,
  couldCompress,
  isUnready,
} from "../../machine/run/probe/ask.ts";
import { fillScenarios } from "../../machine/run/service/fill-scenarios.ts";
import { addressOf, type RunningService } from "../../machine/run/service/running-service.ts";
import type { Clock } from "../../machine/sys/clock.ts";
import { makeTemporaryFolder } from "../../machine/sys/files.ts";
import { janitor } from "../../machine/sys/janitor.ts";
import { copyBodies } from "../config/body-file.ts";

const PATH_TIMEOUT_MS = 5000;

interface AskPlan extends Pick<TryOptions, "paths" | "enough"> {
  scenarios: readonly Scenario[];
  /** Sends one request of a pattern; null: nothing can, and such requests are left out. */
  load: ((scenario: Scenario) => Promise<LoadResult>) | null;
  /** Of the repository: body files are relative to it. */
  root: string;
  secrets: Secrets;
  /** Until then it may say that it is not ready. */
  readyAtMs: number;
  clock: Clock;
  abort: AbortSignal;
}

type Answers = Pick<TriedService, "scenarios" | "asked">;

export async function askService(service: RunningService, plan: AskPlan): Promise<Answers> {
  const { scenarios, root, paths, enough, secrets, abort } = plan;
  const folder = makeTemporaryFolder();
  const place = { ...addressOf(service), folder, abort, mask: secrets.mask };
  try {
    copyBodies(scenarios, root, folder);
    const answered: TriedScenario[] = [];
    for (const scenario of scenarios) {
      if (answered.filter(isSuccess).length === enough || abort.aborted) break;
      answered.push(await askScenario(scenario, service, plan, place));
    }
    const asked: Answers["asked"] = [];
    for (const path of paths) {
      if (abort.aborted) break;
      const { status, answer, json } = await ask({ scenario: plainRequest(path), ...place });
      const { contentType, bytes } = answer ?? {};
      asked.push({ path, status, contentType, bytes, json });
    }
    return { scenarios: answered, asked };
  } finally {
    janitor.removePath(folder);
  }
}

async function askScenario(
  scenario: Scenario,
  service: RunningService,
  { load, readyAtMs, clock, abort }: Pick<AskPlan, "load" | "readyAtMs" | "clock" | "abort">,
  place: Omit<Parameters<typeof ask>[0], "scenario">,
): Promise<TriedScenario> {
  const parts = splitIntoParts([scenario]);
  const filled = fillScenarios(parts, service.values);
  if (!filled.ok) throw new UserError(filled.why, { next: filled.next });
  const answers: TriedScenario["answers"] = [];
  for (const part of parts) {
    const { request, expectStatus } = part;
    if (request.pathIsPattern && load === null) continue;
    const sent = { scenario: filled.filled.get(part.id) ?? part, ...place };
    const once = async (): Promise<Asked> => {
      if (!request.pathIsPattern || load === null) return await ask(sent);
      const loaded = await load(sent.scenario);
      if (loaded.kind !== "failed") return answeredByLoad(loaded);
      throw new UserError(loaded.text, { detail: loaded.detail });
    };
    const { status, seen } = await askUntilServed(once, {
      isFinal: (asked) => asked.status === expectStatus || !isUnready(asked),
      isGone: () => service.exit() !== null,
      ...{ readyAtMs, clock, abort },
    });
    // As it is configured: what was filled in is secret.
    answers.push({
      method: request.method,
      path: request.path,
      expected: expectStatus,
      status,
      seen,
      couldCompress: (status === expectStatus && (await couldCompress(sent))) || undefined,
    });
  }
  return { name: scenario.name, configuredRps: scenario.rateRps, answers, rate: null };
}

function isSuccess({ answers }: TriedScenario): boolean {
  return answers.every(({ status }) => status !== null && status >= 200 && status < 300);
}

function plainRequest(path: string): Parameters<typeof ask>[0]["scenario"] {
  const request = { method: "GET", path, pathIsPattern: false, headers: {}, body: null };
  return { request, requestTimeoutMs: PATH_TIMEOUT_MS, answers: { ignore: [] } };
}
