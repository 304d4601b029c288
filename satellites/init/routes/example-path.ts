// A path with parameters -> one that can be asked, with plausible values. Pure.

/** `:id`, `:id(\d+)`, `{id}`, `{id:[0-9]+}`, `{*rest}`, `<id>`, `<int:id>`, `*rest`, `*` */
const PARAMETER =
  /\{\*?(\w+)\??(?::[^{}]*(?:\{[^{}]*\}[^{}]*)*|\.\.\.)?\}|<(?:\w+:)?(\w+)(?:\.\.)?>|:(\w+)(?:\([^()]*\))?\??|\*(\w*)/g;

export function examplePath(path: string): { path: string; isFilled: boolean } {
  const filled = path
    // Go's mark for "exactly this path".
    .replace(/\{\$\}$/, "")
    .replace(PARAMETER, (_written, ...names: (string | undefined)[]) =>
      exampleValue(names.slice(0, 4).find((name) => name !== undefined) ?? ""),
    );
  return { path: filled, isFilled: filled !== path };
}

/** By the parameter's name: most are numbers of something. */
export function exampleValue(name: string): string {
  if (/uuid|guid/i.test(name)) return "00000000-0000-4000-8000-000000000001";
  if (/date|day/i.test(name)) return "2026-01-01";
  if (/lang|locale/i.test(name)) return "en";
  if (
    /name|slug|user$|title|key|word|text|tag|path|file|rest|^q$|query|term|code|city|country/i.test(
      name,
    )
  ) {
    return "example";
  }
  return "1";
}

/** Whether a configuration takes it as a path. */
export function isAskable(path: string): boolean {
  return /^\/[\x21-\x7e]*$/.test(path) && !/[{}<>\\^`"|#]/.test(path) && path.length <= 300;
}
