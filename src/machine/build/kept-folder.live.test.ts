// Services that run where they were built: one build for equal sources, whatever folder it lies in.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeTestFolder } from "../../../test/support/build.ts";
import {
  bothArms,
  edit,
  jobOf,
  leave,
  makeProject,
  type Project,
} from "../../../test/support/build-project.ts";
import type { Recipe } from "../../core/model/config.ts";
import { tryFindProgram } from "../sys/find-program.ts";
import { type BuiltArtifact, buildArtifacts } from "./build.ts";
import { resolveCandidate } from "./source.ts";

/** What an installer leaves: its folder's path in a script, a link and a file that it may not write. */
const INSTALL = `
mkdir -p node_modules/dep .venv/bin
echo "home = /usr/bin" > .venv/pyvenv.cfg
printf '#!%s/.venv/bin/python\\n' "$PWD" > .venv/bin/tool; chmod 555 .venv/bin/tool
ln -s "$PWD/node_modules/dep" node_modules/linked
cat source.txt > node_modules/dep/built
`;
const SHELL: Partial<Recipe> = { artifact: null, build: ["sh", "-c", INSTALL] };

interface Gate {
  built: BuiltArtifact[];
  cached: boolean[];
  /** Builds that ran. */
  ran: number;
}

async function gate(project: Project, recipe: Partial<Recipe>): Promise<Gate> {
  const candidate = await resolveCandidate(await project.repository.open());
  const jobs = bothArms(project, recipe).map((job) =>
    job.arm === "candidate" ? { ...job, revision: candidate } : job,
  );
  const { notes } = project.ports;
  const before = notes.length;
  const built = await buildArtifacts(jobs, project.ports);
  const ran = notes.slice(before).filter((note) => note.endsWith(": building")).length;
  return { built, cached: built.map(({ facts }) => facts.cached), ran };
}

/** Each has its own folder, and finds itself there. */
function expectAtHome(built: readonly BuiltArtifact[], texts: string[]): void {
  const folders = built.map(({ folder }) => folder);
  expect(new Set(folders).size).toBe(built.length);
  expect(
    folders.map((folder) => readFileSync(join(folder, "node_modules/linked/built"), "utf8")),
  ).toEqual(texts);
  for (const folder of folders) {
    const tool = join(folder, ".venv/bin/tool");
    expect(readFileSync(tool, "utf8")).toBe(`#!${folder}/.venv/bin/python\n`);
    expect(statSync(tool).mode & 0o777).toBe(0o555);
  }
}

/** For programs that we start ourselves. */
function putOnPath(folder: string): void {
  const before = process.env.PATH;
  process.env.PATH = `${folder}${delimiter}${before}`;
  onTestFinished(() => {
    process.env.PATH = before;
  });
}

test.for(["tar", "busybox"])(
  "equal sources are built once, and kept by %s",
  async (tar, context) => {
    const program = tryFindProgram(tar);
    if (program === null) {
      console.warn(`skipped: ${tar} not on PATH`);
      return context.skip(`${tar} not on PATH`);
    }
    using project = await makeProject(leave);
    mkdirSync(join(project.cache.path, "bin"));
    symlinkSync(program, join(project.cache.path, "bin/tar"));
    putOnPath(join(project.cache.path, "bin"));
    const first = await gate(project, SHELL);
    expect(first).toMatchObject({ cached: [false, true], ran: 1 });
    expectAtHome(first.built, ["one", "one"]);
    const again = await gate(project, SHELL);
    expect(again).toMatchObject({ cached: [true, true], ran: 0 });
    expectAtHome(again.built, ["one", "one"]);
    expect(again.built[0]?.facts.buildMs).toBe(first.built[0]?.facts.buildMs);
    // Beside what was built the commit's other files lie there, in a repository.
    const root = join(again.built[0]?.folder ?? "", "..");
    expect(readFileSync(join(root, "other/source.txt"), "utf8")).toBe("other");
    expect(existsSync(join(root, ".git"))).toBe(true);
  },
);

