import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeTestRepository, type TestRepository } from "../../../test/support/build.ts";
import {
  bothArms,
  builtFrom,
  edit,
  failedBuild,
  jobOf,
  leave,
  makeProject,
} from "../../../test/support/build-project.ts";
import type { Recipe } from "../../core/model/config.ts";
import type { Arm } from "../../core/model/samples.ts";
import { type BuildJob, buildArtifacts, planBuilds } from "./build.ts";

describe("two arms", () => {
  test.each([2, 4])("are each built from their own code, with %i cores", async (cores) => {
    using project = await makeProject(edit, { cores });
    const built = await buildArtifacts(bothArms(project), project.ports);
    expect(built.map(({ path }) => readFileSync(path ?? "", "utf8"))).toEqual(["two", "one"]);
    const [candidate, reference] = built.map(({ facts }) => facts);
    expect(candidate).toEqual({
      arm: "candidate",
      service: "api",
      key: expect.stringMatching(/^[0-9a-f]{64}$/),
      sha256: "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3",
      binaryBytes: 3,
      strippedBytes: null,
      buildMs: expect.any(Number),
      cached: false,
      toolchain: expect.stringMatching(/^cp /),
    });
    expect(reference?.key).not.toBe(candidate?.key);
    const [a, b] = built;
    expect(a?.path?.length).toBe(b?.path?.length);
    // Not the cache's own files, whatever those went through.
    const run = join(project.ports.cache, "build", "tailgate-");
    expect(built.every(({ path }) => path?.startsWith(run))).toBe(true);
    expect(a?.folder.length).toBe(b?.folder.length);
    expect(readFileSync(join(a?.folder ?? "", "source.txt"), "utf8")).toBe("two");
    expect(project.repository.git("status", "--short")).toBe("M service/source.txt");
  });

  test.each([2, 4])("of the same code are one build, with %i cores", async (cores) => {
    using project = await makeProject((r) => r.write("other/source.txt", "changed"), { cores });
    const built = await buildArtifacts(bothArms(project), project.ports);
    const [candidate, reference] = built;
    expect(reference?.path).toBe(candidate?.path);
    expect(built.map(({ facts }) => facts.cached).sort()).toEqual([false, true]);
    expect(candidate?.folder).not.toBe(reference?.folder);
    expect(project.ports.notes.filter((note) => note.endsWith(": building"))).toHaveLength(1);
  });

  test("come out of the cache the next time, with the time of the build that was made", async () => {
    using project = await makeProject(edit);
    const first = await buildArtifacts(bothArms(project), project.ports);
    const again = await buildArtifacts(bothArms(project), project.ports);
    expect(again.map(({ facts }) => facts)).toEqual(
      first.map(({ facts }) => ({ ...facts, cached: true })),
    );
    expect(project.ports.notes.at(-1)).toMatch(
      /^api \(reference, [0-9a-f]{7}\): built before, taken from the cache$/,
    );
  });

  test("are built anew when the cache is damaged, which is said", async () => {
    using project = await makeProject(edit);
    const job = jobOf(project, "candidate");
    const [first] = await buildArtifacts([job], project.ports);
    const entry = join(project.ports.cache, "artifacts", first?.facts.key ?? "");
    writeFileSync(join(entry, "artifact"), "damage");
    const [again] = await buildArtifacts([job], project.ports);
    expect(again?.facts).toMatchObject({ cached: false });
    expect(readFileSync(again?.path ?? "", "utf8")).toBe("two");
    expect(project.ports.notes).toContainEqual(
      expect.stringMatching(
        /with uncommitted changes\): the cached build cannot be trusted \(its hash differs\)/,
      ),
    );
  });

  test("keep the order of the jobs", async () => {
    using project = await makeProject(edit, { cores: 4 });
    const jobs = [
      jobOf(project, "reference", { dir: "other" }, "b"),
      jobOf(project, "candidate", {}, "a"),
      jobOf(project, "reference", {}, "a"),
      jobOf(project, "candidate", { dir: "other" }, "b"),
    ];
    const built = await buildArtifacts(jobs, project.ports);
    expect(built.map(({ facts }) => `${facts.service} ${facts.arm}`)).toEqual([
      "b reference",
      "a candidate",
      "a reference",
      "b candidate",
    ]);
  });
});

