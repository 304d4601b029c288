// What is proposed -> the text of tailgate.yml. Words are made here, and nowhere else in `init`. Pure.
import { plainLine } from "../../src/core/text/escape.ts";
import { formatAmount, formatShare } from "../../src/core/text/format.ts";
import { type Compiles, compilesIn } from "../words/compiles.ts";
import { nameOf } from "./find-needs.ts";
import { mysqlUrl } from "./mysql.ts";
import { isUnder, unusedName } from "./paths.ts";
import type {
  Command,
  Language,
  Limit,
  PortWay,
  RateProposal,
  RefusedRequest,
  RequestProposal,
  Server,
  ServiceProposal,
} from "./proposal.ts";
import {
  type Dependency,
  dependenciesOf,
  dependencyLines,
  type OwnDependencies,
} from "./render-dependencies.ts";
import { homeRequest } from "./routes/choose-requests.ts";
import { command, disabled, type Line, line, word } from "./yaml-text.ts";

/** What is proposed for the file as a whole. */
export interface FileProposal {
  services: readonly ServiceProposal[];
  /** Services that were found and have no place in a first configuration. */
  others: readonly OtherService[];
  /** Null: the usual one has room for an answer. */
  timeBudgetMinutes: number | null;
  /** What a Dockerfile starts, where nothing else was found; absent: there is none. */
  started?: { words: readonly string[]; seenIn: string } & Pick<ServiceProposal, "prepared">;
}

export interface OtherService {
  name: string;
  /** Its fixed port, when another service has it already; null: there were too many. */
  takenPort: number | null;
}

/** As they write themselves. */
const FRAMEWORKS: Record<string, string> = { rocket: "Rocket", "spring-boot": "Spring Boot" };
const TITLES: Record<Server, string> = { postgresql: "PostgreSQL", redis: "Redis", mysql: "MySQL" };
const COMMENT_COLUMN = 32;
const READY_BY_TCP = line(
  "    ready: { tcp: true }",
  "better: the path of a health check, such as /healthz",
);
/** As long as is proposed for a JVM; what listens elsewhere is seen long before. */
const READY_LATE = line("    ready: { tcp: true, timeout: 2m }");
const NOTHING_FOUND =
  "Nothing that listens was found. What is gated is a program: of a library, one that uses it.";
/** Long enough for those who count its characters. */
const ANY_SECRET = "no-secret-but-long-enough-0123456789abcdef0123456789";
/** Of how many requests, not of how long. */
const LIMITS_NUMBER = /(?:MAX|LIMIT|REQUESTS|POINTS|RPS|RPM)=\d+$/;
const NO_LIMIT = "1000000";
/** After so many requests what matters is compiled, by a JVM and by V8. */
const WARMUP_REQUESTS: Readonly<Partial<Record<Language, number>>> = { java: 5000, node: 2000 };
/** Where requests are slow, those of some 10 s at the pace that a third of a core allows: each launch pays for them. */
const WARMUP_SECONDS_AT_RATE = 30;
/** So much slower than warm-up, which is sent as fast as it is answered. */
const RATE_SHARE = 1 / 3;
/**
 * Variance of one pair of slices to that of the two launches of its round: ten of the twelve
 * recorded have more (docs/adr/0036).
 */
const PAIR_NOISE = 4;
/** With as many or fewer the default is as good. */
const USUAL_PAIRS = 3;

/**
 * Of the p99, where the default of 10 % found no answer in 59 and 85 rounds: a Nest service, whose
 * p99 varies by 26 % from round to round where both builds run at once, and by 42 % where one
 * follows the other.
 */
const WIDE_MARGINS = {
  alternate: { margin: "50%", why: "one build after the other is noisier" },
  compiled: { margin: "30%", why: "what compiles as it runs differs from launch to launch" },
};