test("a service that lists its inputs is kept too", async () => {
  using project = await makeProject((r) => r.write("other/source.txt", "changed"));
  const recipe = { ...SHELL, inputs: ["service"] };
  expect(await gate(project, recipe)).toMatchObject({ cached: [false, true] });
  const { built } = await gate(project, recipe);
  expectAtHome(built, ["one", "one"]);
  expect(readdirSync(join(built[0]?.folder ?? "", ".."))).toEqual(["service"]);
});

test.each(["libs/shared/lib.txt", "tsconfig.base.json", "other/source.txt"])(
  "a change of %s, which no inputs leave out, is built",
  async (path) => {
    using project = await makeProject((r) => {
      r.write("libs/shared/lib.txt", "fast");
      symlinkSync("../libs/shared", join(r.path, "service/shared"));
      r.commit("a shared library");
      r.write(path, "slow");
    });
    const bundle = `${INSTALL}\ncp shared/lib.txt node_modules/dep/built`;
    const recipe = { artifact: null, build: ["sh", "-c", bundle] };
    const { built, ran } = await gate(project, recipe);
    expect(ran).toBe(2);
    expectAtHome(built, [path.startsWith("libs/") ? "slow" : "fast", "fast"]);
    const inputs = ["service", "libs"];
    const expected = path.startsWith("libs/") ? 2 : 1;
    expect(await gate(project, { ...recipe, inputs })).toMatchObject({ ran: expected });
  },
);

test("packages that may be others today are those of one gate in both versions", async () => {
  using project = await makeProject(edit);
  expect(await gate(project, SHELL)).toMatchObject({ ran: 2 });
  expect(await gate(project, SHELL)).toMatchObject({ cached: [true, true] });
  project.repository.write("service/source.txt", "three");
  const { built, ran } = await gate(project, SHELL);
  expect(ran).toBe(2);
  expectAtHome(built, ["three", "one"]);
});

test.each([
  ["npm ci && npm run build", 1],
  ["uv sync --locked", 1],
  ["uv sync --frozen", 1],
  ["pip install --require-hashes -r requirements.txt", 1],
  ["yarn install --immutable", 1],
  ["npm ci && pip install --require-hashes -r requirements.txt", 1],
  ["npm ci && pip install -r requirements.txt", 2],
  ["npm install; uv sync --locked", 2],
  ["npm install", 2],
  ["npm circus", 2],
  ["uv sync --locked-down", 2],
])("where one version changes, %s builds %i", async (command, expected) => {
  using project = await makeProject(edit);
  const recipe = { artifact: null, build: ["sh", "-c", `: '${command}'; ${INSTALL}`] };
  expect(await gate(project, recipe)).toMatchObject({ ran: 2 });
  project.repository.write("service/source.txt", "three");
  const { built, ran } = await gate(project, recipe);
  expect(ran).toBe(expected);
  expectAtHome(built, ["three", "one"]);
});

test.each([
  ["installs nothing there", "touch made"],
  ["writes elsewhere in the repository", `${INSTALL}\ncd "$(dirname "$PWD")"; touch made`],
  [
    "changes what is elsewhere",
    `${INSTALL}\ncd "$(dirname "$PWD")"; echo more >> other/source.txt`,
  ],
  ["leaves a name that is not text", `${INSTALL}\ntouch node_modules/"$(printf '\\377')"`],
  ["leaves a folder of such a name", `${INSTALL}\nmkdir node_modules/"$(printf '\\377')"`],
  ["leaves its path in a zip", `${INSTALL}\nprintf 'PK\\003\\004%s' "$PWD" > node_modules/zip`],
  [
    "leaves its path in a database",
    `${INSTALL}\nprintf 'SQLite format 3\\000%s' "$PWD" > node_modules/db`,
  ],
  ["leaves a link to nowhere", `${INSTALL}\nln -s /nowhere/python3 .venv/bin/python3`],
])("a build that %s is repeated", async (_, script) => {
  using project = await makeProject(leave);
  const recipe = { artifact: null, build: ["sh", "-c", script] };
  for (let i = 0; i < 2; i++) expect(await gate(project, recipe)).toMatchObject({ ran: 2 });
});

