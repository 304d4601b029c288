// Two gates that build with one cache at the same time and share no lock, as in two containers of
// one machine with a volume for both.
import { spawn } from "node:child_process";
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeTestFolder, makeTestRepository } from "../../../test/support/build.ts";

/** So many times both build the same, at the same moment. */
const TURNS = 12;
/** As many as the cache holds. */
const OTHERS = 200;

/**
 * Builds each commit and the one before it, and waits for the other gate before each turn. Prints for
 * each turn what the two artifacts say: which compiler made them, of which source.
 */
const GATE = `
const url = process.env.SRC;
const { openGit } = await import(url + "build/git.ts");
const { resolveCandidate, resolveReference } = await import(url + "build/source.ts");
const { buildArtifacts } = await import(url + "build/build.ts");
const { systemClock } = await import(url + "sys/clock.ts");
const { janitor } = await import(url + "sys/janitor.ts");
const { existsSync, readFileSync, writeFileSync } = await import("node:fs");
const [repository, meeting, cache, turns, own, other, recipe] = process.argv.slice(1);
const abort = new AbortController().signal;
const git = await openGit(repository, { env: process.env, abort });
const head = await resolveCandidate(git);
const lines = [];
for (let turn = 0; turn < Number(turns); turn++) {
  writeFileSync(meeting + "/" + own + "-" + turn, "");
  while (!existsSync(meeting + "/" + other + "-" + turn)) await systemClock.sleep(1);
  const job = async (arm, ref) =>
    ({ arm, service: "api", recipe: JSON.parse(recipe), revision: await resolveReference(git, ref, head) });
  const jobs = [await job("candidate", "HEAD~" + turn), await job("reference", "HEAD~" + (turn + 1))];
  const env = { ...process.env, COMPILER: own };
  const progress = { note: (line) => lines.push(line), status() {} };
  const built = await buildArtifacts(jobs, { git, cache, env, clock: systemClock, abort, progress });
  console.log(built.map(({ path }) => readFileSync(path, "utf8")).join(" "));
}
console.log(lines.filter((line) => line.includes("trusted")).join(" "));
janitor.cleanUp();
`;

/** What it printed. One that fails ends the other, which would wait for it. */
function startGate(args: readonly string[], failed: AbortController): Promise<string> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", GATE, ...args], {
    env: { ...process.env, SRC: new URL("../", import.meta.url).href },
    stdio: ["ignore", "pipe", "pipe"],
    signal: failed.signal,
  });
  child.on("error", () => {});
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((resolve) => {
    child.on("close", (code) => {
      if (code !== 0) failed.abort();
      resolve(text.trim());
    });
  });
}

test("both get what they build or find, whole, and each of one compiler", async () => {
  using repository = makeTestRepository();
  using checkouts = makeTestFolder();
  using cache = makeTestFolder();
  for (let i = 0; i <= TURNS; i++) {
    repository.write("work/service/source.txt", String(i).padStart(2, "0"));
    repository.commit(String(i));
  }
  // All newer than what is built: it is swept out by the next that either gate stores.
  const later = Date.now() / 1000 + 3600;
  for (let i = 0; i < OTHERS; i++) {
    const facts = cache.write(`artifacts/${String(i).padStart(64, "0")}/facts.json`, "{}");
    utimesSync(facts, later, later);
  }
  const recipe = JSON.stringify({
    dir: "work/service",
    // Whatever this shell starts, nobody can tell: the arms must be of one session.
    build: ["sh", "-c", 'printf %s "$COMPILER-" > artifact; cat source.txt >> artifact'],
    artifact: "artifact",
  });
  const args = (own: string, other: string) => {
    const checkout = join(checkouts.path, own);
    repository.git("clone", "--quiet", ".", checkout);
    const place = [join(checkout, "work"), checkouts.path, cache.path, String(TURNS)];
    return [...place, own, other, recipe];
  };
  const failed = new AbortController();
  const said = await Promise.all([
    startGate(args("a", "b"), failed),
    startGate(args("b", "a"), failed),
  ]);
  const texts = Array.from({ length: TURNS }, (_, turn) =>
    [TURNS - turn, TURNS - turn - 1].map((at) => String(at).padStart(2, "0")),
  );
  for (const text of said) {
    const lines = text.split("\n");
    const compilers = lines.map((line) => line.replaceAll(/-\d\d/g, ""));
    expect(lines.map((line) => line.replaceAll(/[ab]-/g, ""))).toEqual(
      texts.map((pair) => pair.join(" ")),
    );
    expect(compilers.every((pair) => ["a a", "b b"].includes(pair))).toBe(true);
  }
  expect(readdirSync(join(cache.path, "build"))).toEqual([]);
  expect(readdirSync(join(cache.path, "artifacts")).every((name) => name.length === 64)).toBe(true);
});
