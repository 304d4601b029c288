// Publishes packages in the order of their list: what another needs first. What is there already is
// left, so that a run that broke off can be repeated; what is there with other bytes ends it before
// anything is published.
import { execFileSync, spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LIST, type Packed } from "./pack.ts";

/** A registry may need a while until everybody sees what it was given. */
const SEEN_TRIES = 30;
const SEEN_EVERY_MS = 5000;

/** `folder` has the list and its files. Where npm publishes to is npm's setting. */
export async function publishAll(folder: string, say: (line: string) => void): Promise<void> {
  const list: Packed[] = JSON.parse(readFileSync(join(folder, LIST), "utf8"));
  assertWhole(folder, list);
  const missing = list.filter((one) => !isPublished(one));
  for (const one of list) {
    const is = `${one.name}@${one.version}`;
    if (!missing.includes(one)) {
      say(`${is} is there already`);
      continue;
    }
    // A path that begins with a dot or a slash is a file, whatever its name.
    const args = [
      "publish",
      resolve(folder, one.file),
      "--access=public",
      "--ignore-scripts",
      "--loglevel=warn",
    ];
    execFileSync("npm", args, { stdio: ["ignore", "ignore", "inherit"] });
    await untilSeen(one);
    say(`${is} is published`);
  }
}

/** Each is the file that was packed, and none needs one that is not before it in the list. */
function assertWhole(folder: string, list: readonly Packed[]): void {
  const before = new Set<string>();
  for (const one of list) {
    const { name, version, file, integrity } = one;
    const path = join(folder, file);
    const found = `sha512-${hash("sha512", readFileSync(path), "base64")}`;
    if (found !== integrity) throw new Error(`${path} is not what was packed: ${found}`);
    const text = execFileSync("tar", ["xzOf", path, "package/package.json"], { encoding: "utf8" });
    const inside: typeof one & { optionalDependencies?: Record<string, string> } = JSON.parse(text);
    if (inside.name !== name || inside.version !== version) {
      throw new Error(`${path} is ${inside.name}@${inside.version}, not ${name}@${version}`);
    }
    for (const [needed, wanted] of Object.entries(inside.optionalDependencies ?? {})) {
      if (before.has(`${needed}@${wanted}`)) continue;
      throw new Error(
        `${name}@${version} needs ${needed}@${wanted}, which is not published before it`,
      );
    }
    before.add(`${name}@${version}`);
  }
  if (list.at(-1)?.name !== "tailgate") throw new Error(`${LIST} does not end with tailgate`);
}

/** Throws where the registry has other bytes under its name. */
function isPublished({ name, version, integrity }: Packed): boolean {
  const is = `${name}@${version}`;
  const { stdout, stderr, status } = spawnSync(
    "npm",
    ["view", is, "dist.integrity", "--json", "--prefer-online"],
    { encoding: "utf8" },
  );
  // Nothing at all of a version that is not there, where others are.
  if (status === 0 && stdout.trim() === "") return false;
  if (status !== 0) {
    if (/\bE404\b/.test(stdout + stderr)) return false;
    throw new Error(`npm view ${is}: ${stderr.trim()}`);
  }
  const found: unknown = JSON.parse(stdout);
  if (found === integrity) return true;
  throw new Error(`${is} was published before, with other bytes: ${found}, not ${integrity}`);
}

async function untilSeen(one: Packed): Promise<void> {
  for (let tried = 0; tried < SEEN_TRIES; tried++) {
    if (isPublished(one)) return;
    await sleep(SEEN_EVERY_MS);
  }
  throw new Error(`${one.name}@${one.version} was published, and the registry does not show it`);
}
