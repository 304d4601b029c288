// Reads what oha says of a run in JSON. Only counts are taken from it: its percentiles are not ours
// (see docs/method.md).
import * as z from "zod";

const counts = z.record(z.string(), z.int().min(0));

const OhaJson = z
  .object({ statusCodeDistribution: counts, errorDistribution: counts })
  .transform((json) => ({ statuses: json.statusCodeDistribution, errors: json.errorDistribution }));

/** Throws where the report is not what oha writes. */
export function parseOha(text: string): z.output<typeof OhaJson> {
  const parsed = OhaJson.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`no usable ${issue?.path.join(".") ?? "content"}: ${issue?.message ?? ""}`);
}
