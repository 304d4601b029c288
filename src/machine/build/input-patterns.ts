// Which files a service's list of inputs means. A pattern names a file, or a folder with all that is
// below it; `*` stands for any part of a name, `?` for one character, `**` for any folders, and `!`
// takes out again what an earlier pattern took in. Pure.

/** Whether a path, relative to the repository's root, is among the inputs. */
export function inputMatcher(patterns: readonly string[]): (path: string) => boolean {
  const rules = patterns.map((pattern) => {
    const takesOut = pattern.startsWith("!");
    return { takesIn: !takesOut, shape: shapeOf(takesOut ? pattern.slice(1) : pattern) };
  });
  // With a slash behind it a file is no beginning of another's name, and a folder is one of its
  // files'.
  return (path) => rules.findLast(({ shape }) => shape.test(`${path}/`))?.takesIn ?? false;
}

function shapeOf(pattern: string): RegExp {
  const segments = pattern.split("/").map((segment) =>
    // Any number of folders, none included.
    segment === "**" ? "(?:[^/]+/)*" : `${[...segment].map(shapeOfCharacter).join("")}/`,
  );
  return new RegExp(`^${segments.join("")}`, "u");
}

function shapeOfCharacter(character: string): string {
  if (character === "*") return "[^/]*";
  if (character === "?") return "[^/]";
  return character.replace(/[\\^$.+()[\]{}|]/u, "\\$&");
}
