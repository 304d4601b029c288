// `init`: a first tailgate.yml from what lies in the repository, and from what running it shows.
import { existsSync, readdirSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { UserError } from "../../src/core/base/errors.ts";
import type { InitFlags, InitKernel } from "../../src/core/model/try.ts";
import { firstWorkflow } from "./first-workflow.ts";
import { MYSQL_SERVERS, SERVER_FOLDER } from "./mysql.ts";
import { parseDockerfile, preparedBy, startedBy } from "./parse-container.ts";
import type { ServiceProposal } from "./proposal.ts";
import { proposeServices } from "./propose.ts";
import {
  type FileProposal,
  type OtherService,
  renderConfiguration,
} from "./render-configuration.ts";
import { likelyOf } from "./routes/choose-requests.ts";
import { readTree, type Tree, textOf } from "./tree.ts";
import { MOST_ASKED, MOST_KEPT, takesLittle, tryService } from "./trial.ts";
import { whatNext } from "./what-next.ts";

const CONFIG_FILE = "tailgate.yml";
const WORKFLOWS = ".github/workflows";
const WORKFLOW_FILE = `${WORKFLOWS}/tailgate.yml`;
/** A first configuration is to be read; the others are named in a comment. */
const MAX_SERVICES = 8;
/** What is no clearer than its margin takes about twice the fewest rounds. */
const ROOM = 2;
/** The fewest for a regression, or so. */
const ROUNDS = 12;
const USUAL_MINUTES = 15;

interface InitOptions extends InitFlags {
  workingFolder: string;
  /** Where programs are looked for. */
  path: string | undefined;
}

export async function initConfiguration(options: InitOptions, kernel: InitKernel) {
  const { workingFolder, workflow, print } = options;
  const root = repositoryRoot(resolve(workingFolder));
  const config = join(root, CONFIG_FILE);
  // A workflow can be added to a configuration that is there.
  const isWanted = print || workflow === null || !existsSync(config);
  const existing = [
    ...(isWanted && existsSync(config) ? [config] : []),
    ...(workflow === null ? [] : gatingWorkflows(root)),
  ];
  // Before anything is built and tried.
  if (!print && existing.length > 0) {
    throw new UserError(`${existing.join(" and ")} exists already`, {
      next: "Look at what would be written: tailgate init --print.",
    });
  }
  const proposal = isWanted ? await proposalOf(root, options, kernel) : null;
  const files = [
    ...(proposal === null ? [] : [{ path: config, text: renderConfiguration(proposal) }]),
    ...(workflow === null
      ? []
      : [{ path: join(root, WORKFLOW_FILE), text: firstWorkflow(workflow) }]),
  ];
  const foundNothing = proposal?.services.length === 0;
  return { files, says: whatNext(files, foundNothing), foundNothing };
}

/** The file that would be written, and those that use the action already. */
function gatingWorkflows(root: string): string[] {
  const folder = join(root, WORKFLOWS);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .map((name) => join(folder, name))
    .filter((path) => path === join(root, WORKFLOW_FILE) || /\btailgate@/.test(textOf(path)));
}

async function proposalOf(
  root: string,
  { run, path }: InitOptions,
  kernel: InitKernel,
): Promise<FileProposal> {
  const folders = [...(path ?? "").split(delimiter).filter((one) => one !== ""), SERVER_FOLDER];
  const hasMysql = folders.some((one) => MYSQL_SERVERS.some((name) => existsSync(join(one, name))));
  const tree = readTree(root);
  const found = proposeServices(tree, { most: MOST_ASKED, hasMysql });
  const { services, others } = fitted(found, kernel);
  const tried: ServiceProposal[] = [];
  for (const service of found) {
    if (!services.some(({ program }) => program === service.program)) continue;
    const isTried = run || takesLittle(service);
    tried.push(isTried ? await tryService(service, { root, build: run }, kernel) : service);
  }
  const proposal = fitted(tried, kernel);
  return { ...proposal, others: [...proposal.others, ...others], ...startedIn(tree) };
}

function repositoryRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) return start;
  }
}

/** From the files alone. */
export function proposeConfiguration(
  tree: Tree,
  { hasMysql }: { hasMysql: boolean },
  kernel: Pick<InitKernel, "minutesToAnswer">,
): string {
  const found = proposeServices(tree, { most: MOST_KEPT, hasMysql });
  return renderConfiguration({ ...fitted(found, kernel), ...startedIn(tree) });
}

/** What the Dockerfile at the root starts. */
function startedIn(tree: Tree): Pick<FileProposal, "started"> {
  const seenIn = "Dockerfile";
  const containers = [parseDockerfile(tree.read(seenIn), seenIn)];
  const [words, prepared] = [startedBy(containers), preparedBy(containers)];
  return words.length === 0 ? {} : { started: { words, seenIn, prepared } };
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
  // Nothing else knows how long they take to start.
  const startsMs = kept.map(({ trial }) =>
    trial?.kind === "ran" ? 2 * ROUNDS * trial.startupMs : 0,
  );
  const startMinutes = startsMs.reduce((sum, ms) => sum + ms, 0) / 60_000;
  const minutesOf = (proposal: FileProposal): number =>
    ROOM * (minutesToAnswer(renderConfiguration(proposal)) + startMinutes);
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
