// What a comment asks for: `/tailgate [service …] [--against ref] [--commit id]`. Only the first line
// is read, so that a comment which quotes or explains a request is none. Pure.
import { UserError } from "../../core/base/errors.ts";
import { showValue } from "../../core/base/show-value.ts";

/** No services: all. `against` null: where the change started. `commit` null: whatever the head is. */
type Request = { services: string[]; against: string | null; commit: string | null };

const OPTIONS = {
  // Neither an option nor a range, nor a fork's: `owner:branch`, `refs/pull/12/head`.
  "--against": ["against", /^(?!.*\.\.|(refs\/)?pull\/)\w[\w./@#+-]*$/],
  // A shorter id could be made to fit another commit.
  "--commit": ["commit", /^[0-9a-f]{40,64}$/],
} as const;

/** The words of a request; null: the comment is none. */
export function wordsOfRequest(body: string): string[] | null {
  const [line = ""] = body.split(/[\r\n]/, 1);
  const [command, ...words] = line.trimEnd().split(/\s+/);
  return command === "/tailgate" ? words : null;
}

export function parseRequest(words: readonly string[]): Request {
  const request: Request = { services: [], against: null, commit: null };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (!word.startsWith("-")) request.services.push(word);
    else {
      const option = Object.hasOwn(OPTIONS, word) ? OPTIONS[word as keyof typeof OPTIONS] : null;
      const value = words[++at] ?? "";
      if (option === null || !option[1].test(value)) {
        throw new UserError(`${showValue(`${word} ${value}`)} cannot be read`, {
          next: "Write: /tailgate [service …] [--against branch, tag or commit] [--commit whole id of the head]",
        });
      }
      request[option[0]] = value;
    }
  }
  return request;
}
