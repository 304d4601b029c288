// The commits behind `uses:`. Workflows and examples say them, where Dependabot renews them; what it
// does not read follows.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Not read by Dependabot. */
export const FOLLOWS_PINS = ["README.md", "satellites/init/first-workflow.ts"];

/** What `.github/dependabot.yml` names. */
export const SAYS_PINS = [
  ".github/workflows/*.yml",
  "docs/examples/*.yml",
  "docs/examples/*/perf-*.yml",
];

const USES = /\buses: ([\w-]+\/[\w./-]+)@([\w.-]+)( # v[\w.-]+)?/g;

/** What each action's `uses:` is, with its commit and version, by the action's name. */
export function readPins(root: string): ReadonlyMap<string, string> {
  const pins = new Map<string, string>();
  for (const file of SAYS_PINS.flatMap((pattern) => globSync(pattern, { cwd: root })).sort()) {
    const text = readFileSync(join(root, file), "utf8");
    for (const [whole, name = "", commit = "", version] of text.matchAll(USES)) {
      if (!/^[0-9a-f]{40}$/.test(commit) || version === undefined) {
        throw new Error(`${file}: "${whole}" is not pinned, as in "@<commit> # v1.2.3"`);
      }
      const other = pins.get(name) ?? whole;
      if (other !== whole) throw new Error(`${file}: "${whole}", but elsewhere "${other}"`);
      pins.set(name, whole);
    }
  }
  return pins;
}

/** `text` with each `uses:` as `pinOf` its action says; null: as it is. */
export function repin(text: string, pinOf: (action: string) => string | null): string {
  return text.replace(USES, (whole, action: string) => pinOf(action) ?? whole);
}
