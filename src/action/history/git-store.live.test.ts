// The history on a ref of the fake GitHub, over the real client: what many jobs append at once is all
// there, also while others drop older commits.
import { expect, test } from "vitest";
import { butFor, type Meeting, meet, SEED } from "../../../test/fake-github/testing.ts";
import { daysFrom, nightOf } from "../../../test/support/history.ts";
import { createPrng } from "../../core/base/prng.ts";
import { inOrder } from "../../core/history/layout.ts";
import type { GitHub } from "../../github/port.ts";
import { GitHubError } from "../../github/port.ts";
import { gitStore } from "./git-store.ts";

const BRANCH = "tailgate-history";

/** A request to the fake takes a tenth of one to GitHub, and so does a wait. */
const clock = { sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms / 10)) };

function storeOn(github: GitHub, { ref = BRANCH, seed = 1 } = {}) {
  return gitStore({ github, ref, clock, log: () => {}, random: createPrng(seed).next });
}

const recordsOf = (first: number, last: number) =>
  daysFrom(first, last).map((day) => nightOf({ day }));
const RECORDS = recordsOf(1, 20);

/** All commits of the ref, the newest first. */
function subjectsOf({ fake }: Meeting, ref: string): string[] {
  const subjects: string[] = [];
  const { git } = fake.world;
  for (let at = git.commitOf(ref); at !== null; ) {
    const commit = git.commit(at);
    subjects.push(commit?.message ?? "");
    at = commit?.parents[0] ?? null;
  }
  return subjects;
}

/** Each starts some ten processes of git, again whenever another was faster. */
const MANY = process.env.TAILGATE_NIGHT === "1" ? 20 : 6;

test.each([
  [3, 0, "refs/tailgate/history"],
  // One of these folds and squashes, with the others under way.
  [MANY, 17, BRANCH],
])("%d jobs append at once to %d records on %s, and nothing is lost", async (jobs, before, ref) => {
  await using met = await meet();
  const known = recordsOf(21, 20 + before);
  if (before > 0) await storeOn(met.github, { ref }).append(known);
  const records = RECORDS.slice(0, jobs);
  const added = await Promise.all(
    records.map((record, seed) => storeOn(met.github, { ref, seed }).append([record])),
  );
  expect(added).toEqual(records.map(() => 1));
  expect(await storeOn(met.github, { ref }).read(null)).toEqual(inOrder([...known, ...records]));
});

test.each([BRANCH, "refs/tailgate/history"])(
  "a fold of %s drops the commits before",
  async (ref) => {
    await using met = await meet();
    const store = storeOn(met.github, { ref });
    await store.append(recordsOf(1, 20));
    for (const record of recordsOf(21, 23)) await store.append([record]);
    expect(subjectsOf(met, ref)).toEqual([
      "Record run night-23",
      "Record run night-22",
      "Fold the history",
    ]);
    expect(await store.read(null)).toEqual(recordsOf(1, 23));
  },
);

const OTHER = nightOf({ day: 50 });

test.each([
  ["somebody appends meanwhile", (github: GitHub) => storeOn(github).append([OTHER]), [OTHER]],
  [
    "a rule of the repository forbids it",
    () => Promise.reject(new GitHubError("unavailable", "could not move a branch")),
    [],
  ],
])("what is squashed stays as it is where %s", async (_, meanwhile, others) => {
  await using met = await meet();
  const lines: string[] = [];
  const store = gitStore({
    github: butFor(met.github, {
      swapBranch: async (...swap) => {
        await meanwhile(met.github);
        return met.github.swapBranch(...swap);
      },
    }),
    ref: BRANCH,
    clock,
    log: (line) => lines.push(line),
  });
  expect(await store.append(recordsOf(1, 21))).toBe(21);
  expect(lines).toEqual([
    expect.stringMatching(/^branch tailgate-history keeps its older commits: /),
  ]);
  expect(await store.read(null)).toEqual(inOrder([...recordsOf(1, 21), ...others]));
});

test("the same run appended twice counts once, also when it is a line of its month", async () => {
  await using met = await meet();
  const store = storeOn(met.github);
  expect(await store.append(RECORDS)).toBe(20);
  expect(await store.append(RECORDS)).toBe(0);
  const more = recordsOf(21, 24);
  for (const record of more) await store.append([record]);
  const head = await met.github.branch(BRANCH);
  const paths = (await met.github.tree(head?.sha ?? "")).map(({ path }) => path);
  // The twenty before are lines of January; those since are files of their own.
  expect(paths.filter((path) => path.endsWith(".jsonl"))).toEqual(["2026-01.jsonl"]);
  expect(paths.filter((path) => path.startsWith("runs/"))).toHaveLength(4);
  expect(await store.append(RECORDS.slice(0, 2))).toBe(0);
  expect(await store.read(null)).toEqual(inOrder([...RECORDS, ...more]));
});

test("it is a branch of its own, and each append one commit on the one before", async () => {
  await using met = await meet();
  const store = storeOn(met.github);
  await store.append(RECORDS.slice(0, 1));
  await store.append(RECORDS.slice(1, 3));
  const head = await met.github.branch(BRANCH);
  const [parent, ...others] = (await met.github.parentsOf(head?.sha ?? "")) ?? [];
  expect(others).toEqual([]);
  expect(await met.github.parentsOf(parent ?? "")).toEqual([]);
  expect(subjectsOf(met, BRANCH)).toEqual(["Record run night-2", "Record run night-1"]);
});

test("only the months that are asked for are read", async () => {
  await using met = await meet();
  const store = storeOn(met.github);
  await store.append([nightOf({ day: 1 }), nightOf({ day: 40 })]);
  expect(await store.read("2026-02")).toEqual([nightOf({ day: 40 })]);
});

test("a token that may not write says what it lacks, and nothing is there", async () => {
  const tokens = { reader: { permissions: { contents: "read" } } } as const;
  await using met = await meet({ token: "reader", seed: { ...SEED, tokens } });
  const failed = await storeOn(met.github)
    .append(RECORDS)
    .catch((thrown: unknown) => thrown);
  expect(failed).toBeInstanceOf(GitHubError);
  expect((failed as GitHubError).next).toContain("contents: write");
  expect(await storeOn(met.github).read(null)).toEqual([]);
});
