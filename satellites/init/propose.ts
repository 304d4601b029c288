// A repository -> what is proposed for each of its services. Pure.

import { withItsCommand } from "./find-command.ts";
import { findLimit } from "./find-limit.ts";
import { databaseOf, findNeeds, partIn } from "./find-needs.ts";
import { findPort } from "./find-port.ts";
import { findMigration, findSchema, isBuiltWithDatabase } from "./find-schema.ts";
import { type Container, parseCompose, parseDockerfile, preparedBy } from "./parse-container.ts";
import { furtherPorts, variablesIn } from "./parse-port.ts";
import { parseSampleEnvironment, type Sample, type Samples } from "./parse-samples.ts";
import { ancestorsOf, baseOf, folderOf, unusedName } from "./paths.ts";
import { detectGo } from "./programs/detect-go.ts";
import { detectJava } from "./programs/detect-java.ts";
import { detectNode } from "./programs/detect-node.ts";
import { detectPython } from "./programs/detect-python.ts";
import { detectRust } from "./programs/detect-rust.ts";
import type { Language, Program, ServiceProposal } from "./proposal.ts";
import { chooseRequests, homeRequest, readyPathOf } from "./routes/choose-requests.ts";
import { findRoutes } from "./routes/find-routes.ts";
import { joinedPath, type SourceFile, sourceFiles } from "./source-text.ts";
import type { Tree } from "./tree.ts";

const DETECTORS = [detectRust, detectGo, detectJava, detectNode, detectPython];
/** A third of what a plain server of its kind does on one core of a small machine, or less. */
const USUAL_RPS = (language: Language): number => (language === "python" ? 200 : 500);
const SAMPLE_ENVIRONMENT =
  /^\.?(?:\w+\.)?env\.(?:example|sample|template|dist|defaults?)$|^\.?(?:example|sample)\.env$/;
/** Those of a developer alone, such as compose.override.yaml, lie beside them, often unversioned. */
const COMPOSE = /^(?:docker-)?compose\.ya?ml$/;
/** Whose value in a container is nobody's to copy. */
const CONFIDENTIAL = /SECRET|KEY|TOKEN|PASS|PWD|SALT|PEPPER|CREDENTIAL|DSN/i;
/** Variables without which many a service refuses to start, and whose value does not matter here. */
const REQUIRED = /(?:SECRET|KEY|TOKEN|SALT|PEPPER)$/;
/** Of these, what is its own, and read even where no sample names it. */
const SECRET = /SECRET(?:_KEY)?$/;
const SERVERS = ["postgresql", "redis", "mysql"] as const;
/** Its own port, what only developers want, and addresses of others on the internet. */
const UNFIT =
  /PORT=|(?:^|_)(?:ENV|ENVIRONMENT|MODE)=(?:dev|test|local)|DEBUG\w*=|LEVEL=(?:debug|trace|verbose|silly|all)|=\w+:\/\/(?!(?:[^@/]*@)?(?:localhost|127\.))|=(?!localhost|127\.)[\w.-]+:\d+$/i;

interface ProposeOptions {
  /** Requests of a service, at most. */
  most: number;
  /** Whether this machine has a server of it. */
  hasMysql: boolean;
}

export function proposeServices(tree: Tree, options: ProposeOptions): ServiceProposal[] {
  const all = DETECTORS.flatMap((detect) => detect(tree));
  const serving = all.filter(({ serves }) => serves);
  return withOwnNames(serving.length > 0 ? serving : all).map((program) =>
    proposalFor(program, tree, options),
  );
}

