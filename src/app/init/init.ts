// `init`: a first tailgate.yml from what lies in the repository, and from what running it shows.
import { existsSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import type { Config } from "../../core/model/config.ts";
import { tryFindProgram } from "../../machine/sys/find-program.ts";
import { configFromText } from "../config/load.ts";
import { timeToAnswer } from "../gate/time-to-answer.ts";
import { CONFIG_FILE } from "../project/project.ts";
import type { Environment } from "../settings.ts";
import { MYSQL_SERVERS, SERVER_FOLDER } from "./mysql.ts";
import type { ServiceProposal } from "./proposal.ts";
import { proposeServices } from "./propose.ts";
import {
  type FileProposal,
  type OtherService,
  renderConfiguration,
} from "./render-configuration.ts";
import { likelyOf } from "./routes/choose-requests.ts";
import { readTree, type Tree } from "./tree.ts";
import { takesLittle, tryInPlace, tryWithBuild } from "./trial/try-services.ts";

/** A first configuration is to be read; the others are named in a comment. */
const MAX_SERVICES = 8;
const MAX_REQUESTS = 3;
/** A service that runs is asked more: some are refused. */
const MAX_ASKED = 12;
/** What is no clearer than its margin takes about twice the fewest rounds. */
const ROOM = 2;
const USUAL_MINUTES = 15;

export interface InitOptions {
  /** Build and run every service; otherwise only what starts at once. */
  run: boolean;
}

export async function initConfiguration(
  { run }: InitOptions,
  environment: Environment,
): Promise<{ path: string; text: string }> {
  const root = repositoryRoot(resolve(environment.workingFolder));
  const hasMysql = MYSQL_SERVERS.some((name) => isInstalled(name, environment));
  const found = proposeServices(readTree(root), { most: MAX_ASKED, hasMysql });
  const { services, others } = fitted(found);
  const options = {
    root,
    configOf: (one: readonly ServiceProposal[]) => configOf(fitted(one), root),
  };
  const tried: ServiceProposal[] = [];
  for (const { program } of services) {
    const service = found.find((one) => one.program === program);
    if (service === undefined) continue;
    const trial = run ? tryWithBuild : takesLittle(service) ? tryInPlace : null;
    if (trial !== null) environment.progress.stage(`try ${program.name}`);
    tried.push((await trial?.(service, options, environment)) ?? service);
  }
  const proposal = fitted(tried);
  const text = renderConfiguration({ ...proposal, others: [...proposal.others, ...others] });
  return { path: join(root, CONFIG_FILE), text };
}

function repositoryRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) return start;
  }
}

function isInstalled(name: string, { env }: Environment): boolean {
  return tryFindProgram(name, [env.PATH, SERVER_FOLDER].join(delimiter)) !== null;
}

/** From the files alone. */
export function proposeConfiguration(tree: Tree, { hasMysql }: { hasMysql: boolean }): string {
  return renderConfiguration(fitted(proposeServices(tree, { most: MAX_REQUESTS, hasMysql })));
}

/** As many services and requests as a run can answer in its time. */
function fitted(found: readonly ServiceProposal[]): FileProposal {
  const { kept, others } = withOwnPorts(found);
  const proposalWith = (most: number): FileProposal => ({
    services: kept.map((service) => ({
      ...service,
      requests: likelyOf(service.requests).slice(0, most),
    })),
    others,
    timeBudgetMinutes: null,
  });
  for (let most = MAX_REQUESTS; most >= 1; most--) {
    const proposal = proposalWith(most);
    if (minutesToAnswer(proposal) <= USUAL_MINUTES) return proposal;
  }
  const least = proposalWith(1);
  return { ...least, timeBudgetMinutes: Math.ceil(minutesToAnswer(least)) };
}

/** No two services of a configuration have the same fixed port. */
function withOwnPorts(found: readonly ServiceProposal[]) {
  const kept: ServiceProposal[] = [];
  const others: OtherService[] = [];
  for (const service of found) {
    const { port, program } = service;
    const isTaken =
      port.kind === "fixed" &&
      kept.some((other) => other.port.kind === "fixed" && other.port.port === port.port);
    if (isTaken) others.push({ name: program.name, takenPort: port.port });
    else if (kept.length === MAX_SERVICES) others.push({ name: program.name, takenPort: null });
    else kept.push(service);
  }
  return { kept, others };
}

function minutesToAnswer(proposal: FileProposal): number {
  return ROOM * (timeToAnswer(configOf(proposal))?.minutes.regress ?? 0);
}

/** What the proposal means; without a root its folders are not looked at. */
function configOf(proposal: FileProposal, root: string | null = null): Config {
  return configFromText(renderConfiguration(proposal), CONFIG_FILE, root);
}
