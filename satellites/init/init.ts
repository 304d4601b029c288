// `init`: a first tailgate.yml from what lies in the repository, and from what running it shows.
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import type { InitKernel } from "../../src/core/model/try.ts";
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
import { MOST_ASKED, MOST_KEPT, takesLittle, tryService } from "./trial.ts";

const CONFIG_FILE = "tailgate.yml";
/** A first configuration is to be read; the others are named in a comment. */
const MAX_SERVICES = 8;
/** What is no clearer than its margin takes about twice the fewest rounds. */
const ROOM = 2;
const USUAL_MINUTES = 15;

interface InitOptions {
  /** Build and run every service; otherwise only what starts at once. */
  run: boolean;
  workingFolder: string;
  /** Where programs are looked for. */
  path: string | undefined;
}

export async function initConfiguration(
  { run, workingFolder, path }: InitOptions,
  kernel: InitKernel,
): Promise<{ path: string; text: string; foundNothing: boolean }> {
  const root = repositoryRoot(resolve(workingFolder));
  const hasMysql = MYSQL_SERVERS.some((name) => isInstalled(name, path));
  const found = proposeServices(readTree(root), { most: MOST_ASKED, hasMysql });
  const { services, others } = fitted(found, kernel);
  const tried: ServiceProposal[] = [];
  for (const { program } of services) {
    const service = found.find((one) => one.program === program);
    if (service === undefined) continue;
    const isTried = run || takesLittle(service);
    tried.push(isTried ? await tryService(service, { root, build: run }, kernel) : service);
  }
  const proposal = fitted(tried, kernel);
  const text = renderConfiguration({ ...proposal, others: [...proposal.others, ...others] });
  return { path: join(root, CONFIG_FILE), text, foundNothing: found.length === 0 };
}

function repositoryRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) return start;
  }
}

function isInstalled(name: string, path = ""): boolean {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  return [...folders, SERVER_FOLDER].some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** From the files alone. */
export function proposeConfiguration(
  tree: Tree,
  { hasMysql }: { hasMysql: boolean },
  kernel: Pick<InitKernel, "minutesToAnswer">,
): string {
  const found = proposeServices(tree, { most: MOST_KEPT, hasMysql });
  return renderConfiguration(fitted(found, kernel));
}

/** As many services and requests as a run can answer in its time. */
function fitted(
  found: readonly ServiceProposal[],
  { minutesToAnswer }: Pick<InitKernel, "minutesToAnswer">,
): FileProposal {
  const { kept, others } = withOwnPorts(found);
  const proposalWith = (most: number): FileProposal => ({
    services: kept.map((service) => ({
      ...service,
      requests: likelyOf(service.requests).slice(0, most),
    })),
    others,
    timeBudgetMinutes: null,
  });
  const minutesOf = (proposal: FileProposal): number =>
    ROOM * minutesToAnswer(renderConfiguration(proposal));
  for (let most = MOST_KEPT; most >= 1; most--) {
    const proposal = proposalWith(most);
    if (minutesOf(proposal) <= USUAL_MINUTES) return proposal;
  }
  const least = proposalWith(1);
  return { ...least, timeBudgetMinutes: Math.ceil(minutesOf(least)) };
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
