// The terms that a pull request is judged by, read from its base branch through the API: configuration, request bodies and
// stored baselines, all of one commit. Nothing of the pull request is read here.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UserError } from "../base/errors.ts";
import { baselinePath, parseBaseline } from "../baseline/store.ts";
import { readBodyFile, sha256Of } from "../config/body-file.ts";
import { configFromText, parseConfig } from "../config/load.ts";
import type { GitHub } from "../github/port.ts";
import type { Baseline } from "../model/baseline.ts";
import type { Config, Waiver } from "../model/config.ts";
import { makeTemporaryFolder } from "../sys/files.ts";
import { janitor } from "../sys/janitor.ts";

export interface TermsOfBase {
  config: Config;
  baselines: Baseline[];
}

/** `commit` is of the base branch, `path` the configuration's place in the repository. */
export async function readBaseTerms(
  github: Pick<GitHub, "file">,
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
  return { config, baselines: await readBaselines(github, config, commit) };
}

/** A body is part of what a scenario is: without its content no workload could be told from another. */
async function withBodies(
  github: Pick<GitHub, "file">,
  { text, shown, commit }: { text: string; shown: string; commit: string },
): Promise<Config> {
  const unseen = configFromText(text, { path: shown, root: null });
  const paths = new Set(
    unseen.scenarios.flatMap(({ request: { body } }) =>
      body === null || typeof body === "string" ? [] : [body.path],
    ),
  );
  if (paths.size === 0) return unseen;
  const folder = makeTemporaryFolder();
  try {
    for (const path of paths) {
      const content = await github.file(path, commit);
      // What is missing is said by the configuration's own check, with its line.
      if (content === null) continue;
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return parseConfig(text, shown, {
      isFolder: () => true,
      readBody: (body) => {
        const read = readBodyFile(folder, body);
        return read.ok
          ? { ok: true, sha256: sha256Of(read.bytes), bytes: read.bytes.length }
          : read;
      },
    });
  } finally {
    janitor.removePath(folder);
  }
}

/**
 * The waivers that a change brings, as its reviewers see them; none where its configuration is missing or wrong, which its own
 * gate says. `head` is a commit that this repository may know only through the pull request.
 */
export async function readOwnWaivers(
  github: Pick<GitHub, "file">,
  { head, path }: { head: string; path: string },
): Promise<Waiver[]> {
  const bytes = await github.file(path, head);
  if (bytes === null) return [];
  try {
    return configFromText(textOf(bytes, path), { path, root: null }).waivers;
  } catch (thrown) {
    if (thrown instanceof UserError) return [];
    throw thrown;
  }
}

async function readBaselines(
  github: Pick<GitHub, "file">,
  config: Config,
  commit: string,
): Promise<Baseline[]> {
  const { runner, baselines, services } = config;
  const found: Baseline[] = [];
  for (const { name } of services) {
    const path = baselinePath(baselines.dir, runner.class, name);
    const bytes = await github.file(path, commit);
    if (bytes === null) continue;
    const expected = { runnerClass: runner.class, service: name };
    found.push(parseBaseline(textOf(bytes, path), path, expected));
  }
  return found;
}

function textOf(bytes: Uint8Array, shown: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UserError(`${shown} is not UTF-8 text`);
  }
}
