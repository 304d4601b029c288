// What a run does to the machine is done under its lock, from the first build on.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeTestFolder } from "../../../test/support/build.ts";
import { jobOf, leave, makeProject } from "../../../test/support/build-project.ts";
import { makeEnvironment } from "../../../test/support/environment.ts";
import { readText } from "../../../test/support/files.ts";
import { makeConfig } from "../../../test/support/samples.ts";
import { acquireLock } from "../../machine/host/lock.ts";
import { type RunPlan, withMachine } from "./prepared-run.ts";

test("nothing is built or installed before whoever measures is done", async () => {
  using project = await makeProject(leave);
  using folder = makeTestFolder();
  folder.write("bin/oha", "#!/bin/sh\necho oha 1.16.0\n", { mode: 0o755 });
  const lockPath = join(folder.path, "lock");
  const abort = new AbortController().signal;
  const other = await acquireLock({ timeoutMs: 0, abort, path: lockPath });

  const told: string[] = [];
  const environment = makeEnvironment(project.repository.path, {
    env: {
      ...process.env,
      PATH: `${join(folder.path, "bin")}:${process.env.PATH}`,
      TAILGATE_LOCK: lockPath,
    },
    cache: project.cache.path,
    progress: {
      stage: (name) => told.push(`stage ${name}`),
      note: (line) => told.push(line.replace(/ \(.*\)/, "")),
      status: (line) => {
        if (!line.startsWith("waiting")) return;
        told.push(line.replace(/ \(.*\)/, ""));
        void other.release();
      },
      secret: () => {},
    },
    abort,
  });
  const config = makeConfig();
  const { root } = project.ports.git;
  const plan: RunPlan = {
    project: { git: project.ports.git, root, config },
    scenarios: config.scenarios,
    needed: [],
    jobs: [jobOf(project, "candidate")],
    arms: { candidate: { revision: project.candidate } },
  };
  const lock = { lockTimeoutMs: 20_000 };
  const artifacts = await withMachine(plan, lock, environment, async (prepared) => {
    told.push("work");
    // Still ours.
    await expect(acquireLock({ timeoutMs: 0, abort, path: lockPath })).rejects.toThrow("measures");
    return prepared.artifacts;
  });

  expect(artifacts).toHaveLength(1);
  expect(told.map((line) => line.replace(/built in .*/, "built"))).toEqual([
    "waiting for another gate on this machine",
    "stage build",
    "api: building",
    "api: built",
    "work",
  ]);
  await (await acquireLock({ timeoutMs: 0, abort, path: lockPath })).release();
});

/** Ends when it is ended, and says so. */
const CARGO = `#!/bin/sh
echo $$ > "$HOME/cargo"
exec /bin/sleep 600
`;

/** Says beside whom it loads. */
const WRK2 = `#!/bin/sh
echo 'wrk 4.0.0 [epoll] --rate --u_latency'
[ "$1" = --version ] && exit
cd "\${0%/*}/.."
kill -0 "$(/bin/cat cargo)" && echo oha >> beside || echo nobody >> beside
`;

/** What a run without oha comes to, on a machine where cargo never ends. */
async function prepareWithoutOha(
  build: (folder: string) => string,
  change: Partial<RunPlan>,
): Promise<{ hasCompiled: boolean; beside: string; told: string[]; ended: string }> {
  using project = await makeProject(leave);
  using folder = makeTestFolder();
  folder.write("bin/cargo", CARGO, { mode: 0o755 });
  folder.write("bin/wrk2", WRK2, { mode: 0o755 });
  folder.write("beside", "");
  const told: string[] = [];
  const environment = makeEnvironment(project.repository.path, {
    env: {
      PATH: `${join(folder.path, "bin")}:/usr/bin:/bin`,
      HOME: folder.path,
      TAILGATE_LOCK: join(folder.path, "lock"),
    },
    cache: project.cache.path,
    progress: {
      stage() {},
      note: (line) => told.push(line.replaceAll(/ \(.*?\)| in \d.*/g, "")),
      status() {},
      secret() {},
    },
  });
  const config = makeConfig();
  const plan: RunPlan = {
    project: { git: project.ports.git, root: project.ports.git.root, config },
    scenarios: config.scenarios,
    needed: [],
    jobs: [jobOf(project, "candidate", { build: ["sh", "-c", build(folder.path)] })],
    arms: { candidate: { revision: project.candidate } },
    ...change,
  };
  const ended = withMachine(plan, { lockTimeoutMs: 20_000 }, environment, async ({ scenarios }) =>
    scenarios.length === 0 ? "nothing to load" : "loaded",
  ).catch(({ message }) => message);
  return {
    ended: await ended,
    hasCompiled: existsSync(join(folder.path, "cargo")),
    beside: readText(join(folder.path, "beside")),
    told,
  };
}

/** Ends only where cargo has begun. */
const untilCargo = (folder: string): string =>
  `while [ ! -e '${folder}/cargo' ]; do sleep 0.05; done; cp source.txt artifact`;

test("oha is compiled beside the builds, and given up where they leave nothing to load", async () => {
  const narrow = async () => ({ scenarios: [], needed: [], findings: [] });
  const { told, ...became } = await prepareWithoutOha(untilCargo, { narrow });
  expect(became).toEqual({ hasCompiled: true, beside: "", ended: "nothing to load" });
  expect(told.toSorted()).toEqual(["api: building", "api: built", "installing oha 1.16.0"]);
});

test("oha has ended before wrk2 is probed, where the builds leave only that to load", async () => {
  const { scenarios: byOha } = makeConfig();
  const byWrk2 = byOha.map((one) => ({ ...one, generator: "wrk2" as const }));
  const { hasCompiled, beside, ended } = await prepareWithoutOha(untilCargo, {
    scenarios: [...byOha, ...byWrk2],
    narrow: async () => ({ scenarios: byWrk2, needed: [], findings: [] }),
  });
  expect({ hasCompiled, beside, ended }).toEqual({
    hasCompiled: true,
    beside: "nobody\n",
    ended: "loaded",
  });
});

test("oha is given up where a build fails", async () => {
  const build = (folder: string) => `${untilCargo(folder)}; exit 7`;
  const { ended } = await prepareWithoutOha(build, {});
  expect(ended).toMatch(/^build of api .* failed after \S+ s: sh exited with code 7$/);
});
