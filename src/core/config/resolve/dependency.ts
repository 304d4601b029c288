// One dependency as written -> what is started. Pure.
import type { Dependency } from "../../model/config.ts";
import { type Report, showValue } from "../problem.ts";
import { relativePath } from "../relative-path.ts";
import type { DependencySource } from "../source.ts";
import { type Folders, resolveDependencyProgram, resolveDir } from "./service.ts";

/** Problems go to `report`; the value returned counts only when there were none. */
export function resolveDependency(
  name: string,
  source: DependencySource,
  folders: Folders,
  report: Report,
): Dependency {
  const own: Report = (path, text, at) => report(["dependencies", name, ...path], text, at);
  switch (source.kind) {
    case "redis":
      return { kind: "redis", name };
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
      return { kind: "postgresql", name, dir, schema };
    }
  }
}
