// The property of the reporting job over many hostile artifacts: none stops it, each ends in a
// comment of our own that is inert and in a status, and no run that regressed everywhere becomes a
// pass.
import { expect } from "vitest";
import { checkHarmless } from "./harmless.ts";
import { hostileArtifact } from "./hostile-artifact.ts";
import { OUR_COMMENT, publish } from "./publication.ts";

/** How often each outcome came about, so that a generator that only makes garbage is seen. */
export async function checkHostile(from: number, count: number): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  for (let seed = from; seed < from + count; seed++) {
    const { what, bytes } = hostileArtifact(seed);
    const { comment, status, plan, outcome } = await publish(bytes);
    checkHarmless(comment, what);
    expect(plan, what).toMatchObject({ kind: "update", id: OUR_COMMENT });
    expect(status.state, what).not.toBe("success");
    expect(status.description.length, what).toBeLessThanOrEqual(140);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  return outcomes;
}
