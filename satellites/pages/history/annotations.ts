// What people know and no record says: `annotations.yml`, a list of days or commits, each with a text.
import { describeIssues } from "../../../src/core/base/issues.ts";
import { ConfigError } from "../../../src/core/config/problem.ts";
import { parseYaml } from "../../../src/core/config/yaml-document.ts";
import {
  AnnotationsSchema,
  type HistoryRecord,
  type Note,
} from "../../../src/core/model/history.ts";

/** A commit stands where it was measured first. Throws a ConfigError, for which `file` is named. */
export function parseAnnotations(
  text: string,
  file: string,
  records: readonly HistoryRecord[],
): Note[] {
  const yaml = parseYaml(text, { keepsText: () => true });
  if (!yaml.ok) {
    throw new ConfigError(
      file,
      yaml.problems.map((problem) => ({ ...problem, path: "" })),
    );
  }
  const { value, locate } = yaml.document;
  const refuse = (path: readonly (string | number)[], says: string): never => {
    throw new ConfigError(file, [{ position: locate(path, "value"), path: "", text: says }]);
  };
  const parsed = AnnotationsSchema.safeParse(value ?? []);
  if (!parsed.success) {
    const path = (parsed.error.issues[0]?.path ?? []) as (string | number)[];
    return refuse(path, describeIssues(parsed.error, value)[0] ?? "");
  }
  return parsed.data.map((entry, i) => {
    if ("date" in entry) return { at: `${entry.date}T00:00:00.000Z`, text: entry.text };
    const times = records
      .filter(({ commit }) => commit.sha.startsWith(entry.commit))
      .map(({ run }) => run.startedAt)
      .sort();
    const [at] = times;
    if (at !== undefined) return { at, text: entry.text };
    return refuse([i, "commit"], "no run of the history is of this commit; write its date instead");
  });
}
