// Values that no text of ours may hold: they are shown as ***.

/** A cut text is masked if it ends in so much of a value. */
const LEAST_PREFIX_CHARS = 8;

/** Less keeps no secret, and would hide what it is not: an id of 1 hides every 1. */
const LEAST_SECRET_CHARS = 4;
export const isSecret = (value: string): boolean => value.length >= LEAST_SECRET_CHARS;

export class Secrets {
  /** Longest first: one may hold another. */
  #known: readonly string[] = [];

  /** All forms in which a value may be written. */
  add(forms: Iterable<string>): void {
    const all = new Set([...this.#known, ...forms]);
    all.delete("");
    this.#known = [...all].sort((a, b) => b.length - a.length);
  }

  /** May be passed around as a function. */
  readonly mask = (text: string): string => {
    if (this.#known.length === 0) return text;
    const masked = this.#known.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
    return masked
      .split("\n")
      .map((line) => this.#withoutCutEnd(line))
      .join("\n");
  };

  /** Lines are cut before they come here, perhaps inside a value. */
  #withoutCutEnd(line: string): string {
    for (const secret of this.#known) {
      for (let length = secret.length - 1; length >= LEAST_PREFIX_CHARS; length--) {
        if (line.endsWith(secret.slice(0, length))) return `${line.slice(0, -length)}***`;
      }
    }
    return line;
  }
}
