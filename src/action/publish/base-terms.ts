// The terms that a pull request is judged by, read from its base branch through the API:
// configuration, request bodies and stored baselines, all of one commit. Nothing of the pull
// request is read here.
import { posix } from "node:path";
import { bodyOf, factsOfBody } from "../../app/config/body-file.ts";
import { configFromText, MAX_CONFIG_BYTES, parseConfig } from "../../app/config/load.ts";
import { tryText } from "../../app/config/small-file.ts";
import { parseBaseline, serviceOfFile } from "../../app/documents/baselines.ts";
import { parseProfile, profilePath } from "../../app/documents/profile.ts";
import { UserError } from "../../core/base/errors.ts";
import { asksAuto } from "../../core/calibration/auto-margin.ts";
import type { Baseline } from "../../core/model/baseline.ts";
import type { Config, Waiver } from "../../core/model/config.ts";
import type { Profile } from "../../core/model/profile.ts";
import { type GitHub, GitHubError } from "../../github/port.ts";

interface TermsOfBase {
  config: Config;
  baselines: Baseline[];
  /** Null: there is none, or no margin is `auto`. */
  profile: Profile | null;
}

/** `commit` is of the base branch, `path` the configuration's place in the repository. */
export async function readBaseTerms(
  github: Pick<GitHub, "file" | "tree">,
  { commit, path }: { commit: string; path: string },
): Promise<TermsOfBase> {
  const shown = `${path} of the base branch`;
  const bytes = await github.file(path, commit);
  if (bytes === null) {
    throw new UserError(`the base branch has no ${path} at ${commit.slice(0, 10)}`, {
      next: "Merge the configuration first, or name its place:\nwith:\n  config: path/to/tailgate.yml",
    });
  }
  const text = textOf(bytes, shown);
  const config = await withBodies(github, { text, shown, commit });
  const at = asksAuto(config) ? profilePath({ root: "", config }) : null;
  const found = at === null ? null : await github.file(at, commit);
  return {
    config,
    baselines: await readBaselines(github, config, commit),
    profile: at !== null && found !== null ? parseProfile(textOf(found, at), at, config) : null,
  };
}

/**
 * A body is part of what a scenario is: without its content no workload could be told from another.
 * Which files there are, the configuration says, so one that has any is read again with them.
 */
async function withBodies(
  github: Pick<GitHub, "file">,
  { text, shown, commit }: { text: string; shown: string; commit: string },
): Promise<Config> {
  const contents = new Map<string, Uint8Array | null>();
  const wanted = new Set<string>();
  const parse = (): Config =>
    parseConfig(text, shown, {
      isFolder: () => true,
      readBody: ({ path, repeat }) => {
        wanted.add(path);
        const content = contents.get(path);
        if (content === undefined) return { ok: true, sha256: "", bytes: 0 };
        // The configuration's own check says it, with its line.
        if (content === null) return { ok: false, why: "there is no such file" };
        return factsOfBody(bodyOf(content, repeat));
      },
    });
  const unseen = parse();
  for (const path of wanted) contents.set(path, await github.file(path, commit));
  return wanted.size === 0 ? unseen : parse();
}

/**
 * The waivers that a change brings, as its reviewers see them; none where its configuration is
 * missing or wrong, which its own gate says. `head` is a commit that this repository may know only
 * through the pull request.
 */
export async function readOwnWaivers(
  github: Pick<GitHub, "file">,
  { head, path }: { head: string; path: string },
): Promise<Waiver[]> {
  try {
    const bytes = await github.file(path, head);
    // Its own gate refuses a larger one too.
    if (bytes === null || bytes.length > MAX_CONFIG_BYTES) return [];
    return configFromText(textOf(bytes, path), path).waivers;
  } catch (thrown) {
    // Too much to send is the change's own doing; any other failure is GitHub's.
    if (thrown instanceof GitHubError && thrown.reason !== "too-large") throw thrown;
    if (thrown instanceof UserError) return [];
    throw thrown;
  }
}

export async function readBaselines(
  github: Pick<GitHub, "file" | "tree">,
  { runner, baselines, services }: Config,
  commit: string,
): Promise<Baseline[]> {
  const found: Baseline[] = [];
  const folder = posix.join(baselines.dir, runner.class);
  for (const { path: name } of await github.tree(commit, folder)) {
    const service = serviceOfFile(name, services);
    const path = posix.join(folder, name);
    const bytes = service === undefined ? null : await github.file(path, commit);
    if (service === undefined || bytes === null) continue;
    const expected = { runnerClass: runner.class, service };
    found.push(parseBaseline(textOf(bytes, path), path, expected));
  }
  return found;
}

function textOf(bytes: Uint8Array, shown: string): string {
  const text = tryText(bytes);
  if (text === null) throw new UserError(`${shown} is not UTF-8 text`);
  return text;
}
