// A program that disturbs, until it is killed. Started by disturbances.ts.
//
//   node lab/evidence/disturb.ts compiler|hog
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { createPrng } from "../../src/core/base/prng.ts";
import { ROOT } from "./working-copy.ts";

const PERIOD_MS = 12_000;
const HOG_MS = { least: 200, most: 900 };

/** Compiles this repository, then waits twice as long as that took. */
async function compile(): Promise<never> {
  for (;;) {
    const started = performance.now();
    const compiler = ["node_modules/.bin/tsc", "--noEmit", "-p", "."];
    const { status, stdout } = spawnSync(process.execPath, compiler, { cwd: ROOT });
    // Mistakes that it finds took their time all the same; a compiler that is missing takes none.
    if (status !== 0 && !String(stdout).includes("error TS")) {
      throw new Error(`the compiler ended with ${status}`);
    }
    await sleep(2 * (performance.now() - started));
  }
}

/** Spins at every twelfth second of the clock: hogs of several CPUs do so together, for as long. */
async function hog(): Promise<never> {
  for (;;) {
    const period = Math.ceil(Date.now() / PERIOD_MS);
    await sleep(period * PERIOD_MS - Date.now());
    const spinMs = HOG_MS.least + createPrng(period).next() * (HOG_MS.most - HOG_MS.least);
    const end = performance.now() + spinMs;
    while (performance.now() < end);
    // Past the instant, so that the next period is another one.
    await sleep(1);
  }
}

const [what] = process.argv.slice(2);
await (what === "hog" ? hog() : compile());
