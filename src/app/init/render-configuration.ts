// What is proposed -> the text of tailgate.yml. Words are made here, and nowhere else in `init`. Pure.
import { plainLine } from "../../core/text/escape.ts";
import { nameOf } from "./find-needs.ts";
import { isUnder } from "./paths.ts";
import type {
  Command,
  PortWay,
  RateProposal,
  RequestProposal,
  Schema,
  Server,
  ServiceProposal,
} from "./proposal.ts";
import { homeRequest } from "./routes/choose-requests.ts";

/** What is proposed for the file as a whole. */
export interface FileProposal {
  services: readonly ServiceProposal[];
  /** Services that were found and have no place in a first configuration. */
  others: readonly OtherService[];
  /** Null: the usual one has room for an answer. */
  timeBudgetMinutes: number | null;
}

export interface OtherService {
  name: string;
  /** Its fixed port, when another service has it already; null: there were too many. */
  takenPort: number | null;
}

interface Line {
  text: string;
  comment?: string;
}

/** A dependency of the file, shared by all services with the same schema. */
interface Dependency {
  name: string;
  kind: Server;
  schema: Schema | null;
}

/** As they write themselves. */
const FRAMEWORKS: Readonly<Record<string, string>> = {
  rocket: "Rocket",
  "spring-boot": "Spring Boot",
};
const COMMENT_COLUMN = 32;
/** The JVM has compiled what matters after some thousand requests. */
const WARMUP_REQUESTS = 5000;

export function renderConfiguration({ services, others, timeBudgetMinutes }: FileProposal): string {
  const dependencies = dependenciesOf(services);
  const lines: Line[] = [
    {
      text: "# What tailgate builds, loads and judges. This is a first proposal: look at each line that has a comment.",
    },
    { text: "version: 1" },
    ...(timeBudgetMinutes === null
      ? []
      : [
          {
            text: `policy: { timeBudget: ${timeBudgetMinutes}m }`,
            comment: "so many rounds of these scenarios take longer than the usual 15m",
          },
        ]),
    ...dependencyLines([...new Set(dependencies.values())]),
    { text: "services:" },
    ...(services.length === 0
      ? nothingFound()
      : services.flatMap((service) => serviceLines(service, dependencies))),
    ...(others.length === 0
      ? []
      : [{ text: `  # Also found: ${others.map(describeOther).join(", ")}.` }]),
    { text: "scenarios:" },
    ...(services.length === 0
      ? scenarioLines("home", homeRequest({ kind: "usual", rps: 500 }), null, [])
      : allScenarios(services)),
  ];
  return `${lines.map(shown).join("\n")}\n`;
}

function describeOther({ name, takenPort }: OtherService): string {
  return takenPort === null ? name : `${name} (another has its port ${takenPort})`;
}

function shown({ text, comment }: Line): string {
  return comment === undefined ? text : `${text.padEnd(COMMENT_COLUMN)} # ${comment}`;
}

function nothingFound(): Line[] {
  return [
    { text: "  # Nothing that looks like a service was found: describe yours." },
    { text: "  api:" },
    { text: "    build: make build" },
    { text: "    artifact: bin/api" },
    {
      text: '    env: { PORT: "{port}" }',
      comment: "how it learns its port; {port} may stand in run as well",
    },
    {
      text: "    ready: { tcp: true }",
      comment: "better: the path of a health check, such as /healthz",
    },
  ];
}

/** By service and kind. */
function dependenciesOf(services: readonly ServiceProposal[]): Map<string, Dependency> {
  const all = new Map<string, Dependency>();
  const made = new Map<string, Dependency>();
  for (const { program, needs, schema } of services) {
    for (const { kind } of needs.servers) {
      const own = kind === "postgresql" ? schema : null;
      const key = `${kind} ${JSON.stringify(own)}`;
      const isFirst = ![...made.values()].some((one) => one.kind === kind);
      const name = isFirst ? nameOf(kind) : `${nameOf(kind)}-${program.name}`.slice(0, 64);
      const dependency = made.get(key) ?? { name, kind, schema: own };
      made.set(key, dependency);
      all.set(`${program.name} ${kind}`, dependency);
    }
  }
  return all;
}

function dependencyLines(dependencies: readonly Dependency[]): Line[] {
  if (dependencies.length === 0) return [];
  return [
    { text: "dependencies:" },
    ...dependencies.map(({ name, kind, schema }): Line => {
      if (kind === "redis") return { text: `  ${name}: { kind: redis }` };
      if (schema === null) {
        return {
          text: `  ${name}: { kind: postgresql }`,
          comment: "no SQL of its tables was seen: list the files as schema, and rows to read",
        };
      }
      const dir = schema.dir === "." ? "" : `dir: ${word(schema.dir)}, `;
      return {
        text: `  ${name}: { kind: postgresql, ${dir}schema: [${schema.files.map(word).join(", ")}] }`,
        comment: "with as many rows as in production, answers take as long as there",
      };
    }),
  ];
}