/** `toTry`: it is only asked what it answers, as soon as it accepts connections, if late. */
export function renderConfiguration(
  { services, others, timeBudgetMinutes, started }: FileProposal,
  purpose: "toTry" | "toGate" = "toGate",
): string {
  const dependencies = dependenciesOf(services);
  const failed = services.filter(({ trial }) => trial?.kind === "failed");
  // One that cannot start would end the gate of those that can; all of them leave nothing to gate.
  const leftOut = failed.length < services.length ? failed : [];
  const inForce = (service: ServiceProposal, lines: Line[]): Line[] =>
    leftOut.includes(service) ? lines.map(disabled) : lines;
  const alsoFound = others.map(({ name, takenPort }) =>
    takenPort === null ? name : `${name} (another has its port ${takenPort})`,
  );
  const lines: Line[] = [
    line(
      "# What tailgate builds, loads and judges. This is a first proposal: look at each line that has a comment.",
    ),
    line("version: 1"),
    ...(timeBudgetMinutes === null
      ? []
      : [
          line(
            `policy: { timeBudget: ${timeBudgetMinutes}m }`,
            "so many rounds of these scenarios take longer than the usual 15m",
          ),
        ]),
    ...dependencyLines(dependencies, new Set(leftOut.map(({ program }) => program.name))),
    line("services:"),
    ...(services.length === 0 ? standIn(started) : []),
    ...services.flatMap((service) =>
      inForce(service, [
        ...serviceLines(service, dependencies),
        purpose === "toTry" ? READY_LATE : readyLine(service.readyPath, service.program.language),
      ]),
    ),
    ...(leftOut.length === 0
      ? []
      : [
          line(
            "  # What could not be started is left out: it is gated without the # before its lines.",
          ),
        ]),
    ...(others.length === 0 ? [] : [line(`  # Also found: ${alsoFound.join(", ")}.`)]),
    line("scenarios:"),
    ...(services.length === 0
      ? scenarioLines("home", homeRequest({ kind: "usual", rps: 500 }), null, {
          owner: null,
          once: (comment) => comment,
        })
      : allScenarios(services, inForce)),
  ];
  return `${lines.map(shown).join("\n")}\n`;
}

function shown({ text, comment }: Line): string {
  return comment === undefined ? text : `${text.padEnd(COMMENT_COLUMN)} # ${comment}`;
}

/** No container: a gate pins, freezes and weighs processes that it has started itself. */
function standIn(started: FileProposal["started"]): Line[] {
  const { words = ["./api", "--port", "{port}"], seenIn = null, prepared } = started ?? {};
  const compiles = compilesIn(words.join(" "), "api");
  const isTold = words.some((one) => one.includes("{port}"));
  const runs = `Only ${seenIn} was understood. What it starts runs here without a container: the example container-build of Tailgate.`;
  const origin = seenIn === null ? "a stand-in for what starts it" : `as in ${seenIn}`;
  return [
    line(`  # ${seenIn === null ? NOTHING_FOUND : runs}`),
    line("  api:"),
    ...(compiles === null ? [] : [line(`    # ${describeCompiling(compiles)}`)]),
    ...(prepared == null ? [] : [line(`    # ${describePrepared(prepared)}`)]),
    line(
      `    run: ${command(seenIn === null ? words.join(" ") : words)}`,
      `${origin}; before that, build: what makes it`,
    ),
    ...(isTold ? [] : [line('    env: { PORT: "{port}" }', "a guess: how it learns its port")]),
    READY_BY_TCP,
  ];
}

function describeCompiling({ by, build, run }: Compiles): string {
  if (build === null)
    return `Each launch would watch its files (${plainLine(by)}). As run "${plainLine(run)}" it does not.`;
  return `Each launch would compile (${plainLine(by)}). Once is enough: as build "${plainLine(build)}", and as run "${plainLine(run)}".`;
}

function serviceLines(
  service: ServiceProposal,
  dependencies: ReadonlyMap<string, OwnDependencies>,
): Line[] {
  const { program, port, needs } = service;
  const { name, dir, build, artifact } = program;
  const { run: own, build: duringBuild } = dependencies.get(name) ?? { run: [], build: null };
  const seen = needs.servers.map(({ kind, seenIn }) => `${TITLES[kind]}: ${plainLine(seenIn)}`);
  return [
    line(`  ${word(name)}:`),
    ...remarks(service).map((remark) => line(`    # ${remark}`)),
    ...(dir === "." ? [] : [line(`    dir: ${word(dir)}`)]),
    ...(build === null ? [] : [buildLine(build, duringBuild)]),
    ...(artifact === null ? [] : [line(`    artifact: ${word(artifact)}`)]),
    ...runLines(service),
    ...environmentLines(service, own),
    ...(port.kind === "fixed"
      ? [
          line(
            `    port: ${port.port}`,
            `fixed${port.seenIn === null ? "" : ` in ${shortened(port.seenIn, dir)}`}. Read it from a variable: both builds can then run at once, with less noise`,
          ),
        ]
      : []),
    ...(takesTurns(service) ? [line("    scheme: alternate", describeFurther(service))] : []),
    ...(own.length === 0
      ? []
      : [line(`    needs: [${own.map((one) => word(one.name)).join(", ")}]`, seen.join(", "))]),
  ];
}

