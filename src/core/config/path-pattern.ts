// Which regular expressions paths are made from. The load generator draws texts that match, from
// all of Unicode where the pattern leaves it open: what is refused here would be refused by it, or
// would send what nobody meant. Pure.

/**
 * First that applies. `plain` is the pattern with escaped characters blanked, `outside` also
 * without its classes.
 */
const RULES: readonly { where: "plain" | "outside"; found: RegExp; why: string }[] = [
  {
    where: "plain",
    found: /\[\^/,
    why: "[^…] stands for every other character of Unicode; list those that may occur",
  },
  { where: "outside", found: /\(\?(?!:)/, why: "of groups, only (…) and (?:…) can be drawn from" },
  {
    where: "outside",
    found: /\./,
    why: ". stands for every character of Unicode; expected a class such as [a-z], or \\. for a dot",
  },
  { where: "outside", found: /[$^]/, why: "the whole path is matched; leave out ^ and $" },
  {
    // A quantifier followed by `name=` is hardly one.
    where: "outside",
    found: /[\w)\]]\?[\w.-]+=/,
    why: "? makes what stands before it optional; expected \\? where the query begins",
  },
];

/** Null when paths can be drawn from the pattern. */
export function problemOfPathPattern(pattern: string): string | null {
  if (!isRegularExpression(pattern)) return "expected a regular expression";
  const letter = /\\([A-Za-z0-9])/.exec(pattern.replaceAll("\\\\", ""))?.[1];
  if (letter !== undefined) {
    return `\\${letter} is not known here, or stands for characters of all scripts; expected a class such as [0-9]`;
  }
  const plain = pattern.replaceAll(/\\./g, "~");
  const outside = plain.replaceAll(/\[[^\]]*\]/g, "_");
  const broken = RULES.find(({ where, found }) => found.test(where === "plain" ? plain : outside));
  return broken?.why ?? null;
}

export function isRegularExpression(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