function serviceLines(
  service: ServiceProposal,
  dependencies: ReadonlyMap<string, Dependency>,
): Line[] {
  const { program, port, readyPath, needs } = service;
  const { name, dir, build, artifact } = program;
  const own = needs.servers.flatMap(({ kind }) => dependencies.get(`${name} ${kind}`) ?? []);
  return [
    { text: `  ${word(name)}:` },
    ...remarks(service).map((remark) => ({ text: `    # ${remark}` })),
    ...(dir === "." ? [] : [{ text: `    dir: ${word(dir)}` }]),
    ...(build === null ? [] : [{ text: `    build: ${command(build)}` }]),
    ...(artifact === null ? [] : [{ text: `    artifact: ${word(artifact)}` }]),
    ...runLines(service),
    ...environmentLines(service, own),
    ...(port.kind === "fixed"
      ? [
          {
            text: `    port: ${port.port}`,
            comment: `${port.seenIn === null ? "fixed" : `fixed in ${shortened(port.seenIn, dir)}`}. Read it from a variable: both builds can then run at once, with less noise`,
          },
          { text: "    scheme: alternate" },
        ]
      : []),
    ...(own.length === 0
      ? []
      : [
          {
            text: `    needs: [${own.map((one) => word(one.name)).join(", ")}]`,
            comment: needs.servers
              .map(
                ({ kind, seenIn }) =>
                  `${kind === "redis" ? "Redis" : "PostgreSQL"}: ${plainLine(seenIn)}`,
              )
              .join(", "),
          },
        ]),
    readyPath === null
      ? {
          text: "    ready: { tcp: true }",
          comment: "better: the path of a health check, such as /healthz",
        }
      : { text: `    ready: ${word(readyPath)}` },
  ];
}

/** What no single line is about. */
function remarks({ program, needs, trial, requests, routeCount }: ServiceProposal): string[] {
  const more = routeCount - requests.length - (trial?.kind === "ran" ? trial.refused.length : 0);
  return [
    ...(program.serves ? [] : ["Nothing in its sources listens: is it a service?"]),
    ...needs.others.map(
      ({ name, seenIn }) =>
        `It uses ${name} (${plainLine(seenIn)}), which Tailgate does not start by name: add a dependency of kind: program, or a stand-in.`,
    ),
    ...needs.withoutVariable.map(
      (kind) =>
        `How it learns the address of ${kind === "redis" ? "Redis" : "PostgreSQL"} was not seen: add the variable to env, as "{${nameOf(kind)}.url}".`,
    ),
    ...(trial?.kind === "failed" ? [`Tried in vain: ${plainLine(trial.text)}.`] : []),
    ...(trial?.kind === "ran"
      ? trial.refused.map(
          ({ method, path, status }) =>
            `Not proposed: ${method} ${path} ${status === null ? "was not answered" : `answered ${status}`}.`,
        )
      : []),
    ...(more > 0
      ? [`${more} more ${more === 1 ? "route was" : "routes were"} found; each can be a scenario.`]
      : []),
  ];
}

function runLines({ program, port }: ServiceProposal): Line[] {
  const { run } = program;
  if (port.kind !== "words") return run === null ? [] : [{ text: `    run: ${command(run)}` }];
  const base = run ?? "{artifact}";
  const all: Command =
    typeof base === "string" ? [base, ...port.words].join(" ") : [...base, ...port.words];
  return [
    {
      text: `    run: ${command(all)}`,
      comment: `the port is an argument in ${shortened(port.seenIn, program.dir)}`,
    },
  ];
}

