// What runs beside a service, and what of it the arms share, in words.
import type { DependencyFacts } from "../../model/samples.ts";

/** Empty: there are none. */
export function describeDependencies(dependencies: readonly DependencyFacts[]): string {
  return dependencies
    .map((facts) => `${facts.name}: ${facts.program}, ${describeIsolation(facts)}`)
    .join("; ");
}

/** What does not say how it is shared is a program, or of a version that shared everything. */
export function describeIsolation({
  isolation = "shared",
  written,
}: Pick<DependencyFacts, "isolation" | "written">): string {
  if (isolation === "shared") return "shared by both";
  if (written === undefined) return "a copy for each";
  const { service, arm, transactions, schemaChanged } = written;
  const what = [
    `${transactions} ${transactions === 1 ? "transaction" : "transactions"}`,
    ...(schemaChanged ? ["other tables, columns or indexes"] : []),
  ].join(", ");
  return `a copy for each, because ${service} (${arm}) writes at its first start or requests (${what})`;
}
