// One dependency as written -> what is started. Pure.
import { nearest } from "../../base/nearest.ts";
import { showValue } from "../../base/show-value.ts";
import type { Dependency, Seed, Service } from "../../model/config.ts";
import type { Report } from "../problem.ts";
import { relativePath } from "../relative-path.ts";
import type { DependencySource } from "../source/program.ts";
import { type Folders, resolveCommand, resolveDependencyProgram, resolveDir } from "./service.ts";

/** What a dependency may refer to. */
interface Known {
  folders: Folders;
  /** Those that could be resolved. */
  services: readonly Service[];
  /** All of them. */
  serviceNames: readonly string[];
}

/** Problems go to `report`; the value returned counts only when there were none. */
export function resolveDependency(
  name: string,
  source: DependencySource,
  known: Known,
  report: Report,
): Dependency {
  const own: Report = (path, text, at) => report(["dependencies", name, ...path], text, at);
  const { folders } = known;
  switch (source.kind) {
    case "redis":
      return {
        kind: "redis",
        name,
        ...(source.dir === undefined ? {} : { dir: resolveDir(source.dir, folders, own) }),
        ...resolveData(name, source, known, own),
      };
    case "program":
      return { kind: "program", name, recipe: resolveDependencyProgram(source, folders, own) };
    case "postgresql": {
      const dir = resolveDir(source.dir ?? ".", folders, own);
      const files = typeof source.schema === "string" ? [source.schema] : (source.schema ?? []);
      const schema = files.map((file, i) => {
        const path = relativePath(file);
        const at = typeof source.schema === "string" ? ["schema"] : ["schema", i];
        if (path === null) own(at, `got ${showValue(file)}, expected a file inside dir`);
        return path ?? file;
      });
      return { kind: "postgresql", name, dir, schema, ...resolveData(name, source, known, own) };
    }
  }
}

type DataSource = Pick<Extract<DependencySource, { kind: "redis" }>, "seed" | "isolation">;

function resolveData(
  name: string,
  { seed, isolation }: DataSource,
  known: Known,
  own: Report,
): Pick<Extract<Dependency, { kind: "redis" }>, "seed" | "isolation"> {
  const resolved = seed === undefined ? null : resolveSeed(name, seed, known, own);
  return {
    ...(resolved === null ? {} : { seed: resolved }),
    ...(isolation === undefined ? {} : { isolation }),
  };
}

/** Null: reported here, or with the service itself. */
function resolveSeed(
  name: string,
  source: NonNullable<DataSource["seed"]>,
  { services, serviceNames }: Known,
  own: Report,
): Seed | null {
  if (typeof source === "string" || Array.isArray(source)) {
    return { kind: "command", command: resolveCommand(source, ["seed"], own) };
  }
  const { by } = source;
  const at = ["seed", "by"];
  if (!serviceNames.includes(by)) {
    const meant = nearest(by, serviceNames);
    const hint = meant === null ? "" : `; did you mean ${showValue(meant)}?`;
    own(at, `there is no service ${showValue(by)}${hint}`);
    return null;
  }
  const recipe = services.find((service) => service.name === by)?.recipe;
  if (recipe === undefined) return null;
  if (!recipe.needs.includes(name)) {
    own(
      at,
      `${by} does not need ${name}, so that it cannot fill it; add it to the service's needs`,
    );
  }
  return { kind: "service", service: by, recipe };
}
