// A registry of npm packages on this machine: verdaccio, installed once into the cache of CI's tools.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findFreePort } from "../../src/machine/run/service/free-port.ts";

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
  const child = spawn(process.execPath, [program, "--config", config, "--listen", host], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  await new Promise<void>((started, failed) => {
    const late = setTimeout(() => failed(new Error("verdaccio does not start")), START_MS);
    child.once("exit", (code) => failed(new Error(`verdaccio ended with ${code}`)));
    createInterface(child.stdout).on("line", (line) => {
      if (!line.includes(host)) return;
      clearTimeout(late);
      started();
    });
  });
  return {
    url: `http://${host}/`,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill();
      await ended;
    },
  };
}
