// Makes a thing on GitHub that must not be made twice. A request that got no answer may have been
// carried out, so before another is sent GitHub is asked whether the thing is there.
import { messageOf } from "../core/base/errors.ts";
import { MayHaveActed, type Task } from "./connection.ts";
import { OPERATIONS } from "./permission.ts";
import { GitHubError } from "./port.ts";
import { MAX_ATTEMPTS } from "./retry.ts";

interface Creation<T> {
  /** Sends the request once; MayHaveActed where the outcome is unknown. */
  create(): Promise<T>;
  /** The thing, if an earlier request has made it. */
  find(): Promise<T | null>;
}

export async function createOnce<T>(task: Task, { create, find }: Creation<T>): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await create();
    } catch (thrown) {
      // "Exists already" after a request without an answer: that request was carried out, only
      // late.
      const lateSuccess =
        number > 1 && thrown instanceof GitHubError && thrown.reason === "conflict";
      if (lateSuccess) {
        const found = await find();
        if (found !== null) return found;
      }
      if (!(thrown instanceof MayHaveActed)) throw thrown;
      if (number >= MAX_ATTEMPTS) throw task.fail(`${thrown.trouble}, ${number} times`);
      await task.pause(number, thrown.trouble);
      const found = await lookFor(task, find, thrown.trouble);
      if (found !== null) return found;
    }
  }
}

async function lookFor<T>(
  task: Task,
  find: () => Promise<T | null>,
  trouble: string,
): Promise<T | null> {
  try {
    return await find();
  } catch (thrown) {
    throw new GitHubError(
      "unavailable",
      `could not ${OPERATIONS[task.operation].does}, or it was done and GitHub could not say so`,
      {
        detail: `${trouble}; the look whether it was done failed too: ${messageOf(thrown)}`,
        next: "Look on GitHub before running it again.",
      },
    );
  }
}
