// Reads what oha says of a run in JSON. Only counts are taken from it: its percentiles are not ours
// (see docs/method.md).
import { z } from "zod";

const counts = z.record(z.string(), z.int().min(0));

const OhaJson = z.object({
  statusCodeDistribution: counts,
  errorDistribution: counts,
});

type OhaCounts =
  | { ok: true; statuses: Record<string, number>; errors: Record<string, number> }
  | { ok: false; why: string };

export function parseOha(text: string): OhaCounts {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, why: "oha's report is not JSON" };
  }
  const parsed = OhaJson.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return {
      ok: false,
      why: `oha's report has no usable ${issue?.path.join(".") ?? "content"}: ${issue?.message ?? ""}`,
    };
  }
  return {
    ok: true,
    statuses: parsed.data.statusCodeDistribution,
    errors: parsed.data.errorDistribution,
  };
}