/** Whether both builds would want the same port at once. */
function takesTurns({ port, alsoListens }: ServiceProposal): boolean {
  return port.kind === "fixed" || alsoListens.length > 0;
}

function describeFurther({ alsoListens, program }: ServiceProposal): string | undefined {
  const [first] = alsoListens;
  if (first === undefined) return undefined;
  const ports = alsoListens.map(({ port, flag }) => (flag === null ? port : `${port} (--${flag})`));
  return `it also listens on ${[...new Set(ports)].join(", ")}, in ${shortened(first.seenIn, program.dir)}. Tell it those, too, or switch them off: both builds can then run at once, with less noise`;
}

/** A JVM on a busy machine takes longer than the usual 30 s. */
function readyLine(path: string | null, language: Language): Line {
  if (language !== "java") return path === null ? READY_BY_TCP : line(`    ready: ${word(path)}`);
  const way = path === null ? "tcp: true" : `http: ${word(path)}`;
  return line(
    `    ready: { ${way}, timeout: 2m }`,
    path === null ? READY_BY_TCP.comment : undefined,
  );
}

function buildLine(build: Command, database: Dependency | null): Line {
  if (database === null) return line(`    build: ${command(build)}`);
  return line(
    `    build: { command: ${command(build)}, needs: [${database.name}], env: { DATABASE_URL: "{${database.name}.url}" } }`,
    "sqlx asks it about its queries",
  );
}

/** What no single line is about. */
function remarks(service: ServiceProposal): string[] {
  const { program, prepared, needs, trial, requests, routeCount, limit } = service;
  const refused = (trial?.kind === "ran" ? trial.refused : []).filter(
    (one) => !requests.some((request) => refusalOf(request, service) === one),
  );
  const more = routeCount - requests.length - refused.length;
  return [
    ...(program.serves ? [] : ["Nothing in its sources listens: is it a service?"]),
    ...(program.compiles === null ? [] : [describeCompiling(program.compiles)]),
    ...(prepared === null
      ? []
      : [describePrepared(prepared, needs.servers.length === 0 ? null : program.name)]),
    ...(limit === null ? [] : [describeLimit(limit)]),
    ...needs.others.map(
      ({ name, seenIn }) =>
        `It uses ${plainLine(name)} (${plainLine(seenIn)}), which Tailgate does not start by name: add a dependency of kind: program, or a stand-in.`,
    ),
    ...needs.withoutVariable.map(
      (kind) =>
        `How it learns the address of ${TITLES[kind]} was not seen: add the variable to env, as "${kind === "mysql" ? mysqlUrl("", program.language) : `{${nameOf(kind)}.url}`}".`,
    ),
    ...needs.withoutDatabase.map((kind) =>
      kind === "redis"
        ? 'Both builds would share their keys in Redis: a variable for the number of its database was not seen. If there is one, add it to env, as "{redis.database}".'
        : 'How it learns the name of its database was not seen: add the variable to env, as "{postgres.database}".',
    ),
    ...(trial?.kind === "failed" ? [`Could not start it: ${plainLine(trial.text)}.`] : []),
    ...refused.map((one) => `Not proposed: ${one.method} ${one.path} ${describeRefusal(one)}.`),
    ...(more > 0
      ? [
          `${more} more ${more === 1 ? "route was" : "routes were"} found; each that needs no login or data can be a scenario.`,
        ]
      : []),
  ];
}

/** `name`: of a service with a database, whose start could make the tables. */
function describePrepared(
  { steps, seenIn }: NonNullable<ServiceProposal["prepared"]>,
  name: string | null = null,
): string {
  const first = plainLine(steps.join(" && "));
  const tables =
    name === null ? "" : `; if it makes tables, also seed: { by: ${name} } of the database`;
  return `Its container runs "${first}" first (${plainLine(seenIn)}), which is left out. Where a start needs it: run: [sh, -c, "${first} && exec …"]${tables}.`;
}

