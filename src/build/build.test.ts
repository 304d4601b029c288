import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { UserError } from "../base/errors.ts";
import type { Recipe } from "../model/config.ts";
import type { Arm } from "../model/samples.ts";
import { type BuildJob, type BuildPorts, buildArtifacts, planBuilds } from "./build.ts";
import { type Revision, resolveCandidate, resolveReference } from "./source.ts";
import {
  makePorts,
  makeRecipe,
  makeTestFolder,
  makeTestRepository,
  type TestFolder,
  type TestPorts,
  type TestRepository,
} from "./testing.ts";

interface Project extends Disposable {
  repository: TestRepository;
  cache: TestFolder;
  candidate: Revision;
  reference: Revision;
  ports: TestPorts;
}

/** The service says "one" on main and what `change` makes of it in the working tree. */
async function makeProject(
  change: (repository: TestRepository) => void,
  parts: Partial<BuildPorts> = {},
): Promise<Project> {
  const repository = makeTestRepository();
  const cache = makeTestFolder();
  repository.write("service/source.txt", "one");
  repository.write("other/source.txt", "other");
  repository.commit("first");
  change(repository);
  const git = await repository.open();
  const candidate = await resolveCandidate(git);
  return {
    repository,
    cache,
    candidate,
    reference: await resolveReference(git, null, candidate),
    ports: makePorts(git, cache.path, { cores: 2, ...parts }),
    [Symbol.dispose]() {
      repository[Symbol.dispose]();
      cache[Symbol.dispose]();
    },
  };
}

const edit = (repository: TestRepository): void =>
  void repository.write("service/source.txt", "two");
const leave = (): void => {};

function jobOf(
  project: Project,
  arm: Arm,
  recipe: Partial<Recipe> = {},
  service = "api",
): BuildJob {
  return { arm, service, recipe: makeRecipe(recipe), revision: project[arm] };
}

const bothArms = (project: Project, recipe: Partial<Recipe> = {}): BuildJob[] => [
  jobOf(project, "candidate", recipe),
  jobOf(project, "reference", recipe),
];

const node = (script: string): string[] => [process.execPath, "--eval", script];

async function failureOf(promise: Promise<unknown>): Promise<UserError> {
  return promise.then(
    () => expect.unreachable(),
    (thrown: UserError) => thrown,
  );
}

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
    writeFileSync(first?.path ?? "", "damage");
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

