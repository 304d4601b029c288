// What a program needs beside itself, from what it imports and what its sample environment names.
// Pure.
import { MYSQL_PARTS, mysqlUrl } from "./mysql.ts";
import type { Container } from "./parse-container.ts";
import { variablesIn } from "./parse-port.ts";
import type { Samples } from "./parse-samples.ts";
import { baseOf, isUnder } from "./paths.ts";
import type { Needs, Program, Server } from "./proposal.ts";
import type { SourceFile } from "./source-text.ts";
import type { Tree } from "./tree.ts";

export const words = (text: string): string[] => text.trim().split(/\s+/);

/** Names of packages, whole or up to a slash. */
const SERVERS: Record<Server, readonly string[]> = {
  postgresql: words(`
    tokio-postgres deadpool-postgres postgres sqlx diesel sea-orm github.com/jackc/pgx
    github.com/lib/pq gorm.io/driver/postgres github.com/go-pg/pg github.com/uptrace/bun/driver/pgdriver
    pg pg-promise @prisma/adapter-pg psycopg psycopg2 psycopg2-binary asyncpg postgresql`),
  redis: words(`
    redis fred deadpool-redis bb8-redis github.com/redis/go-redis github.com/go-redis/redis
    github.com/gomodule/redigo github.com/redis/rueidis ioredis @fastify/redis aioredis jedis
    lettuce-core django-redis spring-boot-starter-data-redis spring-boot-starter-data-redis-reactive`),
  mysql: words(`
    mysql mysql2 mysql_async sqlx diesel sea-orm pymysql mysqlclient aiomysql mariadb
    github.com/go-sql-driver/mysql gorm.io/driver/mysql mysql-connector-j mysql-connector-java
    mariadb-java-client`),
};
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  MongoDB: words(`
    mongodb mongoose pymongo motor go.mongodb.org/mongo-driver spring-boot-starter-data-mongodb`),
  Kafka: words(`
    kafkajs rdkafka kafka-python aiokafka confluent-kafka spring-kafka
    github.com/segmentio/kafka-go github.com/IBM/sarama github.com/confluentinc/confluent-kafka-go`),
  RabbitMQ: words(`
    lapin amqplib pika aio-pika github.com/rabbitmq/amqp091-go spring-boot-starter-amqp`),
  NATS: words("nats nats-py async-nats github.com/nats-io/nats.go"),
  Elasticsearch: words(`
    elasticsearch @elastic/elasticsearch github.com/elastic/go-elasticsearch`),
  Memcached: words("pymemcache memjs github.com/bradfitz/gomemcache"),
  Cassandra: words("scylla cassandra-driver github.com/gocql/gocql"),
};
/** By the name of an image, without its place and tag. */
const IMAGES: Readonly<Record<string, RegExp>> = {
  postgresql: /postg(?:res|is)|timescale/,
  redis: /redis|valkey|keydb|dragonfly/,
  mysql: /mysql|mariadb|percona/,
  MongoDB: /mongo/,
  Kafka: /kafka|redpanda/,
  RabbitMQ: /rabbitmq/,
  NATS: /nats/,
  Elasticsearch: /elasticsearch|opensearch/,
  Memcached: /memcached/,
  Cassandra: /cassandra|scylla/,
};

/** Null: none that is known, such as another service. */
function kindOfImage(image: string): string | null {
  const name = baseOf(image).replace(/[:@].*$/, "");
  return Object.keys(IMAGES).find((kind) => IMAGES[kind]?.test(name)) ?? null;
}

/** What these drive is known only by a variable: the same package speaks to several databases. */
const ONE_OF_SEVERAL = new Set(["sqlx", "diesel", "sea-orm"]);
/** `REDIS_ENABLED=false` */
const OFF = /^(?:false|0|no|off)$/i;
const MYSQL = /^(?:jdbc:)?(?:mysql|mariadb)/;
const OTHER_DATABASE = /^(?:sqlite|mssql)/;

/** What is read of a program. */
export interface Evidence {
  files: readonly SourceFile[];
  samples: Samples;
  containers: readonly Container[];
}

/** The first of the packages that is one of these, or lies in one; undefined: none is. */
export function usedOf(packages: readonly string[], names: readonly string[]): string | undefined {
  return packages.find((one) =>
    names.some((name) => one === name || (name.includes("/") && one.startsWith(`${name}/`))),
  );
}

