// `explain`: profiles of both builds → why one costs more, as a value and as a document.
import type { ExplainKernel } from "../../src/core/model/kernels.ts";
import { type Document, list } from "../../src/core/report/kit/blocks.ts";
import { briefOf } from "./brief.ts";
import { type Explanation, explain as explainSession } from "./explanation.ts";
import { flameSection } from "./flame.ts";
import { foldPairs } from "./fold.ts";
import { encodePprof } from "./pprof.ts";
import type { Refused } from "./record/permission.ts";
import { type Recorded, recordSession } from "./record/session.ts";
import { plainSentence, tellExplanation } from "./words.ts";

export { checkPerf } from "./record/permission.ts";
export { chooseRed } from "./red.ts";

/** The document `tailgate.explanation.v1`. */
export interface ExplanationRecord extends Explanation {
  schema: "tailgate.explanation.v1";
  tool: string;
  /** Why, in one sentence. */
  sentence: string;
  /** Explains it again. */
  again: string;
  /** Why there are no profiles, and the line that would permit some; null: there are. */
  refused: Refused | null;
  /** What else could not be had. */
  notes: readonly string[];
}

export async function explain(kernel: ExplainKernel) {
  const recorded = await recordSession(kernel);
  const { refused, notes, session } = recorded;
  const pairs = foldPairs(session);
  const explanation = explainSession(session, pairs);
  const arms = refused === null ? (["reference", "candidate"] as const) : [];
  const profiles = arms.map((arm) => [`${arm}.pprof`, encodePprof(session.launches, arm)]);
  const document: Document = {
    mark: null,
    headline: "Why one build costs more than the other",
    summary: [...tellExplanation(explanation), list(limitsOf(recorded))],
    sections: [flameSection(pairs, explanation)],
  };
  const result: ExplanationRecord = {
    ...{ schema: "tailgate.explanation.v1", tool: kernel.tool },
    ...{ sentence: plainSentence(explanation), again: kernel.again },
    ...{ ...explanation, refused, notes },
  };
  const brief = briefOf(explanation);
  return { result, document, brief, profiles: Object.fromEntries(profiles) };
}

/** What could not be had, with the line that would permit more. */
function limitsOf({ refused, notes }: Recorded) {
  const why = `No function is named, since there are no profiles: ${refused?.why}.`;
  const perf = refused === null ? [] : [{ text: why, fix: refused.next }];
  return [...perf, ...notes.map((text) => ({ text }))];
}
