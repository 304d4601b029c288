// The servers that the proposed services need -> the dependencies of tailgate.yml. Pure.
import { plainLine } from "../../src/core/text/escape.ts";
import { databaseOf, nameOf } from "./find-needs.ts";
import { mysqlLines } from "./mysql.ts";
import type { Schema, Server, ServiceProposal } from "./proposal.ts";
import { disabled, type Line, word } from "./yaml-text.ts";

/** A dependency of the file, shared by all services with the same schema. */
export interface Dependency {
  name: string;
  kind: Server;
  schema: Schema | null;
  /** The service that makes its tables, and where it says so; null: none does. */
  madeBy: { name: string; seenIn: string } | null;
  /** It runs while a service is built, and at no other time. */
  onlyBuilds: boolean;
}

const WITH_ROWS = "with as many rows as in production, answers take as long as there";

export interface OwnDependencies {
  run: readonly Dependency[];
  /** What must run while the service is built; null: nothing. */
  build: Dependency | null;
}

/** By the service's name. */
export function dependenciesOf(
  services: readonly ServiceProposal[],
): ReadonlyMap<string, OwnDependencies> {
  const made = new Map<string, Dependency>();
  const shared = (base: string, service: string, rest: Omit<Dependency, "name">): Dependency => {
    const key = JSON.stringify([base, rest]);
    const isFirst = ![...made.values()].some(({ name }) => name === base);
    const name = isFirst ? base : `${base}-${service}`.slice(0, 64);
    const dependency = made.get(key) ?? { name, ...rest };
    made.set(key, dependency);
    return dependency;
  };
  const all = new Map<string, OwnDependencies>();
  for (const { program, needs, schema, migratesIn, isBuiltWithDatabase } of services) {
    const { name } = program;
    const run = needs.servers.map(({ kind }) => {
      const hasTables = kind === databaseOf(needs);
      const madeBy = hasTables && migratesIn !== null ? { name, seenIn: migratesIn } : null;
      // A program has a folder, whose changes count: no more of the repository than need be.
      const none = kind === "mysql" ? { dir: program.dir, files: [] } : null;
      const own = (hasTables && madeBy === null ? schema : null) ?? none;
      return shared(nameOf(kind), name, { kind, schema: own, madeBy, onlyBuilds: false });
    });
    const database = run.find(({ kind }) => kind === "postgresql") ?? null;
    // Its own start would find the tables there already.
    const build =
      database?.madeBy == null
        ? database
        : shared(`${database.name}-build`, name, {
            ...{ kind: "postgresql", schema, madeBy: null, onlyBuilds: true },
          });
    all.set(name, { run, build: isBuiltWithDatabase ? build : null });
  }
  return all;
}

/** What only services that are left out need has no effect. */
export function dependencyLines(
  services: ReadonlyMap<string, OwnDependencies>,
  leftOut: ReadonlySet<string>,
): Line[] {
  const neededBy = (names: Iterable<string>): Set<Dependency> => {
    const own = [...names].flatMap((name) => services.get(name) ?? []);
    return new Set(own.flatMap(({ run, build }) => (build === null ? run : [...run, build])));
  };
  const all = neededBy(services.keys());
  const kept = neededBy(services.keys().filter((name) => !leftOut.has(name)));
  const header = all.size === 0 ? [] : [{ text: "dependencies:" }];
  return [
    ...(kept.size === 0 ? header.map(disabled) : header),
    ...[...all].flatMap((one) => (kept.has(one) ? linesOf(one) : linesOf(one).map(disabled))),
  ];
}

function linesOf(dependency: Dependency): Line[] {
  const { name, kind, schema, madeBy } = dependency;
  if (kind !== "mysql" || schema === null) return [dependencyLine(dependency)];
  const made = madeBy === null ? null : `${madeBy.name} makes its tables`;
  const none = schema.files.length === 0 ? "no SQL of its tables was seen" : null;
  return mysqlLines(name, schema, `one for both builds; ${made ?? none ?? WITH_ROWS}`);
}

function dependencyLine({ name, kind, schema, madeBy, onlyBuilds }: Dependency): Line {
  if (kind === "redis") return { text: `  ${name}: { kind: redis }` };
  if (madeBy !== null) {
    return {
      text: `  ${name}: { kind: postgresql, seed: { by: ${word(madeBy.name)} } }`,
      comment: `its start makes the tables (${plainLine(madeBy.seenIn)}), without rows to read: a service's before can add some`,
    };
  }
  if (schema === null) {
    return {
      text: `  ${name}: { kind: postgresql }`,
      comment: "no SQL of its tables was seen: list the files as schema, and rows to read",
    };
  }
  const dir = schema.dir === "." ? "" : `dir: ${word(schema.dir)}, `;
  return {
    text: `  ${name}: { kind: postgresql, ${dir}schema: [${schema.files.map(word).join(", ")}] }`,
    comment: onlyBuilds ? "for the build alone, which only needs its tables" : WITH_ROWS,
  };
}