test("another interpreter's packages are not those of this one", async () => {
  using project = await makeProject(leave);
  const use = (version: string): void => {
    const name = project.cache.write(`python3.${version}`, "", { mode: 0o755 });
    mkdirSync(join(project.cache.path, "bin"), { recursive: true });
    rmSync(join(project.cache.path, "bin/python3"), { force: true });
    symlinkSync(name, join(project.cache.path, "bin/python3"));
  };
  const PATH = `${join(project.cache.path, "bin")}${delimiter}${process.env.PATH}`;
  Object.assign(project.ports, { env: { ...process.env, PATH } });
  for (const version of ["12", "13"]) {
    use(version);
    expect(await gate(project, SHELL)).toMatchObject({ ran: 1 });
    expect(await gate(project, SHELL)).toMatchObject({ ran: 0 });
  }
});

test("a program that starts another version is another interpreter", async () => {
  using project = await makeProject(leave);
  const version = project.cache.write("version", "3.12");
  project.cache.write("bin/python3", `#!/bin/sh\ncat "${version}"\n`, { mode: 0o755 });
  project.cache.write("bin/node", "#!/bin/sh\necho v24.0.0\n", { mode: 0o755 });
  const PATH = `${join(project.cache.path, "bin")}${delimiter}${process.env.PATH}`;
  Object.assign(project.ports, { env: { ...process.env, PATH } });
  expect(await gate(project, SHELL)).toMatchObject({ ran: 1 });
  project.cache.write("version", "3.13");
  expect(await gate(project, SHELL)).toMatchObject({ ran: 1 });
  expect(await gate(project, SHELL)).toMatchObject({ ran: 0 });
  // Installed anew at the same place, as an image does.
  project.cache.write("bin/node", "#!/bin/sh\necho 'v24.0.0'\n", { mode: 0o755 });
  expect(await gate(project, SHELL)).toMatchObject({ ran: 1 });
});

test("packages outside the folder that were removed are installed again", async () => {
  using project = await makeProject(leave);
  const store = join(project.cache.path, "store");
  const script = `${INSTALL}\nmkdir -p "${store}"; ln -s "${store}" node_modules/far`;
  const recipe = { artifact: null, build: ["sh", "-c", script] };
  expect(await gate(project, recipe)).toMatchObject({ ran: 1 });
  expect(await gate(project, recipe)).toMatchObject({ ran: 0 });
  rmSync(store, { recursive: true });
  const { built, ran } = await gate(project, recipe);
  expect(ran).toBe(1);
  expect(existsSync(store)).toBe(true);
  expectAtHome(built, ["one", "one"]);
});

test("a link to the checkout itself leads to its own", async () => {
  using project = await makeProject(leave);
  const script = `${INSTALL}\nln -s "$(dirname "$PWD")" node_modules/root`;
  const { built, ran } = await gate(project, { artifact: null, build: ["sh", "-c", script] });
  expect(ran).toBe(1);
  expectAtHome(built, ["one", "one"]);
  for (const { folder } of built) {
    expect(readlinkSync(join(folder, "node_modules/root"))).toBe(join(folder, ".."));
  }
});

test("what is laid out by halves is not built in", async () => {
  using project = await makeProject(leave);
  const real = tryFindProgram("tar");
  const fake = `#!/bin/sh\n"${real}" "$@"\n[ "$1" != -xf ]\n`;
  project.cache.write("bin/tar", fake, { mode: 0o755 });
  putOnPath(join(project.cache.path, "bin"));
  const script = `[ ! -e node_modules ] || exit 7\n${INSTALL}`;
  const { built, ran } = await gate(project, { artifact: null, build: ["sh", "-c", script] });
  expect(ran).toBe(2);
  expectAtHome(built, ["one", "one"]);
});

