// What a program needs beside itself, from what it imports and what its sample environment names.
// Pure.
import { variablesIn } from "./parse-port.ts";
import type { Samples } from "./parse-samples.ts";
import { isUnder } from "./paths.ts";
import type { Needs, Program, Server } from "./proposal.ts";
import { withoutComments } from "./source-text.ts";
import type { Tree } from "./tree.ts";

/** Names of packages, whole or up to a slash. */
const SERVERS: Record<Server, readonly string[]> = {
  postgresql: [
    ...["tokio-postgres", "deadpool-postgres", "postgres", "sqlx", "diesel", "sea-orm"],
    ...[
      "github.com/jackc/pgx",
      "github.com/lib/pq",
      "gorm.io/driver/postgres",
      "github.com/go-pg/pg",
    ],
    ...["github.com/uptrace/bun/driver/pgdriver", "pg", "pg-promise", "@prisma/adapter-pg"],
    ...["psycopg", "psycopg2", "psycopg2-binary", "asyncpg", "postgresql", "r2dbc-postgresql"],
  ],
  redis: [
    ...["redis", "fred", "deadpool-redis", "bb8-redis", "github.com/redis/go-redis"],
    ...["github.com/go-redis/redis", "github.com/gomodule/redigo", "github.com/redis/rueidis"],
    ...["ioredis", "@fastify/redis", "aioredis", "jedis", "lettuce-core", "django-redis"],
    ...["spring-boot-starter-data-redis", "spring-boot-starter-data-redis-reactive"],
  ],
};
const OTHERS: readonly [name: string, packages: readonly string[]][] = [
  [
    "MySQL",
    [
      "mysql",
      "mysql2",
      "mysql_async",
      "pymysql",
      "mysqlclient",
      "aiomysql",
      "github.com/go-sql-driver/mysql",
      "gorm.io/driver/mysql",
      "mysql-connector-j",
      "mysql-connector-java",
      "mariadb",
    ],
  ],
  [
    "MongoDB",
    [
      "mongodb",
      "mongoose",
      "pymongo",
      "motor",
      "go.mongodb.org/mongo-driver",
      "spring-boot-starter-data-mongodb",
      "mongo",
    ],
  ],
  [
    "Kafka",
    [
      "kafkajs",
      "rdkafka",
      "kafka-python",
      "aiokafka",
      "confluent-kafka",
      "github.com/segmentio/kafka-go",
      "github.com/IBM/sarama",
      "github.com/confluentinc/confluent-kafka-go",
      "spring-kafka",
      "kafka",
      "cp-kafka",
    ],
  ],
  [
    "RabbitMQ",
    [
      "lapin",
      "amqplib",
      "pika",
      "aio-pika",
      "github.com/rabbitmq/amqp091-go",
      "spring-boot-starter-amqp",
      "rabbitmq",
    ],
  ],
  ["NATS", ["async-nats", "nats", "nats-py", "github.com/nats-io/nats.go"]],
  [
    "Elasticsearch",
    [
      "elasticsearch",
      "@elastic/elasticsearch",
      "github.com/elastic/go-elasticsearch",
      "opensearch",
    ],
  ],
  ["Memcached", ["memcached", "pymemcache", "memjs", "github.com/bradfitz/gomemcache"]],
  ["Cassandra", ["scylla", "cassandra-driver", "github.com/gocql/gocql", "cassandra"]],
];
/** What these drive is known only by a variable: the same package speaks to several databases. */
const ONE_OF_SEVERAL = new Set(["sqlx", "diesel", "sea-orm"]);
const OTHER_DATABASE = /^(?:mysql|mariadb|sqlite|mssql|jdbc:mysql)/;

export function findNeeds(program: Program, tree: Tree, samples: Samples): Needs {
  const read = program.sources.flatMap((path) =>
    variablesIn(withoutComments(tree.read(path), program.language)),
  );
  const prisma = prismaSource(program, tree);
  const names = [...new Set([...read, ...prisma.variables, ...samples.variables.keys()])].sort();
  const isServer = (packages: readonly string[]): string | undefined =>
    program.packages.find((one) =>
      packages.some((name) => one === name || (name.includes("/") && one.startsWith(`${name}/`))),
    );

  const servers = (["postgresql", "redis"] as const).flatMap((kind) => {
    if (prisma.provider === kind) return [{ kind, seenIn: prisma.path }];
    const imported = isServer(SERVERS[kind]);
    if (imported === undefined || !isReally(kind, imported, program, samples, tree)) return [];
    return [{ kind, seenIn: imported }];
  });
  const variables: Record<string, string> = {};
  for (const { kind } of servers) {
    for (const name of names) {
      const value = addressIn(name, kind, program);
      if (value !== null) variables[name] = value;
    }
  }
  const others = OTHERS.flatMap(([name, packages]) => {
    const image = samples.images.find((one) => packages.includes(one.name));
    const seenIn = isServer(packages) ?? image?.seenIn;
    return seenIn === undefined ? [] : [{ name, seenIn }];
  });
  return {
    servers,
    variables,
    withoutVariable: servers
      .map(({ kind }) => kind)
      .filter(
        (kind) => !Object.values(variables).some((value) => value.includes(`{${nameOf(kind)}.`)),
      ),
    others,
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
  return kind === "postgresql" ? "postgres" : "redis";
}

function isReally(
  kind: Server,
  imported: string,
  program: Program,
  samples: Samples,
  tree: Tree,
): boolean {
  if (kind !== "postgresql" || !ONE_OF_SEVERAL.has(imported)) return true;
  const url = samples.variables.get("DATABASE_URL")?.value ?? "";
  if (OTHER_DATABASE.test(url)) return false;
  if (/^postgres/.test(url)) return true;
  return program.sources.some((path) => /postgres|\bPg[A-Z]/.test(tree.read(path)));
}

const PREFIXES: Record<Server, string> = {
  postgresql: "(?:[A-Z]+_)?(?:DATABASE|POSTGRES(?:QL)?|PG|DB)",
  redis: "(?:[A-Z]+_)?(?:REDIS|CACHE)",
};

/** What a variable of this name holds of the server's address; null: nothing. */
function addressIn(name: string, kind: Server, { language }: Program): string | null {
  const server = nameOf(kind);
  const part = new RegExp(
    `^${PREFIXES[kind]}_?(URL|URI|DSN|CONN(?:ECTION)?(?:_STRING)?|ADDR(?:ESS)?|HOST|PORT)?$`,
  ).exec(name);
  if (part === null) return null;
  switch (part[1]) {
    case "HOST":
      return `{${server}.host}`;
    case "PORT":
      return `{${server}.port}`;
    case "ADDR":
    case "ADDRESS":
      return `{${server}.host}:{${server}.port}`;
    case undefined:
      return null;
    default:
      return language === "java" ? null : `{${server}.url}`;
  }
}
