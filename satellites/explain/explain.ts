// `explain`: profiles of both builds → why one costs more, as a value and as a document.
import type { ExplainKernel } from "../../src/core/model/explain.ts";
import { type Document, list } from "../../src/core/report/kit/blocks.ts";
import { explain as explainSession } from "./explanation.ts";
import { type Recorded, recordSession } from "./record/session.ts";
import { tellExplanation } from "./words.ts";

export async function explain(
  kernel: ExplainKernel,
): Promise<{ result: object; document: Document }> {
  const recorded = await recordSession(kernel);
  const explanation = explainSession(recorded.session);
  const { refused, notes } = recorded;
  return {
    result: { ...explanation, refused, notes },
    document: {
      mark: null,
      headline: "Why one build costs more than the other",
      summary: [...tellExplanation(explanation), list(limitsOf(recorded))],
      sections: [],
    },
  };
}

/** What could not be had, with the line that would permit more. */
function limitsOf({ refused, notes }: Recorded) {
  const counts = "so that no function is named";
  const perf =
    refused === null
      ? []
      : [{ text: `Without profiles, ${counts}: ${refused.why}.`, fix: refused.next }];
  return [...perf, ...notes.map((text) => ({ text }))];
}