function proposalFor(
  seen: Program,
  tree: Tree,
  { most, hasMysql }: ProposeOptions,
): ServiceProposal {
  const containers = containersFor(seen, tree);
  const samples = samplesFor(seen, tree, containers);
  const files = sourceFiles(tree, seen.sources, seen.language);
  const program = withItsCommand(seen, tree, { files, containers });
  const routes = findRoutes(program, tree, files);
  const rate = { kind: "usual" as const, rps: USUAL_RPS(program.language) };
  const usable = chooseRequests(routes, rate);
  const requests = usable.slice(0, most);
  const evidence = { files, samples, containers };
  const needs = findNeeds(program, tree, { ...evidence, hasMysql });
  const asked = requests.length === 0 ? [homeRequest(rate)] : requests;
  const database = databaseOf(needs);
  const migratesIn = database === null ? null : findMigration(program, files);
  const withDatabase = database === "postgresql" && isBuiltWithDatabase(program, tree, files);
  const port = findPort(program, tree, evidence);
  const hasActuator = program.packages.includes("spring-boot-starter-actuator");
  return {
    program,
    prepared: preparedBy(containers),
    port,
    alsoListens:
      port.kind === "fixed"
        ? []
        : files.flatMap(({ path, text }) => furtherPorts(text, program.language, path)),
    limit: findLimit(program, evidence),
    readyPath: hasActuator ? joinedPath(program.prefix, "/actuator/health") : readyPathOf(routes),
    requests: asked,
    routeCount: usable.length,
    needs,
    samples: samplesOfOwn(samples, files),
    migratesIn,
    schema:
      database !== null && (migratesIn === null || withDatabase)
        ? findSchema(tree, program.home, database)
        : null,
    isBuiltWithDatabase: withDatabase,
    trial: null,
  };
}

/** The files of this name in the program's folder and those above it, the nearest last. */
function filesAround({ home }: Program, tree: Tree, name: RegExp): string[] {
  const folders = [home, ...ancestorsOf(home)].reverse();
  return folders.flatMap((folder) =>
    tree.paths.filter((path) => folderOf(path) === folder && name.test(baseOf(path))),
  );
}

/** What overrides stands behind the others. */
function containersFor(program: Program, tree: Tree): Container[] {
  const { home } = program;
  const isOfIt = (path: string): boolean =>
    folderOf(path) === home || tree.read(path).includes(baseOf(home));
  const images = filesAround(program, tree, /^Dockerfile$/)
    .filter(isOfIt)
    .slice(-1);
  const composed = filesAround(program, tree, COMPOSE).flatMap(
    (path) => parseCompose(tree.read(path), path, program) ?? [],
  );
  return [...images.map((path) => parseDockerfile(tree.read(path), path)), ...composed];
}

/**
 * What is nearest goes before, and what a container is given before what a developer is: without its
 * secrets, and without the files of its image.
 */
function samplesFor(program: Program, tree: Tree, containers: readonly Container[]): Samples {
  const told = containers.flatMap(({ environment, seenIn }) =>
    environment
      .filter(([, value]) => !value?.startsWith("/"))
      .map(([name, value]): [string, Sample] => [name, { value, seenIn }]),
  );
  const secrets = told.filter(([name]) => CONFIDENTIAL.test(name));
  return new Map([
    ...secrets.map(([name, { seenIn }]): [string, Sample] => [name, { value: null, seenIn }]),
    ...filesAround(program, tree, SAMPLE_ENVIRONMENT).flatMap((path) => [
      ...parseSampleEnvironment(tree.read(path), path),
    ]),
    ...told.filter((one) => !secrets.includes(one)),
  ]);
}

/** Secrets, whoever reads them, and what the program's own sources name. */
function samplesOfOwn(samples: Samples, files: readonly SourceFile[]): Samples {
  const isNamed = (name: string): boolean =>
    files.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text));
  const secrets = files
    .flatMap(({ text }) => variablesIn(text))
    .filter((name) => SECRET.test(name));
  const unsaid = secrets.map((name): [string, Sample] => [name, { value: null, seenIn: "" }]);
  const own = [...unsaid, ...samples].flatMap(([name, sample]): [string, Sample][] => {
    const { value } = sample;
    const isUsable = value !== null && value !== "" && !/[^\x20-\x7e]|[{}<>$]/.test(value);
    if (REQUIRED.test(name)) return [[name, isUsable ? sample : { ...sample, value: null }]];
    const isOfServer = SERVERS.some((kind) => partIn(name, kind) !== null);
    const isFit = isUsable && !isOfServer && !UNFIT.test(`${name}=${value}`) && isNamed(name);
    return isFit ? [[name, sample]] : [];
  });
  return new Map(own);
}

/** Names that a configuration accepts, each once. */
function withOwnNames(programs: readonly Program[]): Program[] {
  const used = new Set<string>();
  return programs.map((program) => {
    const isShared = programs.some((other) => other !== program && other.name === program.name);
    const telling = isShared && program.home !== "." ? baseOf(program.home) : program.name;
    const plain = telling.replace(/[^A-Za-z0-9._-]/g, "-").replace(/^[^A-Za-z0-9]+/, "");
    return { ...program, name: unusedName(plain.slice(0, 60) || "service", used) };
  });
}
