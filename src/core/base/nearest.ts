// "Did you mean": the known name nearest to a mistyped one.

/** At most a third of the word. */
const MAX_EDIT_SHARE = 1 / 3;

/**
 * The known name with the fewest edits (Levenshtein, and two letters swapped), or null when none is
 * near.
 */
export function nearest(word: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(word.length * MAX_EDIT_SHARE)) + 1;
  for (const name of known) {
    const distance = editDistance(word.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let [older, previous] = [[0], Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? (older[j - 2] ?? 0) + 1 : Infinity;
      current.push(Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, substitution, swap));
    }
    [older, previous] = [previous, current];
  }
  return previous[b.length] ?? 0;
}

/** What to say to a name that there is not: `Did you mean api? There are: api, web.` */
export function suggestOneOf(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return `${near === null ? "" : `Did you mean ${near}? `}There are: ${known.join(", ")}.`;
}