test("a gate goes on where its build cannot be kept", async () => {
  using project = await makeProject(leave);
  const artifacts = join(project.cache.path, "artifacts");
  const script = `${INSTALL}\nrm -r "${artifacts}"; touch "${artifacts}"`;
  const job = jobOf(project, "candidate", { artifact: null, build: ["sh", "-c", script] });
  expectAtHome(await buildArtifacts([job], project.ports), ["one"]);
  expect(project.ports.notes.at(-1)).toContain("is built again next time: ");
});

test("without tar each is built, as ever", async () => {
  using project = await makeProject(leave);
  project.cache.write("bin/tar", "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  putOnPath(join(project.cache.path, "bin"));
  expect(await gate(project, SHELL)).toMatchObject({ ran: 2 });
});

/** A package of their own: no registry is asked. */
const PACKERS: Record<
  string,
  { pack: string; lock: string; install: string; files: Record<string, string> }
> = {
  uv: {
    files: {
      "pyproject.toml":
        '[project]\nname = "service"\nversion = "1"\nrequires-python = ">=3.9"\ndependencies = ["dep"]\n[tool.uv]\npackage = false\n[tool.uv.sources]\ndep = { path = "dep-1.0-py3-none-any.whl" }\n',
      "pack.py": `import zipfile
info = "dep-1.0.dist-info"
with zipfile.ZipFile("dep-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("dep.py", "import sys\\ndef main(): print(sys.prefix)\\n")
    wheel.writestr(info + "/METADATA", "Metadata-Version: 2.1\\nName: dep\\nVersion: 1.0\\n")
    wheel.writestr(info + "/WHEEL", "Wheel-Version: 1.0\\nGenerator: a\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "/entry_points.txt", "[console_scripts]\\nwhere = dep:main\\n")
    wheel.writestr(info + "/RECORD", "")
`,
    },
    pack: "python3 pack.py",
    lock: "uv lock --offline --quiet",
    install: "uv sync --locked --offline --quiet && .venv/bin/where > says",
  },
  pnpm: {
    files: {
      "package.json": '{"name":"service","version":"1.0.0","dependencies":{"dep":"file:dep.tgz"}}',
      "package/package.json": '{"name":"dep","version":"1.0.0","bin":{"where":"where.js"}}',
      "package/where.js": "#!/usr/bin/env node\nconsole.log(__dirname);\n",
    },
    pack: "tar -czf dep.tgz package && rm -r package",
    lock: "pnpm install --lockfile-only --offline --silent",
    install: "pnpm install --frozen-lockfile --offline --silent && node_modules/.bin/where > says",
  },
};

test.for(Object.entries(PACKERS))(
  "what %s links out of its store is built once, and found from where it lies",
  async ([program, { files, pack, lock, install }], context) => {
    if (tryFindProgram(program) === null) {
      console.warn(`skipped: ${program} not on PATH`);
      return context.skip(`${program} not on PATH`);
    }
    using store = makeTestFolder();
    const env = { UV_CACHE_DIR: store.path, XDG_DATA_HOME: store.path };
    const run = (script: string, cwd: string) =>
      execFileSync("sh", ["-c", script], {
        cwd,
        env: { ...process.env, ...env },
        encoding: "utf8",
      });
    using project = await makeProject(({ path, write, commit }) => {
      for (const [name, text] of Object.entries(files)) write(`service/${name}`, text);
      write(".gitignore", "node_modules\n.venv\nsays\n");
      run(`${pack} && ${lock}`, join(path, "service"));
      commit("a service with a package");
      write("service/source.txt", "two");
    });
    Object.assign(project.ports, { env: { ...process.env, ...env } });
    const recipe = { artifact: null, build: ["sh", "-c", install] };
    for (const ran of [2, 0]) {
      const gated = await gate(project, recipe);
      expect(gated.ran).toBe(ran);
      for (const { folder } of gated.built) {
        expect(readFileSync(join(folder, "says"), "utf8")).toContain(folder);
        const where = program === "uv" ? ".venv/bin/where" : "node_modules/.bin/where";
        expect(run(where, folder)).toContain(folder);
      }
    }
  },
);
