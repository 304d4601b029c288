// What the kernel asks of this satellite: a repository to gate, and words about what came of it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHANGED_SERVICE, configuration, SERVICE } from "./service.ts";

export { tellDemo } from "./tell.ts";

/** Whoever has no name in git has one here, and nobody is asked for a key. */
const AS_NOBODY = [
  "user.name=Tailgate",
  "user.email=demo@tailgate.invalid",
  "commit.gpgSign=false",
].flatMap((setting) => ["-c", setting]);

/** In an empty folder: a main branch, and a branch with one commit that makes the service slower. */
export async function makeRepository(
  folder: string,
  git: (args: readonly string[]) => Promise<unknown>,
): Promise<void> {
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const commit = async (subject: string): Promise<void> => {
    await git(["add", "--all"]);
    await git([...AS_NOBODY, "commit", "--quiet", `--message=${subject}`]);
  };
  await git(["init", "--quiet", "--initial-branch=main"]);
  write("tailgate.yml", configuration(process.execPath));
  write("shop.mjs", SERVICE);
  await commit("List products by price");
  await git(["checkout", "--quiet", "-b", "new-prices"]);
  write("shop.mjs", CHANGED_SERVICE);
  await commit("Show a new price at once");
}