/** `hasMysql`: whether this machine has a server of it. */
export function findNeeds(
  program: Program,
  tree: Tree,
  { files, samples, containers, hasMysql }: Evidence & { hasMysql: boolean },
): Needs {
  const read = files.flatMap(({ text }) => variablesIn(text));
  const prisma = prismaSource(program, tree);
  const names = [...new Set([...read, ...prisma.variables, ...samples.keys()])].sort();
  const beside = containers.flatMap((one) =>
    one.beside.map((name) => ({ name, seenIn: one.seenIn, kind: kindOfImage(name) })),
  );

  const driverOf = (kind: Server): string | undefined => {
    const imported = usedOf(program.packages, SERVERS[kind]);
    return imported !== undefined && isReally(kind, imported, files, samples)
      ? imported
      : undefined;
  };
  // Drivers for both, and the address of one: the other is an alternative.
  const ofMysql = names.filter((name) => partIn(name, "mysql") !== null);
  const hasOneAddress =
    ofMysql.length > 0 && ofMysql.every((name) => partIn(name, "postgresql") !== null);
  const isLeftOut = (kind: Server): boolean =>
    OFF.test(samples.get(`${nameOf(kind).toUpperCase()}_ENABLED`)?.value ?? "") ||
    (kind === "mysql" && hasOneAddress && driverOf("postgresql") !== undefined);
  // A variable that could be of both is PostgreSQL's: what comes last counts.
  const found = (["mysql", "postgresql", "redis"] as const).flatMap((kind) => {
    if (prisma.provider === kind) return [{ kind, seenIn: prisma.path }];
    const image = beside.find((one) => one.kind === kind);
    const seenIn = (isLeftOut(kind) ? undefined : driverOf(kind)) ?? image?.seenIn;
    return seenIn === undefined ? [] : [{ kind, seenIn }];
  });
  const servers = found.filter(({ kind }) => kind !== "mysql" || hasMysql);
  const variables = Object.fromEntries(
    servers.flatMap(({ kind }) => [
      ...Object.entries(addressesIn(names, kind, program, samples)),
      ...Object.entries(program.framework === "spring-boot" ? springAddress(kind, program) : {}),
    ]),
  );
  const others = Object.entries(OTHERS).flatMap(([name, packages]) => {
    const seenIn =
      usedOf(program.packages, packages) ?? beside.find(({ kind }) => kind === name)?.seenIn;
    return seenIn === undefined ? [] : [{ name, seenIn }];
  });
  const unknown = [
    ...found
      .filter(({ kind }) => kind === "mysql" && !hasMysql)
      .map((one) => ({ ...one, name: "MySQL" })),
    ...others,
    ...beside.filter(({ kind }) => kind === null),
  ];
  const isTold = (kind: Server, place: string): boolean =>
    Object.values(variables).some((value) => value.includes(`{${nameOf(kind)}.${place}`));
  const kinds = servers.map(({ kind }) => kind);
  return {
    servers,
    variables,
    withoutVariable: kinds.filter((kind) => !isTold(kind, "")),
    withoutDatabase: kinds.filter(
      (kind) =>
        kind !== "mysql" && isTold(kind, "") && !isTold(kind, "url") && !isTold(kind, "database"),
    ),
    others: unknown,
  };
}

/** The database that Prisma drives, which no package names. */
function prismaSource({ home, packages }: Program, tree: Tree) {
  const path = packages.includes("@prisma/client")
    ? tree.paths.find((one) => one.endsWith(".prisma") && isUnder(one, home))
    : undefined;
  const source = /\bdatasource\s+\w+\s*\{([^}]*)\}/.exec(
    path === undefined ? "" : tree.read(path),
  )?.[1];
  return {
    path: path ?? "",
    provider: /\bprovider\s*=\s*"(\w+)"/.exec(source ?? "")?.[1] ?? null,
    variables: [...(source ?? "").matchAll(/\benv\("([A-Z][A-Z0-9_]*)"\)/g)].map(
      ([, name = ""]) => name,
    ),
  };
}

/** The dependency's name in the configuration. */
export function nameOf(kind: Server): string {
  return kind === "postgresql" ? "postgres" : kind;
}

/** The server that a service's tables are in; null: none is. */
export function databaseOf({ servers }: Needs): "postgresql" | "mysql" | null {
  const kinds = servers.map(({ kind }) => kind);
  return (["postgresql", "mysql"] as const).find((kind) => kinds.includes(kind)) ?? null;
}

