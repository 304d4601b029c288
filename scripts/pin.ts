// Has the examples, the README and `init` name another commit of this action: `node scripts/pin.ts [revision]`, by default HEAD. After a
// release Dependabot proposes the same for the examples; then `npm run generate` is enough. `npm run build` afterwards: `init` is in dist/.
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { FOLLOWS_PINS, repin, SAYS_PINS } from "./generate/pins.ts";

const root = dirname(import.meta.dirname);
const git = (...args: string[]): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

const commit = git("rev-parse", "--verify", `${process.argv[2] ?? "HEAD"}^{commit}`);
const { version } = JSON.parse(git("show", `${commit}:package.json`));
const pin = `uses: tailgate/tailgate@${commit} # v${version}`;
for (const file of [
  ...SAYS_PINS.flatMap((pattern) => globSync(pattern, { cwd: root })),
  ...FOLLOWS_PINS,
]) {
  const path = join(root, file);
  const text = readFileSync(path, "utf8");
  writeFileSync(
    path,
    repin(text, (name) => (name === "tailgate/tailgate" ? pin : null)),
  );
}