describe("a failing build", () => {
  test("shows the tool's own last lines and what to do", async () => {
    using project = await makeProject(edit);
    const script = "for (let i = 1; i <= 30; i++) console.error('line ' + i); process.exit(3)";
    const failure = await failureOf(
      buildArtifacts([jobOf(project, "candidate", { build: node(script) })], project.ports),
    );
    expect(failure.message).toMatch(
      /^build of api \(candidate, [0-9a-f]{7} with uncommitted changes\) failed after \d\.\d s: .*node exited with 3$/,
    );
    expect(failure.detail?.split("\n")).toHaveLength(20);
    expect(failure.detail).toMatch(/^line 11\n.*line 30$/s);
    expect(failure.next).toMatch(/^Run it by hand: cd service && /);
    expect(failure.kind).toBe("usage");
    expect(project.ports.statuses.at(-1)).toMatch(/^api \(candidate\): \d\.\d s: line 30$/);
    expect(existsSync(join(project.cache.path, "artifacts"))).toBe(true);
    expect(readdirSync(join(project.cache.path, "artifacts"))).toEqual([]);
  });

  test("of the reference offers another one", async () => {
    using project = await makeProject(edit);
    const failure = await failureOf(
      buildArtifacts(
        [jobOf(project, "reference", { build: ["cp", "none", "artifact"] })],
        project.ports,
      ),
    );
    expect(failure.message).toMatch(
      /^build of api \(reference, [0-9a-f]{7}\) failed after 0\.\d s: cp none exited with 1$/,
    );
    expect(failure.detail).toContain("none");
    expect(failure.next).toMatch(/^Choose a reference that builds/);
  });

  test("stops the other arm", async () => {
    using project = await makeProject(edit, { cores: 4 });
    const beganMs = performance.now();
    const failure = await failureOf(
      buildArtifacts(
        [
          jobOf(project, "candidate", { build: ["sleep", "60"] }),
          jobOf(project, "reference", { build: ["false"] }),
        ],
        project.ports,
      ),
    );
    expect(failure.message).toContain("reference");
    expect(performance.now() - beganMs).toBeLessThan(20_000);
  });

  const FAULTS: [string, Partial<Recipe>, RegExp, RegExp][] = [
    [
      "a missing program",
      { build: ["tailgate-none"] },
      /^the build of api \(candidate, .*\) needs tailgate-none, which is not on PATH$/,
      /Install tailgate-none/,
    ],
    [
      "a missing script",
      { build: ["./none.sh"] },
      /needs \.\/none\.sh/,
      /correct the build command/,
    ],
    [
      "no artifact",
      { artifact: "bin/api" },
      /succeeded but made no service\/bin\/api$/,
      /Correct the service's `artifact`/,
    ],
    [
      "an artifact that is a folder",
      { build: ["mkdir", "artifact"] },
      /service\/artifact is not a file$/,
      /`artifact`/,
    ],
    [
      "a folder that is not there",
      { dir: "none" },
      /^api \(candidate, .*\) has no folder none$/,
      /`dir`/,
    ],
    [
      "a folder that is a file",
      { dir: "service/source.txt" },
      /has no folder service\/source\.txt$/,
      /`dir`/,
    ],
    [
      "a build that is killed",
      { build: node("process.kill(process.pid, 'SIGKILL')") },
      /was ended by SIGKILL$/,
      /memory/,
    ],
  ];
  test.each(FAULTS)("%s", async (_, recipe, message, next) => {
    using project = await makeProject(leave);
    const failure = await failureOf(
      buildArtifacts([jobOf(project, "candidate", recipe)], project.ports),
    );
    expect(failure.name).toBe("UserError");
    expect(failure.message).toMatch(message);
    expect(failure.next).toMatch(next);
  });

  test("a missing artifact's neighbours are named", async () => {
    using project = await makeProject(leave);
    const failure = await failureOf(
      buildArtifacts([jobOf(project, "candidate", { artifact: "bin/deep/api" })], project.ports),
    );
    expect(failure.detail).toBe("service holds: artifact, source.txt");
  });
});

/** A cargo that believes in time stamps, as the real one does, and says when it compiles the dependencies. */
const CARGO = `#!${process.execPath}
const fs = require("node:fs");
if (process.argv[2] === "-V") { console.log("cargo 1.0.0"); process.exit(); }
fs.mkdirSync("target/release", { recursive: true });
console.error(fs.existsSync("target/dependencies") ? "dependencies fresh" : "dependencies compiled");
fs.writeFileSync("target/dependencies", "");
const stamp = "target/stamp";
const isFresh = fs.existsSync(stamp) && fs.statSync("source.txt").mtimeMs <= fs.statSync(stamp).mtimeMs;
if (!isFresh) fs.copyFileSync("source.txt", "target/object");
fs.writeFileSync(stamp, "");
if (process.argv[2] !== "check") fs.copyFileSync("target/object", "target/release/api");
`;