function isReally(
  kind: Server,
  imported: string,
  files: readonly SourceFile[],
  samples: Samples,
): boolean {
  if (!ONE_OF_SEVERAL.has(imported)) return true;
  const url = samples.get("DATABASE_URL")?.value ?? "";
  if (kind === "mysql") return MYSQL.test(url);
  if (MYSQL.test(url) || OTHER_DATABASE.test(url)) return false;
  if (/^postgres/.test(url)) return true;
  return files.some(({ text }) => /postgres|\bPg[A-Z]/.test(text));
}

const PREFIXES: Record<Server, string> = {
  postgresql: "(?:[A-Z]+_)?(?:DATABASE|POSTGRES(?:QL)?|PG|DB)",
  redis: "(?:[A-Z]+_)?(?:REDIS|CACHE)",
  mysql: "(?:[A-Z]+_)?(?:DATABASE|MYSQL|MARIADB|DB)",
};

type Part = "url" | "host" | "port" | "address" | "user" | "password" | "database";
const PARTS: readonly [Part, RegExp][] = [
  ["url", /^(?:URL|URI|DSN|CONN(?:ECTION)?(?:_STRING)?)$/],
  ["host", /^(?:HOST|SERVER)$/],
  ["port", /^PORT$/],
  ["address", /^ADDR(?:ESS)?$/],
  ["user", /^USER(?:NAME)?$/],
  ["password", /^PASS(?:WORD)?$/],
  ["database", /^(?:DB|DATABASE|NAME|DBNAME|DB_NAME)$/],
];
/** PostgreSQL takes any; a Redis without one refuses them all. */
const ANY_PASSWORD = "any";
/** What is told beside host and port. */
const PARTS_OF: Record<Server, Partial<Record<Part, string>>> = {
  postgresql: { database: "{postgres.database}", user: "{postgres.user}", password: ANY_PASSWORD },
  redis: { database: "{redis.database}" },
  mysql: MYSQL_PARTS,
};

/** What a variable of this name holds of the address of a server of this kind; null: nothing. */
export function partIn(name: string, kind: Server): Part | null {
  // With something behind it: `DB` of `POSTGRES_DB` is the part.
  const prefix = new RegExp(`^${PREFIXES[kind]}_?(?=.)`);
  const rest = prefix.test(name) ? name.replace(prefix, "") : "";
  const part = PARTS.find(([, pattern]) => pattern.test(rest))?.[0] ?? null;
  // Redis numbers its databases: a name is of something else.
  return kind === "redis" && part === "database" && rest.endsWith("NAME") ? null : part;
}

/** What variables of these names hold of the server's address. */
function addressesIn(
  names: readonly string[],
  kind: Server,
  { language }: Program,
  samples: Samples,
): Record<string, string> {
  const server = nameOf(kind);
  const found = names.flatMap((name): [string, Part][] => {
    const part = partIn(name, kind);
    return part === null ? [] : [[name, part]];
  });
  const has = (part: Part): boolean => found.some(([, one]) => one === part);
  const isInParts = !has("url") && (has("host") || has("address"));
  const values: Partial<Record<Part, string>> = {
    // Of Java a URL of its own kind, or with a user in it, which its drivers do not read.
    ...(language === "java" ? {} : { url: `{${server}.url}` }),
    host: `{${server}.host}`,
    port: `{${server}.port}`,
    address: `{${server}.host}:{${server}.port}`,
    ...(isInParts ? PARTS_OF[kind] : {}),
  };
  const isMysqlUrl = (part: Part): boolean => kind === "mysql" && part === "url";
  return Object.fromEntries(
    found.flatMap(([name, part]) => {
      const value =
        isMysqlUrl(part) && language !== "java"
          ? mysqlUrl(samples.get(name)?.value ?? "", language)
          : values[part];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Variables override what its files of settings say. */
function springAddress(kind: Server, { packages }: Program): Record<string, string> {
  if (kind === "redis") {
    return {
      SPRING_DATA_REDIS_HOST: "{redis.host}",
      SPRING_DATA_REDIS_PORT: "{redis.port}",
      SPRING_DATA_REDIS_DATABASE: "{redis.database}",
    };
  }
  const server = nameOf(kind);
  const mysql = packages.includes("mariadb-java-client") ? "mariadb" : "mysql";
  const { database = "", user = "", password = "" } = PARTS_OF[kind];
  return {
    SPRING_DATASOURCE_URL: `jdbc:${kind === "mysql" ? mysql : kind}://{${server}.host}:{${server}.port}/${database}`,
    SPRING_DATASOURCE_USERNAME: user,
    SPRING_DATASOURCE_PASSWORD: password,
  };
}