function environmentLines(service: ServiceProposal, own: readonly Dependency[]): Line[] {
  const { port, needs, samples } = service;
  const renamed = (value: string): string =>
    value.replace(/\{(postgres|redis)\./g, (written, name: string) => {
      const dependency = own.find(({ kind }) => nameOf(kind) === name);
      return dependency === undefined ? written : `{${dependency.name}.`;
    });
  const all: { name: string; value: string; comment?: string }[] = [
    ...(port.kind === "variable"
      ? [
          {
            name: port.name,
            value: port.form === "address" ? "127.0.0.1:{port}" : "{port}",
            comment: portComment(port, service),
          },
        ]
      : []),
    ...Object.entries(needs.variables).map(([name, value]) => ({ name, value: renamed(value) })),
    ...Object.entries(samples).map(([name, value]) => ({
      name,
      value,
      comment: "from the sample environment",
    })),
  ];
  const variables = all.filter(({ name }, i) => all.findIndex((one) => one.name === name) === i);
  const [only] = variables;
  if (only === undefined) return [];
  const pair = ({ name, value }: { name: string; value: string }): string =>
    `${name}: ${JSON.stringify(value)}`;
  const said = (comment: string | undefined) => (comment === undefined ? {} : { comment });
  if (variables.length === 1)
    return [{ text: `    env: { ${pair(only)} }`, ...said(only.comment) }];
  return [
    { text: "    env:" },
    ...variables.map((one) => ({ text: `      ${pair(one)}`, ...said(one.comment) })),
  ];
}

function portComment(
  { seenIn }: PortWay & { kind: "variable" },
  { program, trial }: ServiceProposal,
): string {
  if (seenIn !== null) return `how it learns its port (${shortened(seenIn, program.dir)})`;
  if (program.frameworkPort !== null)
    return `how ${FRAMEWORKS[program.framework ?? ""] ?? program.framework} learns its port`;
  if (trial?.kind === "ran") return "how it learns its port, as was tried";
  return "a guess: nothing was seen that tells it its port; {port} may stand in run as well";
}

function shortened(path: string, dir: string): string {
  return dir !== "." && isUnder(path, dir) ? path.slice(dir.length + 1) : path;
}

function allScenarios(services: readonly ServiceProposal[]): Line[] {
  const used = new Set<string>();
  return services.flatMap((service) =>
    service.requests.flatMap((request) => {
      const base = scenarioOf(request, services.length === 1 ? null : service.program.name);
      let name = base;
      for (let i = 2; used.has(name); i++) name = `${base}-${i}`;
      used.add(name);
      return scenarioLines(
        name,
        request,
        service,
        services.length === 1 ? [] : [service.program.name],
      );
    }),
  );
}

function scenarioLines(
  name: string,
  request: RequestProposal,
  service: ServiceProposal | null,
  services: readonly string[],
): Line[] {
  return [
    { text: `  ${word(name)}:` },
    ...(services.length === 0
      ? []
      : [{ text: `    services: [${services.map(word).join(", ")}]` }]),
    requestLine(request),
    rateLine(request),
    ...(service?.program.language === "java"
      ? [{ text: `    warmup: ${WARMUP_REQUESTS}`, comment: "it compiles as it runs" }]
      : []),
  ];
}

function requestLine({ method, path, seenIn, isFilled, isConfirmed }: RequestProposal): Line {
  if (method !== "GET") {
    const text = `    request: { method: ${method}, path: ${word(path)}, json: {} }`;
    return isConfirmed ? { text } : { text, comment: "a body that it accepts" };
  }
  const text = `    request: ${word(`GET ${path}`)}`;
  if (isConfirmed) return { text };
  if (seenIn === null)
    return { text, comment: "no route was seen: a request whose latency matters" };
  if (isFilled)
    return { text, comment: "its parameters are a guess: ask for something that exists" };
  return { text, comment: "a request whose latency matters; one scenario for each" };
}

function rateLine({ rate }: RequestProposal): Line {
  return { text: `    rate: ${rate.rps}/s`, comment: describeRate(rate) };
}

function describeRate(rate: RateProposal): string {
  const wanted = "what it gets in production, or a third of what one core can do";
  switch (rate.kind) {
    case "usual":
      return wanted;
    case "unsettled":
      return `${wanted}, which a busy machine could not tell`;
    case "measured":
      return `a third of the ${rate.sustainedRps}/s that one core served here`;
  }
}

/** Beside those of other services it begins with its own service's name. */
function scenarioOf(request: RequestProposal, service: string | null): string {
  const name = scenarioName(request);
  if (service === null || `${name}-`.startsWith(`${service}-`)) return name;
  return `${service}-${name}`.slice(0, 60);
}

/** From the route: what is asked for, without versions. */
function scenarioName({ pattern }: RequestProposal): string {
  const segments = (pattern.split("?")[0] ?? "").split("/").filter((segment) => segment !== "");
  const isWord = (segment: string): boolean => /^[A-Za-z][\w-]*$/.test(segment);
  const last = segments.filter((one) => isWord(one) && !/^(?:api|v\d+)$/.test(one)).at(-1);
  if (last === undefined) return "home";
  return isWord(segments.at(-1) ?? "") ? last.slice(0, 60) : `${last.slice(0, 50)}-item`;
}

function command(argv: Command): string {
  return typeof argv === "string" ? word(argv) : `[${argv.map(word).join(", ")}]`;
}

/** YAML text; in quotes where it could be anything else. */
function word(text: string): string {
  const plain =
    /^[A-Za-z_./][\w ./@=-]*$/.test(text) && !/^(true|false|null|\.(nan|inf))$/i.test(text);
  return plain && text.trim() === text ? text : JSON.stringify(text);
}
