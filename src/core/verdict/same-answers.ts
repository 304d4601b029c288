// Whether both arms did the same work, as far as single answers to the same request show it: an
// empty list with status 200 is fast. Answers of two launches are compared, so that what varies by
// itself (times, addresses, orders) is told from a change. Pure.
import { entriesOf } from "../model/parts.ts";
import type { Answer, Arm, Samples } from "../model/samples.ts";
import type { Caution, Fault } from "../model/verdict.ts";

type Differing = Omit<Extract<Caution, { code: "answers-differ" }>, "code" | "scenario">;

export function differingFaults(samples: Samples, scenario: string): Fault[] {
  const isAsked = samples.config.scenarios.some(
    ({ id, answers }) => id === scenario && answers === "same",
  );
  // Stored values keep no answers.
  if (!isAsked || samples.sources.reference === null) return [];
  const of = { scenario, rule: null };
  const found = compareAnswers(samples, scenario);
  switch (found) {
    case "same":
      return [];
    case "unsteady":
      return [{ kind: "answers-unsteady", ...of }];
    case "unknown":
      return samples.run.state === "complete" ? [{ kind: "answers-unsteady", ...of }] : [];
    default:
      return [{ kind: "answers-differ", ...of, ...found }];
  }
}

export function differingCautions(samples: Samples): Caution[] {
  return samples.config.scenarios.flatMap(({ id, answers }): Caution[] => {
    const found = answers === "same" ? "same" : compareAnswers(samples, id);
    return typeof found === "string" ? [] : [{ code: "answers-differ", scenario: id, ...found }];
  });
}

/** `unsteady`: an arm does not agree with itself. `unknown`: there are not two answers of each. */
function compareAnswers(
  samples: Samples,
  scenario: string,
): Differing | "same" | "unsteady" | "unknown" {
  const of = (arm: Arm): Answer[] =>
    entriesOf(samples.rounds, scenario).flatMap(({ answers }) => answers?.[arm] ?? []);
  const both = [of("candidate"), of("reference")] as const;
  const [[candidate], [reference]] = both;
  if (candidate === undefined || reference === undefined) return "unknown";
  if (both.some((answers) => answers.length < 2)) return "unknown";
  const isSteady = (key: keyof Answer): boolean =>
    both.every((answers) => answers.every((one) => one[key] === answers[0]?.[key]));
  const differs = (key: keyof Answer): boolean =>
    isSteady(key) && candidate[key] !== reference[key];
  const shown = ({ bytes, contentType }: Answer) => ({ bytes, contentType });
  const arms = { candidate: shown(candidate), reference: shown(reference) };
  if (differs("bytes")) return { what: "size", ...arms };
  if (differs("sha256") || differs("contentType")) return { what: "content", ...arms };
  return isSteady("sha256") ? "same" : "unsteady";
}
