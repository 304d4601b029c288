// Where a program says that its port comes from: a variable, a flag, an argument, a number. Pure.
import type { Language, PortWay } from "./proposal.ts";

/** Calls and attributes that name a variable of the environment. */
const READS =
  /(?:process\.env\.|process\.env\[["'`]|Deno\.env\.get\(["']|os\.environ(?:\.get\(|\[)\s*["']|os\.getenv\(\s*["']|\benv::var(?:_os)?\(\s*"|\bos\.(?:Getenv|LookupEnv)\(\s*"|System\.getenv\(\s*"|\benv\s*=\s*"|\benv(?:config)?:"|\$\{)([A-Z][A-Z0-9_]*)/g;
/** A helper of the program's own, such as getEnv("PORT", "8080"). */
const HELPED =
  /\(\s*(?:&?\w+,\s*)?["']([A-Z0-9_]*(?:PORT|ADDR(?:ESS)?|LISTEN|BIND|HOST|URL|URI|DSN|_USER(?:NAME)?|_PASS(?:WORD)?|_DB|_DATABASE|_NAME))["']/g;

/** `#[arg(long, env)] addr: SocketAddr` of clap: the variable has the field's name. */
const FIELD =
  /#\[(?:arg|clap)\([^\]]{0,300}\benv\b(?!\s*=)[^\]]{0,300}\)\]\s*(?:pub(?:\([\w: ]+\))?\s+)?(\w+)\s*:/g;

/** Variables that a source file reads, in its order, each once. */
export function variablesIn(text: string): string[] {
  const found = [...text.matchAll(READS), ...text.matchAll(HELPED), ...text.matchAll(FIELD)];
  const names = found.map(([, name = ""]) => name.toUpperCase());
  return [...new Set(names)].filter((name) => /^[A-Z]/.test(name));
}

/** Ports of something else than the service's own requests. */
const NOT_OWN =
  /(?:^|_)(?:PG|DB_|DATABASE|POSTGRES|MYSQL|MARIADB|REDIS|CACHE|MONGO|SMTP|MAIL|KAFKA|RABBIT|AMQP|NATS|METRICS|DEBUG|INSPECT|GRPC|ADMIN|MANAGEMENT|PROMETHEUS|STATSD|PROXY|UPSTREAM|REMOTE|CONSUL|ELASTIC|ES_|MEMCACHE|OTEL|JAEGER)/;
const ADDRESS = /(?:^|_)(?:ADDR|ADDRESS|LISTEN|BIND)$/;

/** The one of these variables that has the port; null: none looks like it. */
export function portVariable(
  variables: readonly { name: string; seenIn: string }[],
): PortWay | null {
  const [best] = variables
    .filter(({ name }) => (/PORT$/.test(name) || ADDRESS.test(name)) && !NOT_OWN.test(name))
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
const FLAGS: Partial<Record<Language, RegExp>> = {
  go: /\b\w*[fF]lags?(?:\(\))?\.(?:String|Int|Uint)\w*\(\s*(?:&[\w.]+,\s*)?"([\w-]+)"/g,
  rust: /#\[(?:arg|clap)\([^\]]*\blong\b(?:\s*=\s*"([\w-]+)")?[^\]]*\)\]\s*(?:pub\s+)?(\w+)\s*:/g,
  python: /add_argument\(\s*(?:["']-\w["'],\s*)?["']--([\w-]+)["']/g,
};
const ARGUMENTS: Partial<Record<Language, RegExp>> = {
  node: /process\.argv\[2\]/,
  python: /sys\.argv\[1\]/,
  go: /\bos\.Args\[1\]/,
  rust: /\bargs\(\)\.nth\(1\)/,
};

/** A flag or a first argument with the port. */
export function portWords(text: string, language: Language, seenIn: string): PortWay | null {
  const flags = FLAGS[language];
  for (const [, given, field] of flags === undefined ? [] : text.matchAll(flags)) {
    const name = given ?? field?.replaceAll("_", "-") ?? "";
    if (!FLAG_NAME.test(name) || NOT_OWN.test(name.toUpperCase().replaceAll("-", "_"))) continue;
    const value = /port$/i.test(name) ? "{port}" : "127.0.0.1:{port}";
    return { kind: "words", words: [`--${name}`, value], seenIn };
  }
  if (ARGUMENTS[language]?.test(text) === true) return { kind: "words", words: ["{port}"], seenIn };
  return null;
}

const LITERALS: Record<Language, readonly RegExp[]> = {
  go: [
    /(?:ListenAndServe(?:TLS)?\(|\.Run\(|\.Start\(|\.Listen\(|Addr:\s*|net\.Listen\("tcp",\s*)"[^":\n]*:(\d{2,5})"/,
  ],
  rust: [
    /"(?:[\d.]+|localhost|\[::\d?\]):(\d{2,5})"/,
    /\(\[\d+,\s*\d+,\s*\d+,\s*\d+\],\s*(\d{2,5})\b/,
    /bind\(\(\s*"[^"\n]*",\s*(\d{2,5})\b/,
  ],
  node: [
    /\.listen\(\s*(?:\{[^}]{0,200}\bport:\s*)?(\d{2,5})\b/,
    /(?:const|let|var)\s+port\s*(?::\s*number)?\s*=\s*(\d{2,5})\b/i,
  ],
  python: [/HTTPServer\(\(\s*["'][^"'\n]*["']\s*,\s*(\d{2,5})\b/, /\bport\s*=\s*(\d{2,5})\b/i],
  java: [],
};

/** A port that the source itself fixes. */
export function fixedPort(text: string, language: Language, seenIn: string): PortWay | null {
  for (const literal of LITERALS[language]) {
    const port = Number(literal.exec(text)?.[1]);
    if (isPort(port)) return { kind: "fixed", port, seenIn };
  }
  return null;
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
