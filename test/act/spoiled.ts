// Whether a run under act has no answer because of the machine that it ran on: then, and only then, it may be asked again.
import type { Outcome } from "./act.ts";

/** What a workflow's jobs are asked by tests to come to: the verdict by job id, empty for a job that gives none. */
export type Expected = Readonly<Record<string, string>>;

export const MOST_ATTEMPTS = 3;
/** Of the whole suite: a bad hour must not make it endless. */
const ASK_AGAIN_WITHIN_MINUTES = 15;
/** Void rules that no fault of ours and nothing that a test plants breaks, at the rates of these tests. */
const DISTURBED_BY_HOST =
  /mostly by rule (?:lag|steal|foreign-cpu|throttled)|: no round was measured/;
/** Of a summary's line that counts the gated metrics. */
const HALF_ANSWERED = /^\d+ gated metrics: .*\d+ inconclusive/m;
const OPEN_QUESTION = /^the measurement cannot become a baseline: inconclusive/;

/**
 * Whether all that is not as expected is a question that the host left without an answer. A wrong answer never is: it is not
 * asked for again.
 */
export function isSpoiled({ outputs, summaries }: Outcome, expected: Expected): boolean {
  const answers = Object.entries(expected).map(([job, wanted]) => {
    const given = Object.values(outputs[job] ?? {}).find(({ headline }) => headline !== undefined);
    const { verdict = "", headline = "" } = given ?? {};
    // Red for one service, and nothing known of the other.
    const half = verdict === wanted && HALF_ANSWERED.test(summaries[job] ?? "");
    const unanswered =
      half ||
      verdict === "inconclusive" ||
      DISTURBED_BY_HOST.test(headline) ||
      OPEN_QUESTION.test(headline);
    return { asExpected: verdict === wanted && !half, unanswered };
  });
  return (
    answers.some(({ asExpected }) => !asExpected) &&
    answers.every(({ asExpected, unanswered }) => asExpected || unanswered)
  );
}

/** Whether the suite, whose beginning its configuration notes, has had its time for asking again. */
export function isLate(): boolean {
  const beganMs = Number(process.env.TAILGATE_TEST_BEGAN_MS);
  return Date.now() - beganMs > ASK_AGAIN_WITHIN_MINUTES * 60_000;
}

/** What the jobs said, for a message. */
export function headlines({ outputs }: Outcome): string {
  return Object.entries(outputs)
    .flatMap(([job, steps]) =>
      Object.values(steps).map(({ headline }) => (headline ? `${job}: ${headline}` : "")),
    )
    .filter((text) => text !== "")
    .join("; ");
}
