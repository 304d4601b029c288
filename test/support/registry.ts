// A registry of npm packages on this machine: verdaccio, installed once into the cache of CI's tools.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../src/machine/run/service/free-port.ts";
import { spawnGroup } from "../../src/machine/sys/process.ts";

const VERSION = "6.10.4";
/** Nothing younger than this is installed with it. */
const BEFORE = "2026-11-20";
const START_MS = 60_000;

export interface TestRegistry extends AsyncDisposable {
  url: string;
}

/** Where it is installed, or why it is not. */
export function findVerdaccio(): { program: string } | { reason: string } {
  const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const place = join(caches, "tailgate-ci", `verdaccio-${VERSION}`);
  const program = join(place, "node_modules/verdaccio/bin/verdaccio");
  if (existsSync(program)) return { program };
  const partial = `${place}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  // 2.6.7, which it names, is not everywhere to be had.
  const overrides = { "node-fetch": "2.7.0" };
  const manifest = { private: true, dependencies: { verdaccio: VERSION }, overrides };
  writeFileSync(join(partial, "package.json"), JSON.stringify(manifest));
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--before", BEFORE];
  const options = { cwd: partial, encoding: "utf8", timeout: 240_000 } as const;
  const { status, stderr } = spawnSync("npm", [...args, "--loglevel=error"], options);
  if (status !== 0) {
    rmSync(partial, { recursive: true, force: true });
    return { reason: `verdaccio ${VERSION} cannot be installed: ${stderr.split("\n")[0]}` };
  }
  rmSync(place, { recursive: true, force: true });
  renameSync(partial, place);
  return { program };
}

/** Anybody may publish to it, and it asks no other. */
export async function startRegistry(program: string, folder: string): Promise<TestRegistry> {
  const config = join(folder, "verdaccio.json");
  const anybody = { access: "$all", publish: "$all" };
  writeFileSync(
    config,
    JSON.stringify({
      storage: join(folder, "storage"),
      uplinks: {},
      auth: { htpasswd: { file: join(folder, "htpasswd"), max_users: -1 } },
      packages: { "**": anybody },
      log: { type: "stdout", format: "json", level: "warn" },
      web: { enable: false },
      max_body_size: "100mb",
    }),
  );
  const host = `127.0.0.1:${await findFreePort()}`;
  const { promise: listening, resolve: listens } = Promise.withResolvers<boolean>();
  const late = setTimeout(() => listens(false), START_MS);
  const child = spawnGroup([process.execPath, program, "--config", config, "--listen", host], {
    onStdoutLine: (line) => line.includes(host) && listens(true),
  });
  const isStarted = await Promise.race([listening, child.exited.then(() => false)]);
  clearTimeout(late);
  const end = async (): Promise<void> => {
    child.signal("SIGTERM");
    await child.exited;
  };
  if (!isStarted) {
    await end();
    throw new Error(`verdaccio does not start: ${child.tail().join("\n")}`);
  }
  return { url: `http://${host}/`, [Symbol.asyncDispose]: end };
}
