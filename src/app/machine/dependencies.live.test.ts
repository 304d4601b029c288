// When the arms' databases are filled alike, with a real Redis.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeTestFolder, makeTestRepository } from "../../../test/support/build.ts";
import { skipUnlessInstalled, testStart } from "../../../test/support/dependency.ts";
import { resolveCandidate, resolveReference } from "../../machine/build/source.ts";
import { findRedis } from "../../machine/run/dependency/server-program.ts";
import { startDependencies } from "./dependencies.ts";

/** What fills it, what else changes in the candidate, and whether the arms' contents are the same. */
const CASES: [string, { fill: string; file: string; isSame: boolean }][] = [
  ["a file elsewhere", { fill: "cat words", file: "other/words", isSame: true }],
  ["a file of its folder", { fill: "cat words", file: "keys/words", isSame: false }],
  [
    "a file that its script names",
    { fill: "cat ../other/words", file: "other/words", isSame: false },
  ],
  [
    "a file that a link leads to",
    { fill: "cat linked/words", file: "linked/words", isSame: false },
  ],
];

test.for(CASES)("%s", async ([, { fill, file, isSame }], context) => {
  skipUnlessInstalled(() => findRedis(), "redis-server", context);
  using repository = makeTestRepository();
  using cache = makeTestFolder();
  repository.write("keys/fill.sh", `${fill}\n`);
  for (const folder of ["keys", "other", "linked"]) repository.write(`${folder}/words`, "one");
  if (fill.includes("linked")) symlinkSync("../linked", join(repository.path, "keys/linked"));
  repository.commit("first");
  repository.write(file, "two");
  const git = await repository.open();
  const candidate = await resolveCandidate(git);
  const reference = await resolveReference(git, null, candidate);
  const start = testStart();
  const seed = { kind: "command" as const, command: ["sh", "fill.sh"] };
  const running = await startDependencies({
    needed: [{ kind: "redis", name: "cache", dir: "keys", seed }],
    arms: { candidate: { revision: candidate }, reference: { revision: reference } },
    checkout: { git, cache: cache.path, clock: start.clock },
    built: [],
    env: process.env,
    start,
  });
  const [facts] = running.facts();
  await running.stop();
  expect(facts?.contents.candidate === facts?.contents.reference).toBe(isSame);
});
