// What a dependency's arms share, in words.
import type { DependencyFacts } from "../../model/samples.ts";

/** Empty: nothing to tell. */
export function describeIsolation({ isolation, written }: DependencyFacts): string {
  if (isolation === undefined) return "";
  if (isolation === "shared") return "shared by both";
  if (written === undefined) return "a copy for each";
  const { service, arm, transactions, schemaChanged } = written;
  const what = [
    `${transactions} ${transactions === 1 ? "transaction" : "transactions"}`,
    ...(schemaChanged ? ["other tables, columns or indexes"] : []),
  ].join(", ");
  return `a copy for each, because ${service} (${arm}) writes at its first start or requests (${what})`;
}