describe("a recipe that lists its inputs", () => {
  const LIST = ["sh", "-c", "(cd .. && find . -type f | sort) > artifact"];

  test("is built where nothing else is, not even a repository", async () => {
    using project = await makeProject(edit);
    const [built] = await buildArtifacts(
      [jobOf(project, "candidate", { build: LIST, inputs: ["service"] })],
      project.ports,
    );
    expect(readFileSync(built?.path ?? "", "utf8")).toBe(
      "./service/artifact\n./service/source.txt\n",
    );
    expect(project.repository.git("worktree", "list").split("\n")).toHaveLength(1);
  });

  test("fails to build where one is missing from the list", async () => {
    using project = await makeProject(leave);
    const recipe = { build: ["cp", "../other/source.txt", "artifact"], inputs: ["service"] };
    const failure = await failedBuild(project, recipe);
    expect(failure.message).toMatch(/^build of api .* failed/);
  });

  test("is built once, whatever else changes", async () => {
    using project = await makeProject((r) => r.write("other/source.txt", "changed"));
    const recipe = {
      dir: ".",
      inputs: ["service"],
      build: ["cp", "service/source.txt", "artifact"],
    };
    const built = await buildArtifacts(bothArms(project, recipe), project.ports);
    expect(built.map(({ facts }) => facts.cached).sort()).toEqual([false, true]);
    const everything = { ...recipe, inputs: ["**"] };
    const [other] = await buildArtifacts([jobOf(project, "candidate", everything)], project.ports);
    expect(other?.facts.cached).toBe(false);
  });

  test("needs one of them in its folder", async () => {
    using project = await makeProject(leave);
    const failure = await failedBuild(project, { inputs: ["other"] });
    expect(failure.message).toMatch(
      /^none of the inputs of api .* is a file in its folder service$/,
    );
  });
});

describe("another build of the same code", () => {
  const OTHERS: [string, Partial<Recipe>, NodeJS.ProcessEnv][] = [
    ["by another command", { build: ["cp", "--force", "source.txt", "artifact"] }, {}],
    ["with other flags in the environment", {}, { RUSTFLAGS: "-C opt-level=2" }],
  ];
  test.each(OTHERS)("%s is not taken from the cache", async (_, recipe, env) => {
    using project = await makeProject(leave);
    await buildArtifacts([jobOf(project, "candidate")], project.ports);
    const [other] = await buildArtifacts([jobOf(project, "candidate", recipe)], {
      ...project.ports,
      env: { ...process.env, ...env },
    });
    expect(other?.facts.cached).toBe(false);
  });
});

const ELSEWHERE: [string, string[], (repository: TestRepository) => void][] = [
  [
    "a link",
    ["cp", "source.txt", "artifact"],
    (r) => symlinkSync("../other/source.txt", join(r.path, "service/source.txt")),
  ],
  [
    "a script",
    ["sh", "build.sh"],
    (r) => r.write("service/build.sh", "cp ../other/source.txt artifact"),
  ],
];
test.each(ELSEWHERE)(
  "a file elsewhere that %s leads to is each version's own",
  async (...given) => {
    const [, build, lead] = given;
    using repository = makeTestRepository();
    repository.write("other/source.txt", "one");
    repository.write("service/file", "");
    lead(repository);
    repository.commit("first");
    repository.write("other/source.txt", "two");
    const { says } = await builtFrom(repository, { build });
    expect(says).toEqual({ candidate: "two", reference: "one" });
  },
);

describe("a recipe without an artifact", () => {
  test("is run where it was built, each arm in its own folder", async () => {
    using project = await makeProject(edit);
    const built = await buildArtifacts(
      bothArms(project, { artifact: null, build: ["cp", "source.txt", "made.txt"] }),
      project.ports,
    );
    expect(built.map(({ path }) => path)).toEqual([null, null]);
    expect(built.map(({ folder }) => readFileSync(join(folder, "made.txt"), "utf8"))).toEqual([
      "two",
      "one",
    ]);
    expect(built[0]?.facts).toMatchObject({ binaryBytes: null, cached: false });
  });

  test("and without a build is its folder", async () => {
    using project = await makeProject(edit);
    const [built] = await buildArtifacts(
      [jobOf(project, "candidate", { artifact: null, build: [] })],
      project.ports,
    );
    expect(built?.facts).toMatchObject({ buildMs: 0, toolchain: "none", strippedBytes: null });
    expect(readdirSync(built?.folder ?? "")).toEqual(["source.txt"]);
  });
});

test("an executable's stripped size is told", async (context) => {
  const strip = ["/usr/bin/strip", "/usr/local/bin/strip"].some((path) => existsSync(path));
  if (!strip) {
    console.warn("skipped: strip not on PATH");
    context.skip("strip not on PATH");
  }
  using project = await makeProject(leave);
  const [built] = await buildArtifacts(
    [jobOf(project, "candidate", { build: ["cp", "/bin/true", "artifact"] })],
    project.ports,
  );
  expect(built?.facts.strippedBytes).toBeGreaterThan(1000);
  expect(built?.facts.strippedBytes).toBeLessThanOrEqual(built?.facts.binaryBytes ?? 0);
});

describe("planBuilds", () => {
  const CASES: [number, Arm[], Arm[][]][] = [
    [2, ["candidate", "reference"], [["candidate", "reference"]]],
    [3, ["candidate", "reference"], [["candidate", "reference"]]],
    [4, ["candidate", "reference", "candidate"], [["candidate", "candidate"], ["reference"]]],
    [64, ["candidate"], [["candidate"]]],
    [4, [], []],
  ];
  test.each(CASES)("with %i cores: %o -> %o", (cores, arms, lanes) => {
    const jobs = arms.map((arm) => ({ arm }) as BuildJob);
    const planned = planBuilds(jobs, cores).filter((lane) => lane.length > 0);
    expect(planned.map((lane) => lane.map(({ arm }) => arm))).toEqual(lanes);
  });
});
