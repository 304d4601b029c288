// One dependency as written -> what is started. Pure.
import type { Dependency, Seed, Service } from "../../model/config.ts";
import { noSuch, type Report, within } from "../problem.ts";
import { pathInside } from "../relative-path.ts";
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
  const own = within(report, "dependencies", name);
  const { folders } = known;
  switch (source.kind) {
    case "redis":
      return {
        kind: "redis",
        name,
        dir: source.dir === undefined ? undefined : resolveDir(source.dir, folders, own),
        ...resolveData(name, source, known, own),
      };
    case "program":
      return { kind: "program", name, recipe: resolveDependencyProgram(source, folders, own) };
    case "postgresql": {
      const dir = resolveDir(source.dir, folders, own);
      const files = typeof source.schema === "string" ? [source.schema] : (source.schema ?? []);
      const schema = files.map((file, i) => {
        const at = typeof source.schema === "string" ? ["schema"] : ["schema", i];
        return pathInside("dir", "file", file, within(own, ...at)) ?? file;
      });
      return { kind: "postgresql", name, dir, schema, ...resolveData(name, source, known, own) };
    }
  }
}

type DataSource = Pick<Extract<DependencySource, { kind: "redis" }>, "seed" | "isolation">;

function resolveData(name: string, { seed, isolation }: DataSource, known: Known, own: Report) {
  return { seed: seed === undefined ? undefined : resolveSeed(name, seed, known, own), isolation };
}

/** Undefined: reported here, or with the service itself. */
function resolveSeed(
  name: string,
  source: NonNullable<DataSource["seed"]>,
  { services, serviceNames }: Known,
  own: Report,
): Seed | undefined {
  if (typeof source === "string" || Array.isArray(source)) {
    return { kind: "command", command: resolveCommand(source, within(own, "seed")) };
  }
  const { by } = source;
  const at = ["seed", "by"];
  if (!serviceNames.includes(by)) {
    own(at, noSuch("service", by, serviceNames));
    return undefined;
  }
  const recipe = services.find((service) => service.name === by)?.recipe;
  if (recipe === undefined) return undefined;
  if (!recipe.needs.includes(name)) {
    own(
      at,
      `${by} does not need ${name}, so that it cannot fill it; add it to the service's needs`,
    );
  }
  return { kind: "service", service: by, recipe };
}