describe("cargo", () => {
  async function makeCargoProject(): Promise<Project> {
    const project = await makeProject(edit);
    project.cache.write("bin/cargo", CARGO, { mode: 0o755 });
    project.cache.write("bin/rustc", "#!/bin/sh\necho rustc 1.0.0\n", { mode: 0o755 });
    project.ports.env = {
      ...process.env,
      PATH: `${project.cache.path}/bin:${process.env.PATH}`,
      CARGO_TARGET_DIR: "/elsewhere",
    };
    return project;
  }
  const RECIPE = { build: ["cargo", "build"], artifact: "target/release/api" };

  test("compiles dependencies once and never passes off one arm's code as the other's", async () => {
    using project = await makeCargoProject();
    const other = { ...RECIPE, build: ["cargo", "build", "--other"] };
    const built = await buildArtifacts(
      [
        jobOf(project, "candidate", RECIPE),
        jobOf(project, "reference", RECIPE),
        // Its checkout is older than what the reference's build left.
        jobOf(project, "candidate", other),
        jobOf(project, "reference", other),
      ],
      project.ports,
    );
    expect(built.map(({ path }) => readFileSync(path ?? "", "utf8"))).toEqual([
      "two",
      "one",
      "two",
      "one",
    ]);
    expect(project.ports.statuses.filter((line) => line.endsWith("compiled"))).toHaveLength(1);
    expect(project.ports.statuses.filter((line) => line.endsWith("fresh"))).toHaveLength(3);
  });

  test("does not leave an earlier artifact where a build made none", async () => {
    using project = await makeCargoProject();
    await buildArtifacts([jobOf(project, "candidate", RECIPE)], project.ports);
    const failure = await failureOf(
      buildArtifacts(
        [jobOf(project, "candidate", { ...RECIPE, build: ["cargo", "check"] })],
        project.ports,
      ),
    );
    expect(failure.message).toContain("made no service/target/release/api");
  });
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

describe("when we are ended in the middle of a build", () => {
  /** Builds for a minute; an abort by SIGINT goes the way that the command line takes. */
  const OWNER = `
const url = process.env.SRC;
const { openGit } = await import(url + "build/git.ts");
const { resolveCandidate } = await import(url + "build/source.ts");
const { buildArtifacts } = await import(url + "build/build.ts");
const { systemClock } = await import(url + "sys/clock.ts");
const { janitor } = await import(url + "sys/janitor.ts");
const controller = new AbortController();
process.on("SIGINT", () => controller.abort());
const [repository, cache, recipe] = process.argv.slice(1);
const abort = controller.signal;
const git = await openGit(repository, { env: process.env, abort });
const revision = await resolveCandidate(git);
await buildArtifacts([{ arm: "candidate", service: "api", recipe: JSON.parse(recipe), revision }], {
  git, cache, env: process.env, clock: systemClock, abort,
  progress: { note() {}, status: (line) => console.log(/pid (\\d+)/.exec(line)[1]) },
}).catch((error) => console.log(error.kind + ": " + error.message));
janitor.cleanUp();
`;

  test.each(["SIGKILL", "SIGINT", "SIGTERM"] as const)("by %s, nothing is left", async (signal) => {
    using project = await makeProject(edit);
    const recipe = makeRecipe({
      build: node("console.log('pid', process.pid); setInterval(() => {}, 1000)"),
    });
    const child = spawn(
      process.execPath,
      [
        "--input-type=module",
        "--eval",
        OWNER,
        project.repository.path,
        project.cache.path,
        JSON.stringify(recipe),
      ],
      {
        env: { ...process.env, SRC: new URL("../", import.meta.url).href },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    const builds = join(project.cache.path, "build");
    const records = join(project.repository.path, ".git/worktrees");
    expect(await until(() => /^\d+\n/.test(printed))).toBe(true);
    const pid = Number.parseInt(printed, 10);
    expect(isRunning(pid)).toBe(true);
    expect(readdirSync(builds)).toHaveLength(1);
    expect(readdirSync(records)).toHaveLength(1);

    child.kill(signal);
    expect(await until(() => !isRunning(pid) && readdirSync(builds).length === 0)).toBe(true);
    expect(await until(() => !existsSync(records) || readdirSync(records).length === 0)).toBe(true);
    expect(readdirSync(join(project.cache.path, "artifacts"))).toEqual([]);
    expect(project.repository.git("worktree", "list").split("\n")).toHaveLength(1);
    if (signal === "SIGINT") {
      expect(await until(() => printed.includes("interrupted: the build of api"))).toBe(true);
    }
  });

  function isRunning(pid: number): boolean {
    try {
      return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    } catch {
      return false;
    }
  }

  async function until(what: () => boolean): Promise<boolean> {
    for (let waited = 0; waited < 10_000; waited += 20) {
      if (what()) return true;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return what();
  }
});