function describeLimit({ seenIn, variables }: Limit): string {
  const way = variables.length === 0 ? "" : `, by ${variables.join(" or ")} in env`;
  return `A load may meet its limit on requests (${plainLine(seenIn)}) and be refused. Raise it for the gate${way}.`;
}

/** Null: it was not asked, or answered. */
function refusalOf(
  { method, path }: RequestProposal,
  { trial }: ServiceProposal,
): RefusedRequest | null {
  const refused = trial?.kind === "ran" ? trial.refused : [];
  return refused.find((one) => one.method === method && one.path === path) ?? null;
}

function describeRefusal({ status }: RefusedRequest): string {
  return status === null ? "was not answered" : `answered ${status}`;
}

function runLines({ program, port }: ServiceProposal): Line[] {
  const { run } = program;
  if (port.kind !== "words") return run === null ? [] : [line(`    run: ${command(run)}`)];
  const base = run ?? "{artifact}";
  const all: Command =
    typeof base === "string" ? [base, ...port.words].join(" ") : [...base, ...port.words];
  const seenIn = shortened(port.seenIn, program.dir);
  return [line(`    run: ${command(all)}`, `the port is an argument in ${seenIn}`)];
}

function environmentLines(service: ServiceProposal, own: readonly Dependency[]): Line[] {
  const { port, needs, samples, limit } = service;
  const renamed = (value: string): string =>
    value.replace(/\{(postgres|redis|mysql)\./g, (written, name: string) => {
      const dependency = own.find(({ kind }) => nameOf(kind) === name);
      return dependency === undefined ? written : `{${dependency.name}.`;
    });
  const variables = new Map<string, Line>();
  const add = (name: string, value: string, comment?: string): void => {
    if (!variables.has(name))
      variables.set(name, line(`${name}: ${JSON.stringify(value)}`, comment));
  };
  if (port.kind === "variable") {
    const value = port.form === "address" ? "127.0.0.1:{port}" : "{port}";
    add(port.name, value, portComment(port, service));
  }
  for (const [name, value] of Object.entries(needs.variables)) add(name, renamed(value));
  for (const [name, { value, seenIn }] of samples) {
    const isLimit = limit?.variables.includes(name) && LIMITS_NUMBER.test(`${name}=${value}`);
    if (value === null) add(name, ANY_SECRET, "any will do: nothing says which");
    else if (isLimit) add(name, NO_LIMIT, `${value} in ${seenIn}: a load may meet that limit`);
    else add(name, value, `from ${shortened(seenIn, service.program.dir)}`);
  }
  const all = [...variables.values()];
  if (all.length > 1)
    return [
      line("    env:"),
      ...all.map(({ text, ...rest }) => ({ ...rest, text: `      ${text}` })),
    ];
  return all.map(({ text, ...rest }) => ({ ...rest, text: `    env: { ${text} }` }));
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

function allScenarios(
  services: readonly ServiceProposal[],
  inForce: (service: ServiceProposal, lines: Line[]) => Line[],
): Line[] {
  const used = new Set<string>();
  const said = new Set<string>();
  const once = (comment: string): string | undefined => {
    if (said.has(comment)) return undefined;
    said.add(comment);
    return comment;
  };
  return services.flatMap((service) =>
    service.requests.flatMap((request) => {
      const owner = services.length === 1 ? null : service.program.name;
      const name = unusedName(scenarioOf(request, owner), used);
      return inForce(service, scenarioLines(name, request, service, { owner, once }));
    }),
  );
}

/** `owner`: the service, where there are others. `once`: what is true of each is said of the first. */
function scenarioLines(
  name: string,
  request: RequestProposal,
  service: ServiceProposal | null,
  { owner, once }: { owner: string | null; once(comment: string): string | undefined },
): Line[] {
  const { rate } = request;
  const warmup = service === null ? 0 : warmupOf(service, rate);
  const compiled = warmup === 0 ? null : WIDE_MARGINS.compiled;
  const wide = service !== null && takesTurns(service) ? WIDE_MARGINS.alternate : compiled;
  return [
    line(`  ${word(name)}:`),
    ...(owner === null ? [] : [line(`    services: [${word(owner)}]`)]),
    requestLine(request, service),
    line(`    rate: ${rate.rps}/s`, once(describeRate(rate))),
    ...(warmup === 0 ? [] : [line(`    warmup: ${warmup}`, once("it compiles as it runs"))]),
    ...(service === null ? [] : pairsLine(service, once)),
    ...(wide === null
      ? []
      : [
          line(
            `    metrics: { p99: { margin: ${wide.margin} } }`,
            once(`${wide.why}: a narrower one takes many more rounds`),
          ),
        ]),
  ];
}

function warmupOf({ program }: ServiceProposal, { rps }: RateProposal): number {
  return Math.min(WARMUP_REQUESTS[program.language] ?? 0, Math.ceil(rps * WARMUP_SECONDS_AT_RATE));
}

/** The number with which so much load tells most, by what launches and pairs take (Cochran 1977, §10.6). */
function pairsLine(
  service: ServiceProposal,
  once: (comment: string) => string | undefined,
): Line[] {
  const { trial, requests } = service;
  if (trial?.kind !== "ran") return [];
  let [launchMs, slicesMs] = [trial.startupMs, 0];
  for (const { rate } of requests) {
    const msOf = (sent: number): number => (1000 * sent) / rate.rps;
    launchMs += msOf(warmupOf(service, rate)) * RATE_SHARE;
    // As long as one is by default, about. What is guessed may get a lower rate, and longer slices.
    const leastMs = rate.kind === "measured" ? 500 : 2000;
    slicesMs += Math.max(leastMs, msOf(120), Math.min(msOf(500), 2000));
  }
  const pairs = Math.round(Math.sqrt((PAIR_NOISE * launchMs) / slicesMs));
  if (pairs <= USUAL_PAIRS) return [];
  const why = `it took ${formatAmount("ms", trial.startupMs)} to start: a launch is worth more load`;
  return [line(`    slice: { pairs: ${pairs} }`, once(why))];
}

function requestLine(request: RequestProposal, service: ServiceProposal | null): Line {
  const { method, path, isConfirmed, isCompressed } = request;
  if (isCompressed) {
    return line(
      `    request: { path: ${word(path)}, headers: { accept-encoding: gzip } }`,
      "it compresses, and most clients ask for that",
    );
  }
  const text =
    method === "GET"
      ? `    request: ${word(`GET ${path}`)}`
      : `    request: { method: ${method}, path: ${word(path)}, json: {} }`;
  return isConfirmed ? { text } : { text, comment: whyUnsure(request, service) };
}

/** What to look at in a request that nobody has seen answered. */
function whyUnsure(request: RequestProposal, service: ServiceProposal | null): string {
  const { method, seenIn, isFilled } = request;
  const refusal = service === null ? null : refusalOf(request, service);
  const answered = refusal === null ? "" : `${describeRefusal(refusal)}: `;
  if (refusal?.status === 401 || refusal?.status === 403)
    return `${answered}log in by \`before\`, or ask for what needs no login`;
  if (method !== "GET") return `${answered}a body that it accepts`;
  if (refusal !== null) return `${answered}ask for something that exists`;
  if (seenIn === null) return "no route was seen: a request whose latency matters";
  if (isFilled) return "its parameters are a guess: ask for something that exists";
  return service?.trial != null
    ? "a request whose latency matters; one scenario for each"
    : "not asked: init --run keeps what answers; one scenario for each whose latency matters";
}

function describeRate(rate: RateProposal): string {
  const wanted = "what it gets in production, or a third of what one core can do";
  switch (rate.kind) {
    case "usual":
      return `a guess (init --run measures it): ${wanted}`;
    case "unsettled":
      return `${wanted}, which could not be measured`;
    case "measured":
      return `${formatShare((rate.rps * rate.cpuUs) / 1e6)} of one core: a request took ${formatAmount("us", rate.cpuUs)} of CPU here`;
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
  const segments = (pattern.split("?")[0] ?? "")
    .split("/")
    .map((segment) => segment.replace(/\.(?:html|json|xml)$/, ""))
    .filter((segment) => segment !== "");
  const isWord = (segment: string): boolean => /^[A-Za-z][\w-]*$/.test(segment);
  const last = segments.filter((one) => isWord(one) && !/^(?:api|v\d+)$/.test(one)).at(-1);
  if (last === undefined) return "home";
  return isWord(segments.at(-1) ?? "") ? last.slice(0, 60) : `${last.slice(0, 50)}-item`;
}
