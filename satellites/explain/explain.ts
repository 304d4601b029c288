// `explain`: profiles of both builds → why one costs more, as a value and as a document.
import type { ExplainKernel } from "../../src/core/model/explain.ts";
import type { Arm } from "../../src/core/model/samples.ts";
import { type Document, list } from "../../src/core/report/kit/blocks.ts";
import { explain as explainSession } from "./explanation.ts";
import { flameSection } from "./flame.ts";
import { foldPairs } from "./fold.ts";
import { encodePprof } from "./pprof.ts";
import { type Recorded, recordSession } from "./record/session.ts";
import { tellExplanation } from "./words.ts";

export async function explain(kernel: ExplainKernel) {
  const recorded = await recordSession(kernel);
  const { refused, notes, session } = recorded;
  const pairs = foldPairs(session);
  const explanation = explainSession(session, pairs);
  const profiles: Partial<Record<Arm, Uint8Array>> =
    refused !== null
      ? {}
      : {
          reference: encodePprof(session.launches, "reference"),
          candidate: encodePprof(session.launches, "candidate"),
        };
  const document: Document = {
    mark: null,
    headline: "Why one build costs more than the other",
    summary: [...tellExplanation(explanation), list(limitsOf(recorded))],
    sections: [flameSection(pairs, explanation)],
  };
  return { result: { tool: kernel.tool, ...explanation, refused, notes }, document, profiles };
}

/** What could not be had, with the line that would permit more. */
function limitsOf({ refused, notes }: Recorded) {
  const why = `No function is named, since there are no profiles: ${refused?.why}.`;
  const perf = refused === null ? [] : [{ text: why, fix: refused.next }];
  return [...perf, ...notes.map((text) => ({ text }))];
}
