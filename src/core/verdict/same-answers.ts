// Whether both arms did the same work, by single answers to the same request; two launches tell a
// change from what varies by itself.
import type { Caution } from "../model/caution.ts";
import type { Scenario } from "../model/config.ts";
import type { Fault } from "../model/fault.ts";
import { splitIntoParts } from "../model/mix.ts";
import { entriesOf } from "../model/parts.ts";
import {
  type Answer,
  ARMS,
  type Arm,
  type JsonDifference,
  type Samples,
} from "../model/samples.ts";

type Differing = Omit<Extract<Caution, { code: "answers-differ" }>, "code" | "scenario">;

/** Of a scenario, or a part of one, with a request of its own. */
export function differingFaults(
  samples: Samples,
  { id: scenario, answers: asked = "status" }: Scenario,
): Fault[] {
  // Stored values keep no answers.
  if (asked === "status" || samples.sources.reference === null) return [];
  const of = { scenario, rule: null };
  const answers = answersOf(samples, scenario);
  const found = asked === "same" ? compareAnswers(answers) : compareJson(answers);
  const at = differenceOf(samples, scenario);
  switch (found) {
    case "same":
      return [];
    case "unsteady":
      return [{ kind: "answers-unsteady", ...of, ...at }];
    case "unknown":
      return samples.run.state === "complete" ? [{ kind: "answers-unsteady", ...of, ...at }] : [];
    case "json":
      return [
        {
          kind: "answers-differ",
          ...of,
          what: found,
          ...at,
          ...shown(answers.map(([one]) => one)),
        },
      ];
    case "candidate":
    case "reference":
      return [{ kind: "answers-not-json", ...of, arm: found }];
    default:
      return [{ kind: "answers-differ", ...of, ...found }];
  }
}

export function differingCautions(samples: Samples): Caution[] {
  return splitIntoParts(samples.config.scenarios).flatMap(
    ({ id, answers = "status" }): Caution[] => {
      const found = answers === "status" ? compareAnswers(answersOf(samples, id)) : "same";
      return typeof found === "string" ? [] : [{ code: "answers-differ", scenario: id, ...found }];
    },
  );
}

function answersOf(samples: Samples, scenario: string): Answer[][] {
  const entries = entriesOf(samples.rounds, scenario);
  return ARMS.map((arm) => entries.flatMap(({ answers }) => answers?.[arm] ?? []));
}

function differenceOf(samples: Samples, scenario: string): { difference?: JsonDifference } {
  const [difference] = entriesOf(samples.rounds, scenario).flatMap(
    (entry) => entry.difference ?? [],
  );
  return difference === undefined ? {} : { difference };
}

function shown([candidate, reference]: (Answer | undefined)[]) {
  const of = (answer: Answer | undefined) => ({
    bytes: answer?.bytes ?? 0,
    contentType: answer?.contentType ?? null,
  });
  return { candidate: of(candidate), reference: of(reference) };
}

const isAlike = (answers: readonly Answer[], key: keyof Answer): boolean =>
  answers.every((one) => one[key] === answers[0]?.[key]);

/** `unsteady`: an arm does not agree with itself. `unknown`: there are not two answers of each. */
function compareAnswers(arms: readonly Answer[][]): Differing | "same" | "unsteady" | "unknown" {
  if (arms.some((answers) => answers.length < 2)) return "unknown";
  const isSteady = (key: keyof Answer): boolean => arms.every((own) => isAlike(own, key));
  const firsts = arms.map(([first]) => first);
  const differs = (key: keyof Answer): boolean =>
    isSteady(key) && firsts[0]?.[key] !== firsts[1]?.[key];
  if (differs("bytes")) return { what: "size", ...shown(firsts) };
  if (differs("sha256") || differs("contentType")) return { what: "content", ...shown(firsts) };
  return isSteady("sha256") ? "same" : "unsteady";
}

/** An arm: not JSON. `json`: they differ. */
function compareJson(arms: readonly Answer[][]): Arm | "json" | "same" | "unsteady" | "unknown" {
  const without = ARMS.find((_, i) => arms[i]?.some(({ json }) => json === null));
  if (without !== undefined) return without;
  if (arms.some((answers) => answers.length < 2 || answers.some((one) => one.json === undefined))) {
    return "unknown";
  }
  if (isAlike(arms.flat(), "json")) return "same";
  return arms.every((own) => isAlike(own, "json")) ? "json" : "unsteady";
}
