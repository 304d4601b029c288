// A repository -> what is proposed for each of its services. Pure.

import { databaseOf, findNeeds } from "./find-needs.ts";
import { findPort } from "./find-port.ts";
import { findMigration, findSchema, isBuiltWithDatabase } from "./find-schema.ts";
import {
  parseCompose,
  parseSampleEnvironment,
  type Sample,
  type Samples,
} from "./parse-samples.ts";
import { ancestorsOf, baseOf, folderOf, joined, unusedName } from "./paths.ts";
import { detectGo } from "./programs/detect-go.ts";
import { detectJava } from "./programs/detect-java.ts";
import { detectNode } from "./programs/detect-node.ts";
import { detectPython } from "./programs/detect-python.ts";
import { detectRust } from "./programs/detect-rust.ts";
import type { Language, Program, ServiceProposal } from "./proposal.ts";
import { chooseRequests, homeRequest, readyPathOf } from "./routes/choose-requests.ts";
import { findRoutes } from "./routes/find-routes.ts";
import { sourceFiles } from "./source-text.ts";
import type { Tree } from "./tree.ts";

/** A third of what a plain server of its kind does on one core of a small machine, or less. */
const USUAL_RPS: Record<Language, number> = {
  rust: 500,
  go: 500,
  node: 500,
  java: 500,
  python: 200,
};
const SAMPLE_ENVIRONMENT =
  /^\.?(?:\w+\.)?env\.(?:example|sample|template|dist|defaults?)$|^(?:example|sample)\.env$/;
const COMPOSE = /^(?:docker-)?compose(?:\.[\w-]+)?\.ya?ml$/;
/** Variables without which many a service refuses to start, and whose value does not matter here. */
const REQUIRED = /(?:SECRET|KEY|TOKEN|SALT|PEPPER)$/;

interface ProposeOptions {
  /** Requests of a service, at most. */
  most: number;
  /** Whether this machine has a server of it. */
  hasMysql: boolean;
}

export function proposeServices(tree: Tree, options: ProposeOptions): ServiceProposal[] {
  const all = [
    ...detectRust(tree),
    ...detectGo(tree),
    ...detectJava(tree),
    ...detectNode(tree),
    ...detectPython(tree),
  ];
  const serving = all.filter(({ serves }) => serves);
  return withOwnNames(serving.length > 0 ? serving : all).map((program) =>
    proposalFor(program, tree, options),
  );
}

function proposalFor(
  program: Program,
  tree: Tree,
  { most, hasMysql }: ProposeOptions,
): ServiceProposal {
  const samples = samplesFor(program, tree);
  const files = sourceFiles(tree, program.sources, program.language);
  const routes = findRoutes(program, tree, files);
  const rate = { kind: "usual" as const, rps: USUAL_RPS[program.language] };
  const usable = chooseRequests(routes, rate);
  const requests = usable.slice(0, most);
  const needs = findNeeds(program, tree, { files, samples, hasMysql });
  const asked = requests.length === 0 ? [homeRequest(rate)] : requests;
  const database = databaseOf(needs);
  const migratesIn = database === null ? null : findMigration(program, files);
  const withDatabase = database === "postgresql" && isBuiltWithDatabase(program, tree, files);
  const hasActuator = program.packages.includes("spring-boot-starter-actuator");
  return {
    program,
    port: findPort(program, tree, { files, samples }),
    readyPath: hasActuator ? `${program.prefix}/actuator/health` : readyPathOf(routes),
    requests: asked,
    routeCount: usable.length,
    needs,
    samples: requiredSamples(samples),
    migratesIn,
    schema:
      database !== null && (migratesIn === null || withDatabase)
        ? findSchema(tree, program.home, database)
        : null,
    isBuiltWithDatabase: withDatabase,
    trial: null,
  };
}

/** Of the program's folder and those above it; what is nearest goes before. */
function samplesFor({ home }: Program, tree: Tree): Samples {
  const folders = [home, ...ancestorsOf(home)].reverse();
  const read = folders.flatMap((folder) =>
    tree.paths
      .filter((path) => folderOf(path) === folder)
      .flatMap((path): [string, Sample][] => {
        const text = (): string => tree.read(path);
        const isBuiltHere = (context: string): boolean => joined(folder, context) === home;
        if (COMPOSE.test(baseOf(path))) return [...parseCompose(text(), path, isBuiltHere)];
        if (!SAMPLE_ENVIRONMENT.test(baseOf(path))) return [];
        return [...parseSampleEnvironment(text(), path)];
      }),
  );
  return new Map(read);
}

function requiredSamples(samples: Samples): Record<string, string | null> {
  return Object.fromEntries(
    [...samples]
      .filter(([name]) => REQUIRED.test(name))
      .map(([name, { value }]) => {
        const isUsable = value !== null && value !== "" && !/[^\x20-\x7e]|[{}<>]/.test(value);
        return [name, isUsable ? value : null];
      }),
  );
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
