// Where a program says that its port comes from: a variable, a flag, an argument, a number. Pure.
import {
  anyCase,
  anyOf,
  as,
  code,
  EDGE,
  findAll,
  findFirst,
  maybe,
  oneOf,
  QUOTE,
  TEXT,
  WORD,
} from "./code-pattern.ts";
import type { FixedPort, Language, PortWay } from "./proposal.ts";

/** What stands before the name of a variable of the environment where it is read. */
const READING = anyOf(
  /process\.env\./,
  code`${/process\.env\[/}${QUOTE}`,
  code`${oneOf("Deno.env.get( os.environ[ os.environ.get( os.getenv(")} ${QUOTE}`,
  code`${EDGE}${oneOf("os.Getenv os.LookupEnv env::var env::var_os System.getenv")}( "`,
  // Of an attribute of clap, of a tag of a field in Go, of convict in Node, and in a shell.
  code`${EDGE}env${maybe("config")} ${/[=:]/} ${QUOTE}`,
  "${",
);
const READ = code`${READING}${as("name", /[A-Z][A-Z0-9_]*/)}`;
/** A helper of the program's own, such as getEnv("PORT", "8080"), by what it is asked for. */
const TELLING = oneOf(
  "PORT ADDR ADDRESS LISTEN BIND HOST URL URI DSN _USER _USERNAME _PASS _PASSWORD _DB _DATABASE _NAME",
);
const TOLD = as("name", code`${/[A-Z0-9_]*/}${TELLING}`);
const MARK = /["']/;
const HELPED = code`( ${maybe(code`${/&?\w+/}, `)}${MARK}${TOLD}${MARK}`;

/** A key of what checks the environment, by zod, valibot, TypeBox, Joi, yup or envalid. */
const CHECKS = /(?:z|v|Type|[jJ]oi|yup)\s*\.|(?:port|num|str|host|url)\(/;
const CHECKED = code`${EDGE}${TOLD}: ${CHECKS}`;

/** In Rust, of the name that is read elsewhere by its constant. */
const CONSTANT = code`${EDGE}const${/\s+/}${WORD}: &${maybe("'static ")}str = "${TOLD}"`;

/** `#[arg(long, env)] addr: SocketAddr` of clap: what is not named has the field's name. */
const VISIBLE = maybe(code`pub${maybe(/\([\w: ]+\)/)}${/\s+/}`);
const clapField = (option: RegExp): RegExp =>
  code`#[${oneOf("arg clap")}(${option})] ${VISIBLE}${as("field", WORD)} :`;
const OTHER_OPTIONS = /[^\]]{0,300}/;
const FIELD = clapField(code`${OTHER_OPTIONS}${EDGE}env${EDGE}${/(?!\s*=)/}${OTHER_OPTIONS}`);

/** Variables that a source file reads, in its order, each once. */
export function variablesIn(text: string): string[] {
  const patterns = [READ, HELPED, CHECKED, CONSTANT, FIELD];
  const found = patterns.flatMap((pattern) => findAll(text, pattern));
  const names = found.map(({ groups: { name, field = "" } }) => (name ?? field).toUpperCase());
  return [...new Set(names)].filter((name) => /^[A-Z]/.test(name));
}

/** Begins of words that tell of ports of something else than the service's own requests. */
const OTHERS = oneOf(`
  PG DB_ DATABASE POSTGRES MYSQL MARIADB REDIS CACHE MONGO ELASTIC ES_ MEMCACHE
  SMTP MAIL KAFKA RABBIT AMQP NATS GRPC PROXY UPSTREAM REMOTE CONSUL
  METRICS PROMETHEUS STATSD OTEL JAEGER DEBUG INSPECT ADMIN MANAGEMENT`);
const NOT_OWN = new RegExp(`(?:^|_)(?:${OTHERS.source})`);
/** `name`: of a variable or a flag. */
export function isOfOthers(name: string): boolean {
  return NOT_OWN.test(name.replace(/^-+/, "").toUpperCase().replaceAll("-", "_"));
}
const ADDRESS = /(?:^|_)(?:ADDR|ADDRESS|LISTEN|BIND|ADDR(?:ESS)?_PORT)$/;

/** The one of these variables that has the port; null: none looks like it. */
export function portVariable(
  variables: readonly { name: string; seenIn: string }[],
): PortWay | null {
  const [best] = variables
    .filter(({ name }) => (/PORT$/.test(name) || ADDRESS.test(name)) && !isOfOthers(name))
    .sort((a, b) => likeliness(a.name) - likeliness(b.name));
  if (best === undefined) return null;
  return { kind: "variable", form: ADDRESS.test(best.name) ? "address" : "port", ...best };
}

function likeliness(name: string): number {
  if (name === "PORT") return 0;
  if (/HTTP_(?:PORT|ADDR|ADDRESS|LISTEN|BIND)$/.test(name)) return 1;
  if (/^(?:APP|SERVER|WEB|API|LISTEN|BIND|SERVICE)_?(?:PORT|ADDR|ADDRESS)?$/.test(name)) return 2;
  return ADDRESS.test(name) ? 3 : 4;
}

const FLAG_NAME = /(?:^|[-_])(?:port|addr|address|listen|bind)$/i;
const FLAG = as("name", /[\w-]+/);
/** `flag`, `cmd.Flags()`, `fs` */
const FLAG_SET = code`${anyOf(/\w*[fF]lag(?:s|Set)?/, "fs")}${maybe("()")}`;
const GO_FLAG = code`${EDGE}${FLAG_SET}.${/(?:String|Int|Uint)\w*/}( ${maybe(code`&${/[\w.]+/}, `)}"${FLAG}"`;
const FLAGS: Partial<Record<Language, RegExp>> = {
  go: GO_FLAG,
  rust: clapField(code`${/[^\]]*/}${EDGE}long${EDGE}${maybe(code` = "${FLAG}"`)}${/[^\]]*/}`),
  python: code`add_argument( ${maybe(code`${/["']-\w["']/}, `)}${/["']/}--${FLAG}${/["']/}`,
};
const ARGUMENTS: Partial<Record<Language, RegExp>> = {
  node: /process\.argv\[2\]/,
  python: /sys\.argv\[1\]/,
  go: /\bos\.Args\[1\]/,
  rust: /\bargs\(\)\.nth\(1\)/,
};

/** Ports of its own beside that of its requests, by the flag's name. */
const FURTHER =
  /grpc|metrics|prometheus|admin|debug|pprof|redirect|tcp|udp|tls|https|health|management/i;
/** `flag.String("l", ":8080", …)`: whatever it is called, nobody is asked at such an address. */
const ADDRESS_FLAG = code`${GO_FLAG} , "${maybe("0.0.0.0")}:${/\d{2,5}/}"`;

const NEVER = /(?!)/g;

/** A flag or a first argument with the port. */
export function portWords(text: string, language: Language, seenIn: string): PortWay | null {
  const namesOf = (pattern: RegExp): string[] =>
    findAll(text, pattern).map(
      ({ groups: { name, field = "" } }) => name ?? field.replaceAll("_", "-"),
    );
  const named = namesOf(FLAGS[language] ?? NEVER).filter((name) => FLAG_NAME.test(name));
  const others = namesOf(language === "go" ? ADDRESS_FLAG : NEVER);
  const flag = [...named, ...others.filter((name) => !FURTHER.test(name))].find(
    (name) => !isOfOthers(name),
  );
  if (flag !== undefined) {
    const value = /port$/i.test(flag) ? "{port}" : "127.0.0.1:{port}";
    return { kind: "words", words: [`--${flag}`, value], seenIn };
  }
  if (ARGUMENTS[language]?.test(text) === true) return { kind: "words", words: ["{port}"], seenIn };
  return null;
}

const NUMBER = code`${as("port", /\d{2,5}/)}${EDGE}`;
/** `":8080"`, `"localhost:8080"` */
const GO_ADDRESS = code`"${/[^":\n]*/}:${as("port", /\d{2,5}/)}"`;
const LITERALS: Record<Language, readonly RegExp[]> = {
  go: [
    code`${anyOf(
      code`ListenAndServe${maybe("TLS")}(`,
      code`.${oneOf("Run Start Listen")}(`,
      code`Addr: `,
      code`net.Listen("tcp", `,
    )}${GO_ADDRESS}`,
  ],
  rust: [
    code`"${anyOf(/[\d.]+/, "localhost", /\[::\d?\]/)}:${as("port", /\d{2,5}/)}"`,
    code`([${/\d+/}, ${/\d+/}, ${/\d+/}, ${/\d+/}], ${NUMBER}`,
    code`bind(( "${TEXT}", ${NUMBER}`,
  ],
  node: [
    code`.listen( ${maybe(code`{${/[^}]{0,200}\b/}port: `)}${NUMBER}`,
    code`${oneOf("const let var")}${/\s+/}${anyCase("port")} ${maybe(code`: number `)}= ${NUMBER}`,
  ],
  python: [
    code`HTTPServer(( ${/["'][^"'\n]*["']/} , ${NUMBER}`,
    code`${EDGE}${anyCase("port")} = ${NUMBER}`,
  ],
  java: [],
};

/** A port that the source itself fixes. */
export function fixedPort(text: string, language: Language, seenIn: string): PortWay | null {
  for (const literal of LITERALS[language]) {
    const port = Number(findFirst(text, literal)?.groups.port);
    if (isPort(port)) return { kind: "fixed", port, seenIn };
  }
  return null;
}

/** Of a call, so that it is no default of what a variable says. */
const LISTENED: Partial<Record<Language, readonly RegExp[]>> = {
  go: [
    code`${anyOf("ListenAndServe(", "ListenAndServeTLS(", code`net.Listen("tcp", `)}${GO_ADDRESS}`,
  ],
  rust: [code`bind( ${maybe("&")}"${/[^":\n]*/}:${as("port", /\d{2,5}/)}"`],
  node: [code`.listen( ${NUMBER}`],
  python: [code`start_http_server( ${NUMBER}`, ...LITERALS.python.slice(0, 1)],
};
/** `flag.String("grpc-port", "8079", …)` */
const FLAG_WITH_PORT = code`${GO_FLAG} , ${maybe('"')}${maybe(":")}${as("port", /\d{2,5}/)}${/["\s,]/}`;

/** Ports that it listens on as well, where the one of its requests is told. */
export function furtherPorts(text: string, language: Language, seenIn: string): FixedPort[] {
  const calls = (LISTENED[language] ?? []).flatMap((call) => findAll(text, call));
  const flags = language === "go" ? findAll(text, FLAG_WITH_PORT) : [];
  const own = flags.filter((one) => FURTHER.test(one.groups.name ?? ""));
  return [...calls, ...own]
    .map(({ groups }) => ({ port: Number(groups.port), seenIn, flag: groups.name ?? null }))
    .filter(({ port }) => isPort(port));
}

const SETTING = /^[\s{,]*["']?(?:http_?)?port["']?\s*[:=]\s*["']?(\d{2,5})\b/gim;
/** Of MySQL, PostgreSQL, Redis, RabbitMQ, Elasticsearch, Kafka, MongoDB and mail. */
const PORTS_OF_OTHERS = new Set([25, 465, 587, 1025, 3306, 5432, 5672, 6379, 9092, 9200, 27017]);

/** A port in a file of settings, such as `port: 8080` or `port = 8080`. */
export function portInSettings(text: string, seenIn: string): PortWay | null {
  const port = [...text.matchAll(SETTING)]
    .map(([, number]) => Number(number))
    .find((one) => isPort(one) && !PORTS_OF_OTHERS.has(one));
  return port === undefined ? null : { kind: "fixed", port, seenIn };
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65535;
}
